#include "common/redaction/tokens.hpp"

#include "common/redaction/decoding.hpp"
#include "common/redaction/secret_value.hpp"

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
// that a key cut short by a log is still caught. Each ends in '-', '_' or '.'.
constexpr Prefix kPrefixes[] = {
    // Model providers: OpenAI (also sk-proj-, sk-svcacct-), Anthropic (sk-ant-), OpenRouter,
    // DeepSeek; xAI, Groq, Hugging Face, NVIDIA, Perplexity, Cerebras, Replicate, Fireworks, Voyage
    {"sk-", 20},
    {"xai-", 20},
    {"gsk_", 20},
    {"hf_", 20},
    {"api_org_", 20},
    {"nvapi-", 20},
    {"pplx-", 20},
    {"csk-", 20},
    {"r8_", 20},
    {"fw_", 20},
    {"pa-", 40},
    {"lsv2_pt_", 20},
    {"tgp_v1_", 20},
    {"jina_", 20},
    {"tvly-", 16},
    // GitHub, GitLab, Bitbucket, package indexes, Docker
    {"ghp_", 20},
    {"gho_", 20},
    {"ghu_", 20},
    {"ghs_", 20},
    {"ghr_", 20},
    {"github_pat_", 20},
    {"glpat-", 16},
    {"gldt-", 16},
    {"glrt-", 16},
    {"glcbt-", 16},
    {"glptt-", 16},
    {"glft-", 16},
    {"glimt-", 16},
    {"glagent-", 16},
    {"gloas-", 16},
    {"glsoat-", 16},
    {"glffct-", 16},
    {"npm_", 30},
    {"pypi-", 16},
    {"rubygems_", 20},
    {"dckr_pat_", 16},
    {"dckr_oat_", 16},
    {"cio_", 30},
    // Slack, mail services, telephony, payments, shops
    {"xoxb-", 10},
    {"xoxp-", 10},
    {"xoxa-", 10},
    {"xoxs-", 10},
    {"xoxr-", 10},
    {"xoxe-", 10},
    {"xoxc-", 10},
    {"xoxd-", 10},
    {"xoxo-", 10},
    {"xapp-", 10},
    {"SG.", 20},
    {"key-", 30},
    {"xkeysib-", 20},
    {"re_", 24},
    {"sk_live_", 16},
    {"sk_test_", 16},
    {"rk_live_", 16},
    {"rk_test_", 16},
    {"pk_live_", 16},
    {"whsec_", 16},
    {"shpat_", 16},
    {"shpca_", 16},
    {"shppa_", 16},
    {"shpss_", 16},
    {"sq0atp-", 16},
    {"sq0csp-", 16},
    {"sq0idp-", 16},
    // Clouds, infrastructure, observability, work tools
    {"dop_v1_", 20},
    {"doo_v1_", 20},
    {"dor_v1_", 20},
    {"dp.pt.", 16},
    {"dp.st.", 16},
    {"dp.ct.", 16},
    {"dp.sa.", 16},
    {"dp.scim.", 16},
    {"dp.audit.", 16},
    {"hvs.", 20},
    {"hvb.", 20},
    {"hvr.", 20},
    {"tskey-", 16},
    {"sbp_", 20},
    {"HRKU-", 16},
    {"fm2_", 20},
    {"pscale_tkn_", 16},
    {"pscale_pw_", 16},
    {"NRAK-", 16},
    {"glsa_", 16},
    {"glc_", 20},
    {"sntrys_", 16},
    {"sntryu_", 16},
    {"phc_", 20},
    {"phx_", 20},
    {"lin_api_", 16},
    {"lin_oauth_", 16},
    {"ntn_", 20},
    {"secret_", 30},
    {"figd_", 16},
    {"PMAK-", 16},
    {"pat-na1-", 16},
    {"pat-eu1-", 16},
    {"CCIPAT_", 16},
    {"GOCSPX-", 16},
    {"ya29.", 20},
    {"AGE-SECRET-KEY-", 30},
    {"ops_", 40},
    {"sl.", 40},
    {"atlasv1.", 30},
    {"duffel_live_", 16},
    {"ddapi_", 20},
    {"bkua_", 20},
    {"rpa_", 20},
    {"vcp_", 20},
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

/// A token from `begin` that is long enough and looks generated; its end is found without bound
/// only once it is going to be replaced, so that no part of the text is walked over twice.
template <class Wanted>
Found generated_token(Scan& scan, std::size_t begin, std::size_t min, Kind kind, Wanted wanted) {
    const std::size_t judged = scan.run(begin, kJudgedLength, wanted);
    if (judged - begin < min) return {};
    if (!looks_generated(scan.text().substr(begin, judged - begin))) return {};
    return Match{begin, scan.run(judged, kUnbounded, wanted), kind};
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
        if (is_alnum(scan.before(begin))) continue;
        const auto wanted = [dotted = prefix.text.back() == '.'](char c) {
            return is_key_char(c) || (dotted && (c == '.' || c == '+' || c == '/'));
        };
        if (auto found = generated_token(scan, rest, prefix.min_rest, Kind::api_key, wanted)) {
            found->begin = begin;
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
