#include "common/redaction/context.hpp"
#include "common/redaction/numbers.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

constexpr ContextWord kPhoneWords[] = {
    {"phone"},       {"mobil"},      {"telefon"},    {"whatsapp"},    {"fax", true}, {"tel", true},
    {"cell", true},  {"call", true}, {"calling"},    {"sms", true},   {"mob", true}, {"dial", true},
    {"handy", true}, {"ph", true},   {"text", true}, {"reach", true}, {"contact"},   {"ring", true},
    {"msisdn"},      {"landline"},   {"hotline"},    {"tlf", true},   {"helpline"},  {"voicemail"},
    {"teléfono"},    {"téléphone"},  {"móvil"},      {"cellulare"},   {"celular"},   {"gsm", true},
    {"rufnummer"},   {"portable"},   {"numéro"},     {"número"},      {"电话"},      {"手机"},
    {"電話"},        {"携帯"},       {"전화"},       {"телефон"},     {"telephone"}, {"puhelin"}};
constexpr ContextWord kPhoneWordsBehind[] = {{"(mobile"},  {"(cell"},     {"(phone"},   {"(home"},
                                             {"(work"},    {"(tel"},      {"(fax"},     {"my cell"},
                                             {"my phone"}, {"my mobile"}, {"my number"}};
/// What else is written in groups of digits.
constexpr std::string_view kOtherLabels[] = {
    "order",   "ord",  "sku",  "item",   "part",     "invoice", "inv",     "ticket",
    "serial",  "ref",  "isbn", "issn",   "model",    "account", "job",     "batch",
    "lot",     "case", "code", "doi",    "tracking", "article", "product", "reference",
    "catalog", "page", "row",  "patent", "nsn",      "id",      "lccn",    "oclc",
    "ean",     "gtin", "upc",  "asin",   "bug"};
constexpr ContextWord kOtherWords[] = {{"model"},  {"order"},    {"price"},  {"invoice"},
                                       {"ticket"}, {"tracking"}, {"isbn"},   {"id", true},
                                       {"sku"},    {"serial"},   {"account"}};

/// How many of the groups to take: on, until `enough` digits are read and a space follows.
std::size_t take_groups(const DigitGroups& groups, std::size_t enough, std::size_t max) {
    std::size_t total = 0;
    std::size_t n = 0;
    for (; n < groups.count; ++n) {
        if (total >= enough && groups[n].separator == " ") break;
        if (total + groups[n].size() > max) break;
        total += groups[n].size();
    }
    return n;
}

/// Behind " ext. 12", " x12", "#12": the end of the extension; else `end`.
std::size_t skip_extension(Scan& scan, std::size_t end) {
    std::size_t i = scan.run(end, 2, [](char c) { return c == ' ' || c == ','; });
    const std::size_t word = i;
    i = scan.run(i, 9, [](char c) { return is_letter(c) || c == '.' || c == '#'; });
    std::string name;
    for (const char c : scan.text().substr(word, i - word))
        name += to_lower(c);
    constexpr std::string_view kNames[] = {"x", "ext", "ext.", "extension", "#", "x."};
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) return end;
    i = scan.run(i, 1, [](char c) { return c == ' '; });
    const std::size_t digits = scan.run(i, 7, is_digit);
    return digits == i || digits - i > 6 || is_alnum(scan.at(digits)) ? end : digits;
}

/// True if `end` is the end of a number, or an extension stands there.
std::optional<std::size_t> end_of_phone(Scan& scan, std::size_t end) {
    const std::size_t with_extension = skip_extension(scan, end);
    if (with_extension != end) return with_extension;
    if (!is_number_end(scan, end)) return std::nullopt;
    return end;
}

Found phone_if(Scan& scan, const DigitGroups& groups, std::size_t begin, std::size_t n,
               std::size_t min_digits) {
    if (n == 0 || groups.digit_count(n) < min_digits) return {};
    const auto end = end_of_phone(scan, groups[n - 1].end);
    if (!end) return {};
    return Match{begin, *end, Kind::phone};
}

/// +44 20 7946 0958, +1 (555) 123-4567, +15551234567
Found international(Scan& scan, const DigitGroups& groups) {
    const std::size_t begin = groups.begin() - 1;
    const char previous = scan.before(begin);
    if (is_alnum(previous) || previous == ')' || scan.at(groups.begin()) == '0') return {};
    return phone_if(scan, groups, begin, take_groups(groups, 11, 15), 8);
}

/// (555) 123-4567, (020) 7946 0958
Found parenthesised(Scan& scan, const DigitGroups& groups) {
    const std::size_t begin = groups.begin() - 1;
    if (groups.count < 2 || !groups[1].separator.starts_with(')')) return {};
    if (groups[0].size() < 2 || groups[0].size() > 5 || is_alnum(scan.before(begin))) return {};
    return phone_if(scan, groups, begin, take_groups(groups, 10, 12), 9);
}

/// 555-123-4567, 1-555-123-4567
Found north_american(Scan& scan, const DigitGroups& groups) {
    const bool with_one = groups.shaped({1, 3, 3, 4}) && scan.at(groups.begin()) == '1';
    if (!with_one && !groups.shaped({3, 3, 4})) return {};
    const std::size_t n = with_one ? 4 : 3;
    if (!groups.separated_by("-. ", n)) return {};
    const char area = scan.at(groups[with_one ? 1 : 0].begin);
    if (area < '2' || has_label(scan, groups.begin(), kOtherLabels)) return {};
    if (is_in_row(scan, groups, n)) return {};
    return phone_if(scan, groups, groups.begin(), n, 10);
}

/// The same separator everywhere, or another one behind the area code: 070-123 45 67.
bool is_written_in_groups(const DigitGroups& groups, std::size_t n, bool foreign) {
    if (groups.separated_by(foreign ? " -" : " -/.", n)) return true;
    if (groups[1].separator != "-" && groups[1].separator != "/") return false;
    for (std::size_t i = 2; i < n; ++i) {
        if (groups[i].separator != " ") return false;
    }
    return true;
}

/// 138 1234 5678, as in China.
Found chinese_mobile(Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({3, 4, 4}) || !groups.separated_by(" -", 3)) return {};
    if (scan.at(groups.begin()) != '1' || scan.at(groups.begin() + 1) < '3') return {};
    if (is_in_row(scan, groups, 3)) return {};
    return phone_if(scan, groups, groups.begin(), 3, 11);
}

/// 020 7946 0958, 0151/23456789, 06 12 34 56 78, 0044 20 7946 0958
Found with_trunk_zero(Scan& scan, const DigitGroups& groups) {
    if (groups.count < 2 || groups[0].size() < 2 || groups[0].size() > 6) return {};
    if (scan.at(groups.begin()) != '0') return {};
    const bool foreign = scan.at(groups.begin() + 1) == '0';
    if (foreign && (groups[0].size() < 3 || scan.at(groups.begin() + 2) == '0')) return {};
    const std::size_t n = foreign ? take_groups(groups, 11, 15) : take_groups(groups, 10, 12);
    if (n < 2 || !is_written_in_groups(groups, n, foreign)) return {};
    if (is_in_row(scan, groups, n)) return {};
    if (has_label(scan, groups.begin(), kOtherLabels)) return {};
    // A ZIP code: MA 02110-1301
    if (n == 2 && groups.shaped({5, 4}) && groups[1].separator == "-") return {};
    if (groups[1].separator == "." && !groups.shaped({2, 2, 2, 2, 2})) return {};
    return phone_if(scan, groups, groups.begin(), n, 9);
}

/// The digits of a book: ISBN-10 begins like many mobile numbers.
bool is_isbn10(std::string_view digits) {
    int sum = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
        sum += (digits[i] - '0') * static_cast<int>(10 - i);
    return digits.size() == 10 && sum % 11 == 0;
}

/// EAN and GTIN: an article's number begins with 00 now and then.
bool is_article(std::string_view digits) {
    int sum = 0;
    int weight = 1;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, weight = 4 - weight)
        sum += (*digit - '0') * weight;
    return digits.size() >= 12 && sum % 10 == 0;
}

/// 07911123456, 0612345678, 015123456789, 004915112345678: with the zero before the area, as most
/// countries write mobile numbers, or with 00 and a country before it.
Found bare_number(Scan& scan, const DigitGroups& groups) {
    const std::string_view digits = scan.text().substr(groups.begin(), groups[0].size());
    if (digits.size() < 10 || digits[0] != '0') return {};
    const auto begins = [&](std::string_view prefix) { return digits.starts_with(prefix); };
    const bool national =
        digits[1] != '0' &&
        ((digits.size() == 10 && digits[1] >= '3' && !is_isbn10(digits)) || digits.size() == 11);
    const bool german = digits.size() == 12 && (begins("015") || begins("016") || begins("017"));
    const bool foreign = digits.size() >= 12 && digits.size() <= 15 && begins("00") &&
                         digits[2] != '0' && !is_article(digits);
    if (!national && !german && !foreign) return {};
    // A field among others: arn:aws:iam::016058455345:role
    if (scan.before(groups.begin()) == ':' && scan.at(groups[0].end) == ':') return {};
    if (has_context(scan, groups.begin(), kOtherWords)) return {};
    if (has_label(scan, groups.begin(), kOtherLabels)) return {};
    return phone_if(scan, groups, groups.begin(), 1, 10);
}

/// Any grouping of 7 to 15 digits behind "phone", "call", "tel:" and the like.
Found behind_word(Scan& scan, const DigitGroups& groups, std::size_t begin) {
    const bool told = has_context(scan, begin, kPhoneWords);
    if (told && has_context(scan, begin, kOtherWords)) return {};
    std::size_t n = 1;
    while (n < groups.count && groups[n].separator.size() <= 2 && groups.digit_count(n + 1) <= 15)
        ++n;
    for (; n > 0; --n) {
        if (!told && !has_context_behind(scan, groups[n - 1].end, kPhoneWordsBehind)) continue;
        if (n == 2 && groups[1].separator == ".") continue;  // a decimal number
        if (auto found = phone_if(scan, groups, begin, n, 7)) return found;
    }
    return {};
}

}  // namespace

Found find_phone(Scan& scan, const DigitGroups& groups) {
    if (groups.count == 0) return {};
    const char previous = scan.before(groups.begin());
    if (previous == '+') return international(scan, groups);
    if (previous == '(') {
        if (auto found = parenthesised(scan, groups)) return found;
        if (auto found = behind_word(scan, groups, groups.begin() - 1)) return found;
    }
    if (!is_number_start(scan, groups.begin())) return {};
    if (auto found = north_american(scan, groups)) return found;
    if (auto found = with_trunk_zero(scan, groups)) return found;
    if (auto found = chinese_mobile(scan, groups)) return found;
    if (auto found = bare_number(scan, groups)) return found;
    if (groups.digit_count(groups.count) < 7) return {};
    return behind_word(scan, groups, groups.begin());
}

}  // namespace evalfleet::redaction
