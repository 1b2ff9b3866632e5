#include "common/redaction/finder.hpp"

#include "common/redaction/assignment.hpp"
#include "common/redaction/decoding.hpp"
#include "common/redaction/long_runs.hpp"
#include "common/redaction/national_id.hpp"
#include "common/redaction/numbers.hpp"
#include "common/redaction/secret_value.hpp"
#include "common/redaction/tokens.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

constexpr int kMaxDepth = 2;  // base64 within base64 is looked into, a third one is not

// Escapes within escapes: a JSON text in a JSON text, a URL in a URL's query, and one more.
constexpr std::size_t kMaxEscapeDepth = 3;

/// Bytes at which a scanner has to look. All others, nearly all of a clean text, are skipped.
constexpr std::array<bool, 256> make_triggers(bool pii) {
    std::array<bool, 256> triggers{};
    for (const unsigned char c :
         {'-', '_', '.', ':', '=', '>', '/', '[', ',', '|', 'B', 'b', 'J', 'w', 'W'})
        triggers[c] = true;
    if (pii) {
        for (unsigned char c = '0'; c <= '9'; ++c)
            triggers[c] = true;
        triggers['@'] = true;
    }
    return triggers;
}

constexpr std::array<bool, 256> kSecretTriggers = make_triggers(false);
constexpr std::array<bool, 256> kAllTriggers = make_triggers(true);

/// Most digits of a text belong to plain numbers; this tells them by a look at their neighbours.
bool may_identify_a_person(const Scan& scan, std::size_t i, std::size_t end) {
    const char previous = scan.before(i);
    if (previous == '+' || previous == '(' || is_upper(previous)) return true;
    if (is_lower(previous)) {  // perhaps card4111111111111111, or an IBAN
        if (end - i >= 13) return true;
        return end - i >= 2 && is_letter(scan.before(i, 2)) && !is_alnum(scan.before(i, 3));
    }
    if (!is_number_start(scan, i) && previous != '/' && previous != ':')
        return previous == '-' && is_upper(scan.before(i, 2));
    // Fewer digits must go on behind a separator, or be the end of a number with letters before.
    if (end - i >= 6) return true;
    const char next = scan.at(end);
    if (next != ' ' && next != '-' && next != '.' && next != '/' && next != ')') return false;
    return is_digit(scan.at(end + 1)) || next == ')' || scan.at(end + 1) == '(';
}

Found find_number(Scan& scan, std::size_t i, bool ip_addresses) {
    if (is_letter(scan.before(i))) {
        if (auto found = find_iban(scan, i)) return found;
    }
    const DigitGroups groups = collect_digit_groups(scan, i);
    // Without letters before them, fewer digits are nobody's, unless they are an address.
    const bool bare = !is_letter(scan.before(i)) && scan.before(i) != '-';
    if (bare && groups.count < 4 && groups.digit_count(groups.count) < 6) return {};
    if (ip_addresses) {
        if (auto found = find_ipv4(scan, groups)) return found;
    }
    if (auto found = find_payment_card(scan, groups)) return found;
    if (auto found = find_national_id(scan, groups)) return found;
    return find_phone(scan, groups);
}

Found find_at_colon(Scan& scan, std::size_t i, const Options& options) {
    if (auto found = find_url_password(scan, i)) return found;
    if (auto found = find_bot_token(scan, i)) return found;
    if (options.pii && options.ip_addresses) {
        if (auto found = find_ipv6(scan, i)) return found;
    }
    return find_assigned(scan, i);
}

Found find_at_dash(Scan& scan, std::size_t i) {
    if (auto found = find_private_key(scan, i)) return found;
    if (auto found = find_prefixed_key(scan, i)) return found;
    if (auto found = find_flag(scan, i)) return found;
    return find_short_flag(scan, i);
}

Found find_at(Scan& scan, std::size_t i, const Options& options) {
    switch (scan.text()[i]) {
        case '-':
            return find_at_dash(scan, i);
        case '_':
        case '.':
            return find_prefixed_key(scan, i);
        case ':':
            return find_at_colon(scan, i, options);
        case '=':
            return find_assigned(scan, i);
        case ',':
            return find_listed(scan, i);
        case '>':
            return scan.before(i) == '-' ? find_arrow(scan, i) : find_element(scan, i);
        case '|':
            return find_cell(scan, i);
        case '/':
            return find_webhook(scan, i);
        case 'B':
        case 'b':
            if (auto found = find_identified_by(scan, i)) return found;
            return find_auth_scheme(scan, i);
        case 'J':
            return find_jwt(scan, i);
        case 'w':
        case 'W':
            return to_lower(scan.before(i)) == 's' ? find_told_password(scan, i) : Found();
        case '@':
            return find_email(scan, i);
        default:
            return find_number(scan, i, options.ip_addresses);
    }
}

/// True if `span` lies within a replacement made before, which a secret such as "api_key" might.
bool is_inside_replacement(std::string_view text, SecretIndex::Span span) {
    constexpr std::size_t kLongest = 48;
    const std::size_t from = span.begin > kLongest ? span.begin - kLongest : 0;
    const std::size_t opening =
        text.substr(from, 2 * kLongest).rfind(kReplacementBegin, span.begin - from);
    if (opening == std::string_view::npos) return false;
    const std::size_t size = replacement_size(text.substr(from + opening));
    return span.end <= from + opening + size;
}

/// Goes over one text and joins what the scanners find with what was found in its long runs.
class ShapeScan {
  public:
    ShapeScan(Scan& scan, const Options& options, const std::vector<Match>& in_runs)
        : scan_(scan), options_(options), in_runs_(in_runs) {}

    void run(std::size_t offset, std::vector<Match>& found) {
        const auto& triggers = options_.pii ? kAllTriggers : kSecretTriggers;
        const std::string_view text = scan_.text();
        for (std::size_t i = 0; i < text.size();) {
            if (next_run_ < in_runs_.size() && i >= in_runs_[next_run_].begin) {
                i = accept(in_runs_[next_run_], offset, found);
            } else if (!triggers[static_cast<unsigned char>(text[i])]) {
                ++i;
            } else {
                i = look_at(i, offset, found);
            }
        }
    }

  private:
    std::size_t look_at(std::size_t i, std::size_t offset, std::vector<Match>& found) {
        const std::string_view text = scan_.text();
        std::size_t next = i + 1;
        if (text[i] == ',' && !is_quote(scan_.before(i))) return next;
        if (text[i] == '[') {
            if (const std::size_t size = replacement_size(text.substr(i)); size != 0)
                next = scan_.floor = i + size;
            return next;
        }
        if (is_digit(text[i])) {
            next = scan_.run(i, text.size(), is_digit);
            if (!may_identify_a_person(scan_, i, next)) return next;
        }
        if (const Found match = find_at(scan_, i, options_)) return accept(*match, offset, found);
        return next;
    }

    /// What begins before its end belongs to it.
    std::size_t accept(Match match, std::size_t offset, std::vector<Match>& found) {
        for (; next_run_ < in_runs_.size() && in_runs_[next_run_].begin < match.end; ++next_run_) {
            const Match& other = in_runs_[next_run_];
            if (other.end <= match.begin)
                found.push_back({other.begin + offset, other.end + offset, other.kind});
            else
                match.end = std::max(match.end, other.end);
        }
        scan_.floor = match.end;
        found.push_back({match.begin + offset, match.end + offset, match.kind});
        return match.end;
    }

    Scan& scan_;
    const Options& options_;
    const std::vector<Match>& in_runs_;
    std::size_t next_run_ = 0;
};

}  // namespace

std::size_t replacement_size(std::string_view text) noexcept {
    if (!text.starts_with(kReplacementBegin)) return 0;
    for (std::size_t i = 0; i < kKindCount; ++i) {
        const std::string_view name = to_string(static_cast<Kind>(i));
        const std::string_view rest = text.substr(kReplacementBegin.size());
        if (!rest.starts_with(name)) continue;
        const std::size_t end = kReplacementBegin.size() + name.size();
        if (text.substr(end).starts_with(']')) return end + 1;
        const std::string_view digest = text.substr(end, kDigestSize + 2);
        if (digest.size() != kDigestSize + 2 || digest[0] != ':' || !digest.ends_with(']'))
            continue;
        const std::string_view hex = digest.substr(1, kDigestSize);
        if (std::all_of(hex.begin(), hex.end(),
                        [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }))
            return end + digest.size();
    }
    return 0;
}

std::vector<Match> Finder::find(std::string_view text, int depth) {
    std::vector<Match> found;
    std::size_t done = 0;
    if (!secrets_.empty()) {
        for (const auto span : secrets_.find(text)) {
            if (is_inside_replacement(text, span)) continue;
            find_shapes(text.substr(done, span.begin - done), done, depth, found);
            found.push_back({span.begin, span.end, Kind::secret});
            done = span.end;
        }
        steps_ += text.size();
    }
    find_shapes(text.substr(done), done, depth, found);
    return found;
}

std::vector<Match> Finder::find_escaped(std::string_view text, int depth) {
    std::array<Decoding, kMaxEscapeDepth> layers;
    std::string_view outer = text;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (!layers[i].decode(outer)) return {};
        outer = layers[i].text();
        std::vector<Match> found = find(outer, depth);
        if (found.empty()) continue;
        for (Match& match : found) {
            for (std::size_t layer = i + 1; layer-- > 0;) {
                match.begin = layers[layer].origin(match.begin);
                match.end = layers[layer].origin(match.end);
            }
        }
        return found;
    }
    return {};
}

std::vector<Match> Finder::find_in_layers(std::string_view text) {
    std::vector<Match> found = find(text);
    const std::vector<Match> escaped = find_escaped(text);
    if (escaped.empty()) return found;
    const auto middle = found.insert(found.end(), escaped.begin(), escaped.end());
    std::inplace_merge(found.begin(), middle, found.end(),
                       [](const Match& a, const Match& b) { return a.begin < b.begin; });
    std::vector<Match> joined;
    for (const Match& match : found) {
        if (joined.empty() || joined.back().end <= match.begin)
            joined.push_back(match);
        else
            joined.back().end = std::max(joined.back().end, match.end);
    }
    return joined;
}

void Finder::find_shapes(std::string_view text, std::size_t offset, int depth,
                         std::vector<Match>& found) {
    Scan scan(text);
    std::vector<Match> in_runs;
    find_in_long_runs(
        scan, [&](std::string_view content) { return first_kind(content, depth + 1); }, in_runs);
    ShapeScan(scan, options_, in_runs).run(offset, found);
    steps_ += scan.steps + text.size();
}

std::optional<Kind> Finder::first_kind(std::string_view content, int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    std::vector<Match> found = find(content, depth);
    if (found.empty()) found = find_escaped(content, depth);
    return found.empty() ? std::nullopt : std::optional(found.front().kind);
}

}  // namespace evalfleet::redaction
