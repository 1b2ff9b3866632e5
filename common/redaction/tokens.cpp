#include "common/redaction/tokens.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace evalfleet::redaction {
namespace {

struct Prefix {
    std::string_view text;
    std::size_t min_rest;
};

// Public documentation of each service; the least lengths are a little below the issued ones, so
// that a key cut short by a log is still caught.
constexpr Prefix kPrefixes[] = {
    {"sk-", 20},     // OpenAI (also sk-proj-), Anthropic (sk-ant-), OpenRouter, DeepSeek
    {"xai-", 20},    // xAI
    {"gsk_", 20},    // Groq
    {"hf_", 20},     // Hugging Face
    {"nvapi-", 20},  // NVIDIA
    {"pplx-", 20},   // Perplexity
    {"csk-", 20},    // Cerebras
    {"r8_", 20},     // Replicate
    {"ghp_", 20},     {"gho_", 20},        {"ghu_", 20},     {"ghs_", 20},
    {"ghr_", 20},     {"github_pat_", 20},  // GitHub
    {"glpat-", 16},                         // GitLab
    {"xoxb-", 10},    {"xoxp-", 10},       {"xoxa-", 10},    {"xoxs-", 10},
    {"xoxr-", 10},    {"xoxe-", 10},       {"xapp-", 10},  // Slack
    {"sk_live_", 16}, {"sk_test_", 16},    {"rk_live_", 16}, {"rk_test_", 16},
    {"whsec_", 16},  // Stripe
    {"npm_", 30},
};

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

/// Tells a generated token from a word: it has a digit, or capitals inside and small letters.
bool looks_generated(std::string_view token) {
    const std::string_view judged = token.substr(0, kJudgedLength);
    if (std::any_of(judged.begin(), judged.end(), is_digit)) return true;
    return judged.size() > 1 && std::any_of(judged.begin() + 1, judged.end(), is_upper) &&
           std::any_of(judged.begin(), judged.end(), is_lower);
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                      [](char a, char b) { return to_lower(a) == b; });
}

/// A token from `begin` that is long enough and looks generated; its end is found without bound
/// only once it is going to be replaced, so that no part of the text is walked over twice.
template <class Wanted>
Found generated_token(Scan& scan, std::size_t begin, std::size_t min, Kind kind, Wanted wanted) {
    const std::size_t judged = scan.run(begin, kJudgedLength, wanted);
    if (judged - begin < min) return {};
    if (!looks_generated(scan.text().substr(begin, judged - begin))) return {};
    return Match{begin, scan.run(judged, kUnbounded, wanted), kind};
}

}  // namespace

Found find_prefixed_key(Scan& scan, std::size_t i) {
    const auto middle = static_cast<unsigned char>(scan.before(i));
    if ((kPrefixTails[middle] >> (scan.before(i, 2) & 31) & 1) == 0) return {};
    const std::size_t rest = i + 1;
    for (const Prefix& prefix : kPrefixes) {
        if (!scan.ends_with(rest, prefix.text)) continue;
        const std::size_t begin = rest - prefix.text.size();
        if (is_alnum(scan.before(begin))) continue;
        if (auto found = generated_token(scan, rest, prefix.min_rest, Kind::api_key, is_key_char)) {
            found->begin = begin;
            return found;
        }
    }
    return {};
}

Found find_cloud_key(Scan& scan, std::size_t i) {
    if (is_alnum(scan.before(i))) return {};
    if (scan.starts_with(i, "AIza")) {
        const std::size_t end = scan.run(i + 4, kJudgedLength, is_key_char);
        if (end - i < 30) return {};
        return Match{i, scan.run(end, kUnbounded, is_key_char), Kind::api_key};
    }
    if (!scan.starts_with(i, "AKIA") && !scan.starts_with(i, "ASIA")) return {};
    const std::size_t end = scan.run(i, 21, [](char c) { return is_upper(c) || is_digit(c); });
    if (end - i != 20 || is_alnum(scan.at(end))) return {};
    return Match{i, end, Kind::cloud_key};
}

Found find_bearer(Scan& scan, std::size_t i) {
    constexpr std::string_view kWord = "bearer";
    if (is_alnum(scan.before(i))) return {};
    if (!equals_ignoring_case(scan.text().substr(i, kWord.size()), kWord)) return {};
    const std::size_t gap = i + kWord.size();
    const std::size_t begin = scan.run(gap, 4, [](char c) { return c == ' ' || c == '\t'; });
    if (begin == gap) return {};
    // No word behind "bearer" is that long.
    const std::size_t judged = scan.run(begin, kJudgedLength, is_token_char);
    if (judged - begin >= kLongestWord)
        return Match{begin, scan.run(judged, kUnbounded, is_token_char), Kind::bearer_token};
    return generated_token(scan, begin, 8, Kind::bearer_token, is_token_char);
}

Found find_jwt(Scan& scan, std::size_t i) {
    if (!scan.ends_with(i, "ey") || is_alnum(scan.before(i, 3))) return {};
    const std::size_t begin = i - 2;
    if (begin < scan.jwt_missing_until) return {};
    const std::size_t header = scan.run(begin, kMaxJwtPart, is_key_char);
    if (scan.at(header) != '.') {
        scan.jwt_missing_until = header;
        return {};
    }
    const std::size_t payload = scan.run(header + 1, kUnbounded, is_key_char);
    if (header - begin < 10 || payload - header - 1 < 10) {
        scan.jwt_missing_until = payload;
        return {};
    }
    if (scan.at(payload) != '.') return Match{begin, payload, Kind::jwt};
    return Match{begin, scan.run(payload + 1, kUnbounded, is_key_char), Kind::jwt};
}

Found find_url_password(Scan& scan, std::size_t i) {
    if (!scan.starts_with(i, "://")) return {};
    const std::size_t begin = i + 3;
    const std::size_t end = scan.run(begin, kMaxAuthority, [](char c) {
        return static_cast<unsigned char>(c) > 0x20 &&
               std::string_view("/?#\"'<>\\`").find(c) == std::string_view::npos;
    });
    const std::string_view authority = scan.text().substr(begin, end - begin);
    const std::size_t host = authority.rfind('@');
    if (host == std::string_view::npos) return {};
    const std::size_t colon = authority.find(':');
    if (colon >= host || colon + 1 == host) return {};
    // What is in brackets was replaced before, or is an IPv6 address; neither is a password.
    if (authority[colon + 1] == '[' && authority[host - 1] == ']') return {};
    return Match{begin + colon + 1, begin + host, Kind::url_password};
}

Found find_credential(Scan& scan, std::size_t i) {
    struct Name {
        std::string_view text;
        Kind kind;
    };
    static constexpr Name kNames[] = {
        {"authorization", Kind::credential},    {"api-key", Kind::credential},
        {"api_key", Kind::credential},          {"apikey", Kind::credential},
        {"auth-token", Kind::credential},       {"auth_token", Kind::credential},
        {"access_token", Kind::credential},     {"client_secret", Kind::credential},
        {"subscription-key", Kind::credential}, {"secret_access_key", Kind::cloud_key},
        {"secretaccesskey", Kind::cloud_key},   {"session_token", Kind::cloud_key},
        {"sessiontoken", Kind::cloud_key},
    };
    const auto is_filler = [](char c) { return c == ' ' || c == '"' || c == '\'' || c == '\\'; };
    const std::size_t name_end = scan.run_back(i, 4, is_filler);
    const char last = to_lower(scan.before(name_end));
    if (last != 'n' && last != 'y' && last != 't') return {};  // no name below ends otherwise
    const std::size_t name_begin = scan.run_back(name_end, 48, is_key_char);
    const std::string_view name = scan.text().substr(name_begin, name_end - name_begin);
    const auto known = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& item) {
        return name.size() >= item.text.size() &&
               equals_ignoring_case(name.substr(name.size() - item.text.size()), item.text);
    });
    if (known == std::end(kNames)) return {};
    std::size_t begin = scan.run(i + 1, 6, is_filler);
    // A scheme such as Basic or ApiKey stays readable; Bearer has a scanner of its own.
    const std::size_t scheme = scan.run(begin, 16, is_letter);
    if (scan.at(scheme) == ' ' && scheme > begin) {
        if (equals_ignoring_case(scan.text().substr(begin, scheme - begin), "bearer")) return {};
        begin = scheme + 1;
    }
    return generated_token(scan, begin, 8, known->kind, is_token_char);
}

}  // namespace evalfleet::redaction
