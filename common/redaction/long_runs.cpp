#include "common/redaction/long_runs.hpp"

#include "common/redaction/context.hpp"
#include "common/redaction/decoding.hpp"
#include "common/redaction/secret_value.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kMinRun = 11;  // base64 of eight bytes, without padding

constexpr std::array<bool, 256> kRunChars = [] {
    std::array<bool, 256> chars{};
    for (int c = 0; c < 128; ++c) {
        chars[static_cast<std::size_t>(c)] =
            is_key_char(static_cast<char>(c)) || c == '+' || c == '/';
    }
    return chars;
}();

bool is_run_char(char c) {
    return kRunChars[static_cast<unsigned char>(c)];
}

bool is_lower_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_upper_or_digit(char c) {
    return is_upper(c) || is_digit(c);
}

/// A key that begins with letters, without a separator behind them.
struct LetterPrefix {
    std::string_view text;
    bool (*wanted)(char);  ///< of the rest
    std::size_t min;       ///< of the rest
    std::size_t max;
    Kind kind;
};

constexpr std::size_t kAny = 4096;

constexpr LetterPrefix kLetterPrefixes[] = {
    {"AKIA", is_upper_or_digit, 16, 16, Kind::cloud_key},  // AWS access key ids
    {"ASIA", is_upper_or_digit, 16, 16, Kind::cloud_key},
    {"ABIA", is_upper_or_digit, 16, 16, Kind::cloud_key},
    {"ACCA", is_upper_or_digit, 16, 16, Kind::cloud_key},
    {"LTAI", is_alnum, 12, 26, Kind::cloud_key},     // Alibaba Cloud
    {"AKID", is_alnum, 28, 40, Kind::cloud_key},     // Tencent Cloud
    {"AIza", is_key_char, 26, kAny, Kind::api_key},  // Google
    {"dapi", is_lower_hex, 32, 32, Kind::api_key},   // Databricks
    {"AC", is_lower_hex, 32, 32, Kind::api_key},     // Twilio
    {"SK", is_lower_hex, 32, 32, Kind::api_key},
    {"ATATT3", is_key_char, 40, kAny, Kind::api_key},  // Atlassian
    {"ATCTT3", is_key_char, 40, kAny, Kind::api_key},
    {"ATBB", is_alnum, 24, 40, Kind::api_key},          // Bitbucket
    {"EAAA", is_key_char, 40, kAny, Kind::api_key},     // Square
    {"EAAC", is_alnum, 40, kAny, Kind::api_key},        // Facebook
    {"GR1348941", is_key_char, 20, 24, Kind::api_key},  // GitLab, registering runners
    {"APA91b", is_key_char, 100, kAny, Kind::api_key},  // Firebase messaging
    {"cio", is_alnum, 32, 32, Kind::api_key},           // crates.io
    {"cmVmdGtu", is_alnum, 50, 60, Kind::api_key},      // Artifactory
    {"oy2", is_alnum, 43, 43, Kind::api_key},           // NuGet
    {"EZAK", is_alnum, 54, 54, Kind::api_key},          // EasyPost
    {"AKCp", is_alnum, 60, 80, Kind::api_key},          // Artifactory
};

std::optional<Match> letter_key(const Scan& scan, std::size_t begin, std::size_t end) {
    for (const LetterPrefix& known : kLetterPrefixes) {
        if (!scan.starts_with(begin, known.text)) continue;
        const std::size_t rest = begin + known.text.size();
        std::size_t i = rest;
        while (i < end && i - rest <= known.max && known.wanted(scan.at(i)))
            ++i;
        if (i - rest < known.min || i - rest > known.max || is_alnum(scan.at(i))) continue;
        const std::string_view text = scan.text().substr(rest, i - rest);
        // Words have no digits. One of 28 ids of AWS has none either, and no word is like them.
        if (known.wanted != is_upper_or_digit && std::none_of(text.begin(), text.end(), is_digit))
            continue;
        return Match{begin, i, known.kind};
    }
    return std::nullopt;
}

bool is_hex_text(std::string_view text) {
    return std::all_of(text.begin(), text.end(), is_lower_hex);
}

/// Mailchimp: 32 hex digits, "-us", and the number of a data centre.
std::optional<Match> mailchimp_key(const Scan& scan, std::size_t begin, std::size_t end) {
    const std::string_view text = scan.text().substr(begin, end - begin);
    if (text.size() < 36 || text.size() > 38 || text.substr(32, 3) != "-us") return std::nullopt;
    if (!is_hex_text(text.substr(0, 32))) return std::nullopt;
    if (!std::all_of(text.begin() + 35, text.end(), is_digit)) return std::nullopt;
    return Match{begin, end, Kind::api_key};
}

/// Discord: the bot's id in base64, a time of six characters, a signature, with dots between.
std::optional<Match> discord_token(Scan& scan, std::size_t begin, std::size_t end) {
    if (scan.at(end) != '.' || end - begin < 23 || end - begin > 28) return std::nullopt;
    if (std::string_view("MNO").find(scan.at(begin)) == std::string_view::npos) return std::nullopt;
    const std::size_t time = scan.run(end + 1, 7, is_key_char);
    if (time - end - 1 != 6 || scan.at(time) != '.') return std::nullopt;
    const std::size_t last = scan.run(time + 1, 64, is_key_char);
    if (last - time - 1 < 25) return std::nullopt;
    return Match{begin, last, Kind::api_key};
}

/// Airtable: the token's id, "pat" and 14 characters, a dot, and 64 hex digits.
std::optional<Match> airtable_token(Scan& scan, std::size_t begin, std::size_t end) {
    constexpr std::size_t kId = 17;
    constexpr std::size_t kSecret = 64;
    if (scan.at(end) != '.' || end - begin != kId || !scan.starts_with(begin, "pat"))
        return std::nullopt;
    const std::size_t last = scan.run(end + 1, kSecret + 1, is_lower_hex);
    if (last - end - 1 != kSecret || is_alnum(scan.at(last))) return std::nullopt;
    return Match{begin, last, Kind::api_key};
}

/// Azure: client secrets have "Q~" behind three characters and a digit.
std::optional<Match> azure_secret(Scan& scan, std::size_t begin, std::size_t end) {
    if (end - begin < 31 || end - begin > 38 || scan.before(begin) != '~') return std::nullopt;
    if (scan.before(begin, 2) != 'Q' || !is_digit(scan.before(begin, 3))) return std::nullopt;
    const std::size_t start = scan.run_back(begin - 3, 3, [](char c) { return is_key_char(c); });
    return begin - 3 - start == 3 ? std::optional(Match{start, end, Kind::cloud_key})
                                  : std::nullopt;
}

/// Azure's newer keys carry the mark of the service.
std::optional<Match> marked_key(const Scan& scan, std::size_t begin, std::size_t end) {
    const std::string_view text = scan.text().substr(begin, end - begin);
    if (text.size() < 80 || text.size() > 92) return std::nullopt;
    constexpr std::string_view kMarks[] = {"JQQJ99", "+ASt", "AzCa", "+ARm", "AzFu", "AIoT"};
    for (const std::string_view mark : kMarks) {
        if (text.find(mark, 40) != std::string_view::npos)
            return Match{begin, end, Kind::cloud_key};
    }
    return std::nullopt;
}

/// The last words before a secret, in running text.
constexpr std::string_view kSecretLabels[] = {"token",      "secret",     "apikey",     "password",
                                              "passphrase", "credential", "credentials"};
/// Keys are also indexes; these open something.
constexpr std::string_view kKeyLabels[] = {"key"};
constexpr ContextWord kKeyOwners[] = {{"api"},     {"secret"}, {"access"}, {"private"},
                                      {"service"}, {"auth"},   {"admin"},  {"license"}};

/// "the API key you asked for is ...": said a few words before.
constexpr std::string_view kTelling[] = {"is", "was"};
constexpr ContextWord kToldSecrets[] = {{"api key"},      {"access key"},  {"secret key"},
                                        {"access token"}, {"auth token"},  {"bearer token"},
                                        {"password"},     {"private key"}, {"client secret"}};

/// Behind a blank, in quotes or not; `key("...")` is a call.
bool stands_apart(const Scan& scan, std::size_t begin) {
    const char quote = scan.before(begin);
    const char blank =
        quote == '"' || quote == '\'' || quote == '`' ? scan.before(begin, 2) : quote;
    return blank == ' ' || blank == '\t';
}

class RunFinder {
  public:
    RunFinder(Scan& scan, const ContentCheck& holds_secret, std::vector<Match>& found)
        : scan_(scan), holds_secret_(holds_secret), found_(found) {}

    void look_at(std::size_t begin, std::size_t end) {
        scan_.steps += end - begin;
        if (auto match = whole_run(begin, end)) return add(*match);
        if (auto match = key_inside(begin, end)) return add(*match);
    }

  private:
    std::optional<Match> whole_run(std::size_t begin, std::size_t end) {
        if (auto match = mailchimp_key(scan_, begin, end)) return match;
        if (auto match = discord_token(scan_, begin, end)) return match;
        if (auto match = airtable_token(scan_, begin, end)) return match;
        if (auto match = azure_secret(scan_, begin, end)) return match;
        if (auto match = marked_key(scan_, begin, end)) return match;
        if (auto match = encoded(begin, end)) return match;
        return told_key(begin, end);
    }

    /// "the API key is ...", "token ...", `#define SECRET "..."`
    std::optional<Match> told_key(std::size_t begin, std::size_t end) {
        constexpr std::size_t kLeast = 16;
        const std::string_view text = scan_.text().substr(begin, end - begin);
        if (text.size() < kLeast || text.find_first_of("/_") != text.npos || !is_strong(text))
            return std::nullopt;
        const bool told =
            has_label(scan_, begin, kSecretLabels) ||
            (has_label(scan_, begin, kKeyLabels) && has_context(scan_, begin, kKeyOwners)) ||
            (has_label(scan_, begin, kTelling) && has_context(scan_, begin, kToldSecrets));
        if (!told || !stands_apart(scan_, begin)) return std::nullopt;
        return Match{begin, end, Kind::credential};
    }

    std::optional<Match> key_inside(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i + 16 <= end; ++i) {
            if (i != begin && is_alnum(scan_.text()[i - 1])) continue;
            if (auto match = letter_key(scan_, i, end)) return match;
        }
        return std::nullopt;
    }

    std::optional<Match> encoded(std::size_t begin, std::size_t end) {
        const std::string content = decode_run(scan_.text().substr(begin, end - begin));
        constexpr std::size_t kMinContent = 8;
        if (content.size() < kMinContent) return std::nullopt;
        const auto kind = holds_secret_(content);
        if (!kind) return std::nullopt;
        return Match{begin, scan_.run(end, 2, [](char c) { return c == '='; }), *kind};
    }

    void add(const Match& match) {
        if (found_.empty() || found_.back().end <= match.begin) found_.push_back(match);
    }

    Scan& scan_;
    const ContentCheck& holds_secret_;
    std::vector<Match>& found_;
};

}  // namespace

void find_in_long_runs(Scan& scan, const ContentCheck& holds_secret, std::vector<Match>& found) {
    RunFinder finder(scan, holds_secret, found);
    const std::string_view text = scan.text();
    // A run of kMinRun covers one of every kMinRun bytes: the others need no look.
    std::size_t done = 0;
    for (std::size_t i = kMinRun - 1; i < text.size(); i += kMinRun) {
        if (!is_run_char(text[i])) continue;
        std::size_t begin = i;
        while (begin > done && is_run_char(text[begin - 1]))
            --begin;
        std::size_t end = i + 1;
        while (end < text.size() && is_run_char(text[end]))
            ++end;
        if (end - begin >= kMinRun) finder.look_at(begin, end);
        i = done = end;
    }
}

}  // namespace evalfleet::redaction
