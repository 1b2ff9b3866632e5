#include "common/redaction/tokens.hpp"

#include "common/redaction/decoding.hpp"
#include "common/redaction/key_prefixes.hpp"
#include "common/redaction/secret_value.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace evalfleet::redaction {
namespace {

/// The begin of the whole key: a prefix that starts with '_' goes on to the left.
std::size_t key_begin(Scan& scan, std::size_t prefix_begin, const Prefix& prefix) {
    constexpr std::size_t kMaxService = 24;
    if (prefix.text[0] != '_') return prefix_begin;
    return scan.run_back(prefix_begin, kMaxService, [](char c) { return is_key_char(c); });
}

/// For the byte before the last of a prefix: which bytes may stand before that (by their low five
/// bits). Nearly every dash and underscore of a text is told apart by this one look.
constexpr std::array<std::uint32_t, 256> kPrefixTails = [] {
    std::array<std::uint32_t, 256> tails{};
    for (const Prefix& prefix : kPrefixes) {
        const std::size_t n = prefix.text.size();
        const auto middle = static_cast<unsigned char>(prefix.text[n - 2]);
        tails[middle] |= std::uint32_t{1} << (prefix.text[n - 3] & 31);
    }
    return tails;
}();

constexpr std::size_t kJudgedLength = 256;  // of a long token, this much decides what it is
constexpr std::size_t kMaxJwtPart = 16 * 1024;
constexpr std::size_t kMaxAuthority = 1024;
constexpr std::size_t kUnbounded = std::string_view::npos;
constexpr std::size_t kLongestWord = 20;

/// A token from `begin` that is long enough and looks generated; its end is found without bound
/// only once it is going to be replaced, so that no part of the text is walked over twice.
template <class Wanted>
Found generated_token(Scan& scan, std::size_t begin, std::size_t min, Kind kind, Wanted wanted) {
    const std::size_t judged = scan.run(begin, kJudgedLength, wanted);
    if (judged - begin < min) return {};
    if (!looks_generated(scan.text().substr(begin, judged - begin))) return {};
    return Match{begin, scan.run(judged, kUnbounded, wanted), kind};
}

/// Letters and digits in turns and no word between, as in a drawn key.
bool is_random(std::string_view token) {
    return token.find_first_of("_-") == std::string_view::npos && is_strong(token);
}

/// Basic: base64 of user:password.
Found basic_credentials(Scan& scan, std::size_t begin) {
    constexpr std::size_t kMax = 1024;
    const std::size_t end = scan.run(begin, kMax, is_token_char);
    std::string_view text = scan.text().substr(begin, end - begin);
    while (text.ends_with('='))
        text.remove_suffix(1);
    if (text.size() < 6 || is_alnum(scan.at(end))) return {};
    if (decode_run(text).find(':') == std::string::npos) return {};
    return Match{begin, end, Kind::credential};
}

}  // namespace

Found find_prefixed_key(Scan& scan, std::size_t i) {
    const auto middle = static_cast<unsigned char>(scan.before(i));
    if ((kPrefixTails[middle] >> (scan.before(i, 2) & 31) & 1) == 0) return {};
    const std::size_t rest = i + 1;
    for (const Prefix& prefix : kPrefixes) {
        const std::size_t n = prefix.text.size();
        if (prefix.text[n - 2] != scan.before(i) || !scan.ends_with(rest, prefix.text)) continue;
        const std::size_t begin = rest - prefix.text.size();
        const bool goes_on = prefix.text[0] == '_';
        if (is_alnum(scan.before(begin)) != goes_on) continue;
        const auto wanted = [base64 = prefix.base64, dotted = prefix.text.back() == '.'](char c) {
            if (is_key_char(c) || ((dotted || base64) && (c == '+' || c == '/'))) return true;
            return (dotted && c == '.') || (base64 && c == '=');
        };
        if (auto found = generated_token(scan, rest, prefix.min_rest, Kind::api_key, wanted)) {
            // Names with a number behind them, as `wait_test_of_...1`, are no keys.
            const std::size_t judged = std::min(found->end - rest, kJudgedLength);
            if (goes_on && !is_random(scan.text().substr(rest, judged))) continue;
            found->begin = key_begin(scan, begin, prefix);
            return found;
        }
    }
    return {};
}

Found find_auth_scheme(Scan& scan, std::size_t i) {
    if (is_alnum(scan.before(i))) return {};
    const bool is_bearer = equals_ignoring_case(scan.text().substr(i, 6), "bearer");
    if (!is_bearer && !equals_ignoring_case(scan.text().substr(i, 5), "basic")) return {};
    const std::size_t gap = i + (is_bearer ? 6 : 5);
    const std::size_t begin = scan.run(gap, 4, [](char c) { return c == ' ' || c == '\t'; });
    if (begin == gap) return {};
    if (!is_bearer) return basic_credentials(scan, begin);
    // No word behind "bearer" is that long.
    const std::size_t judged = scan.run(begin, kJudgedLength, is_token_char);
    if (judged - begin >= kLongestWord)
        return Match{begin, scan.run(judged, kUnbounded, is_token_char), Kind::bearer_token};
    return generated_token(scan, begin, 8, Kind::bearer_token, is_token_char);
}

namespace {

/// The end of one part in base64. Padding should not be there, and some libraries write it.
std::size_t end_of_part(Scan& scan, std::size_t begin, std::size_t max) {
    const std::size_t end = scan.run(begin, max, is_key_char);
    return end == begin ? end : scan.run(end, 2, [](char c) { return c == '='; });
}

/// header..vector.text.tag: a token that is encrypted with a key both sides know has an empty part.
Found encrypted_token(Scan& scan, std::size_t begin, std::size_t second) {
    std::size_t end = second;
    for (int part = 0; part < 3; ++part) {
        if (scan.at(end) != '.') return {};
        end = end_of_part(scan, end + 1, kUnbounded);
    }
    return end - second >= 20 ? Found(Match{begin, end, Kind::jwt}) : Found();
}

}  // namespace

Found find_jwt(Scan& scan, std::size_t i) {
    if (!scan.ends_with(i, "ey") || is_alnum(scan.before(i, 3))) return {};
    const std::size_t begin = i - 2;
    if (begin < scan.jwt_missing_until) return {};
    const std::size_t header = end_of_part(scan, begin, kMaxJwtPart);
    if (scan.at(header) != '.') {
        scan.jwt_missing_until = header;
        return {};
    }
    const std::size_t payload = end_of_part(scan, header + 1, kUnbounded);
    if (header - begin >= 10 && payload == header + 1) return encrypted_token(scan, begin, payload);
    if (header - begin < 10 || payload - header - 1 < 10) {
        scan.jwt_missing_until = payload;
        return {};
    }
    if (scan.at(payload) != '.') return Match{begin, payload, Kind::jwt};
    return Match{begin, end_of_part(scan, payload + 1, kUnbounded), Kind::jwt};
}

namespace {

bool ends_url(char c) {
    return static_cast<unsigned char>(c) <= 0x20 ||
           std::string_view("\"'<>\\`").find(c) != std::string_view::npos;
}

/// The end of what may be user:password@host. A password with '/', '?' or '#' in it should be
/// escaped and often is not; behind the colon of a host there are digits alone.
std::size_t end_of_authority(Scan& scan, std::size_t begin) {
    const std::size_t end = scan.run(begin, kMaxAuthority, [](char c) {
        return !ends_url(c) && c != '/' && c != '?' && c != '#';
    });
    const std::string_view text = scan.text().substr(begin, end - begin);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || text.find('@') != std::string_view::npos) return end;
    const std::string_view port = text.substr(colon + 1);
    if (std::all_of(port.begin(), port.end(), is_digit)) return end;
    return scan.run(end, kMaxAuthority, [](char c) { return !ends_url(c); });
}

/// jdbc:oracle:thin:user/password@host
Found oracle_password(Scan& scan, std::size_t i) {
    if (!scan.ends_with(i + 1, "jdbc:oracle:thin:") && !scan.ends_with(i + 1, "jdbc:oracle:oci:"))
        return {};
    const std::size_t end = scan.run(i + 1, kMaxAuthority, [](char c) { return !ends_url(c); });
    const std::string_view text = scan.text().substr(i + 1, end - i - 1);
    const std::size_t slash = text.find('/');
    const std::size_t host = text.find('@');
    if (slash == 0 || host == std::string_view::npos || slash + 1 >= host) return {};
    if (text[slash + 1] == '[') return {};  // replaced before
    return Match{i + 1 + slash + 1, i + 1 + host, Kind::url_password};
}

}  // namespace

Found find_url_password(Scan& scan, std::size_t i) {
    if (auto found = oracle_password(scan, i)) return found;
    if (!scan.starts_with(i, "://")) return {};
    const std::size_t begin = i + 3;
    const std::size_t end = end_of_authority(scan, begin);
    const std::string_view authority = scan.text().substr(begin, end - begin);
    const std::size_t host = authority.rfind('@');
    if (host == std::string_view::npos) return {};
    const std::size_t colon = authority.find(':');
    if (colon >= host || colon + 1 == host) return {};
    // What is in brackets was replaced before, or is an IPv6 address; neither is a password.
    if (authority[colon + 1] == '[' && authority[host - 1] == ']') return {};
    return Match{begin + colon + 1, begin + host, Kind::url_password};
}

Found find_bot_token(Scan& scan, std::size_t i) {
    constexpr std::size_t kSecretSize = 35;
    if (!scan.starts_with(i + 1, "AA")) return {};
    const std::size_t begin = scan.run_back(i, 11, is_digit);
    const std::size_t end = scan.run(i + 1, kSecretSize + 1, is_key_char);
    if (i - begin < 8 || i - begin > 10 || end - i - 1 < kSecretSize - 3) return {};
    if (is_alnum(scan.before(begin)) && !scan.ends_with(begin, "bot")) return {};
    return Match{begin, scan.run(end, kUnbounded, is_key_char), Kind::api_key};
}

Found find_webhook(Scan& scan, std::size_t i) {
    static constexpr std::string_view kPlaces[] = {
        "hooks.slack.com/services/",    "hooks.slack.com/workflows/",
        "hooks.slack.com/triggers/",    "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/", "webhook.office.com/webhookb2/",
        "hooks.zapier.com/hooks/catch/"};
    for (const std::string_view place : kPlaces) {
        if (!scan.ends_with(i + 1, place)) continue;
        const auto wanted = [](char c) { return is_key_char(c) || c == '/' || c == '@'; };
        if (auto found = generated_token(scan, i + 1, 16, Kind::api_key, wanted)) return found;
    }
    return {};
}

}  // namespace evalfleet::redaction
