#include "common/redaction/redactor.hpp"

#include "common/redaction/national_id.hpp"
#include "common/redaction/numbers.hpp"
#include "common/redaction/scan.hpp"
#include "common/redaction/tokens.hpp"

namespace evalfleet::redaction {
namespace {

// A replacement can lay bare what stood glued to it; a second round finds that. More than a few
// rounds have no known cause, the bound keeps the work linear.
constexpr int kMaxRounds = 4;

/// Bytes at which a scanner has to look. All others, nearly all of a clean text, are skipped.
constexpr std::array<bool, 256> make_triggers(bool pii) {
    std::array<bool, 256> triggers{};
    for (const unsigned char c : {'-', '_', ':', '=', 'A', 'B', 'b', 'J'})
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
    if (!is_number_start(scan, i)) return previous == '-' && is_upper(scan.before(i, 2));
    // Fewer digits must go on behind a separator, or be the end of a number with letters before.
    if (end - i >= 6) return true;
    const char next = scan.at(end);
    if (next != ' ' && next != '-' && next != '.' && next != '/' && next != ')') return false;
    return is_digit(scan.at(end + 1)) || next == ')';
}

Found find_number(Scan& scan, std::size_t i) {
    const DigitGroups groups = collect_digit_groups(scan, i);
    if (auto found = find_payment_card(scan, groups)) return found;
    if (auto found = find_national_id(scan, groups)) return found;
    return find_phone(scan, groups);
}

Found find_at(Scan& scan, std::size_t i) {
    switch (scan.text()[i]) {
        case '-':
            if (auto found = find_private_key(scan, i)) return found;
            return find_prefixed_key(scan, i);
        case '_':
            return find_prefixed_key(scan, i);
        case ':':
            if (auto found = find_url_password(scan, i)) return found;
            return find_credential(scan, i);
        case '=':
            return find_credential(scan, i);
        case 'A':
            return find_cloud_key(scan, i);
        case 'B':
        case 'b':
            return find_bearer(scan, i);
        case 'J':
            return find_jwt(scan, i);
        case '@':
            return find_email(scan, i);
        default:
            return find_number(scan, i);
    }
}

void replace(Redacted& out, Kind kind) {
    out.text += "[REDACTED:";
    out.text += to_string(kind);
    out.text += ']';
    ++out.counts[static_cast<std::size_t>(kind)];
}

/// True if `span` lies within a replacement made before, which a secret such as "api_key" might.
bool is_inside_replacement(std::string_view text, SecretIndex::Span span) {
    constexpr std::string_view kOpening = "[REDACTED:";
    constexpr std::size_t kLongest = 32;
    const std::size_t from = span.begin > kLongest ? span.begin - kLongest : 0;
    const std::string_view around = text.substr(from, 2 * kLongest);
    const std::size_t opening = around.rfind(kOpening, span.begin - from);
    if (opening == std::string_view::npos) return false;
    const std::size_t closing = around.find(']', opening);
    return closing != std::string_view::npos && span.end <= from + closing + 1;
}

void redact_shapes(std::string_view text, bool pii, Redacted& out) {
    const auto& triggers = pii ? kAllTriggers : kSecretTriggers;
    Scan scan(text);
    for (std::size_t i = 0; i < text.size();) {
        if (!triggers[static_cast<unsigned char>(text[i])]) {
            ++i;
            continue;
        }
        std::size_t next = i + 1;
        if (is_digit(text[i])) {
            next = scan.run(i, text.size(), is_digit);
            if (!may_identify_a_person(scan, i, next)) {
                i = next;
                continue;
            }
        }
        if (const Found found = find_at(scan, i)) {
            out.text += text.substr(scan.floor, found->begin - scan.floor);
            replace(out, found->kind);
            // A match may lie ahead of `i` (a header's value): what is between holds nothing.
            i = scan.floor = found->end;
        } else {
            i = next;
        }
    }
    out.text += text.substr(scan.floor);
    out.steps += scan.steps + text.size();
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& secrets, Options options)
    : secrets_(std::make_shared<const Secrets>(secrets)), options_(options) {}

Redactor Redactor::sharing(std::shared_ptr<const Secrets> secrets, Options options) {
    Redactor redactor({}, options);
    redactor.secrets_ = std::move(secrets);
    return redactor;
}

Redacted Redactor::redact(std::string_view text) const {
    const std::shared_ptr<const SecretIndex> secrets = secrets_->index();
    Redacted out;
    std::string previous;
    for (int round = 0; round < kMaxRounds; ++round) {
        const std::string_view input = round == 0 ? text : std::string_view(previous);
        const Counts before = out.counts;
        out.text.clear();
        out.text.reserve(input.size());
        std::size_t done = 0;
        if (!secrets->empty()) {
            for (const auto span : secrets->find(input)) {
                if (is_inside_replacement(input, span)) continue;
                redact_shapes(input.substr(done, span.begin - done), options_.pii, out);
                replace(out, Kind::secret);
                done = span.end;
            }
            out.steps += input.size();
        }
        redact_shapes(input.substr(done), options_.pii, out);
        if (out.counts == before) break;
        previous = out.text;
    }
    return out;
}

}  // namespace evalfleet::redaction
