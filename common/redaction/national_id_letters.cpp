#include "common/redaction/national_id.hpp"

namespace evalfleet::redaction {
namespace {

/// Capitals and digits in the places where `shape` has 'A' and '0', around the digits at `i`, which
/// are the ones at `offset` of the shape; empty if they are not there or go on.
std::string_view shaped_text(const Scan& scan, std::size_t i, std::string_view shape,
                             std::size_t offset) {
    if (i < scan.floor + offset) return {};
    const std::size_t begin = i - offset;
    const std::string_view text = scan.text().substr(begin, shape.size());
    if (text.size() != shape.size() || is_alnum(scan.before(begin))) return {};
    if (is_alnum(scan.at(begin + shape.size()))) return {};
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] == 'A' ? !is_upper(text[k]) : !is_digit(text[k])) return {};
    }
    return text;
}

bool has_fiscal_check_letter(std::string_view code) {
    constexpr int kOdd[] = {1,  0,  5, 7, 9, 13, 15, 17, 19, 21, 2,  4,  18,
                            20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23};
    int sum = 0;
    for (std::size_t i = 0; i < 15; ++i) {
        const int value = is_digit(code[i]) ? code[i] - '0' : code[i] - 'A';
        sum += i % 2 == 0 ? kOdd[value] : value;
    }
    return code[15] == 'A' + sum % 26;
}

/// Singapore: S1234567D. The check letter depends on the series.
bool has_nric_check_letter(std::string_view code) {
    static constexpr int kWeights[] = {2, 7, 6, 5, 4, 3, 2};
    int sum = code[0] == 'T' || code[0] == 'G' ? 4 : code[0] == 'M' ? 3 : 0;
    for (std::size_t i = 0; i < 7; ++i)
        sum += (code[i + 1] - '0') * kWeights[i];
    const auto rest = static_cast<std::size_t>(sum % 11);
    if (code[0] == 'S' || code[0] == 'T') return code[8] == std::string_view("JZIHGFEDCBA")[rest];
    if (code[0] == 'F' || code[0] == 'G') return code[8] == std::string_view("XWUTRQPNMLK")[rest];
    return code[0] == 'M' && code[8] == std::string_view("KLJNPQRTUWX")[rest];
}

/// India's income tax: the fourth letter is the kind of holder.
bool is_indian_pan(std::string_view code) {
    return std::string_view("PCHFATBLJG").find(code[3]) != std::string_view::npos;
}

/// Mexico: sex, and month and day of birth.
bool is_curp(std::string_view code) {
    const int month = (code[6] - '0') * 10 + (code[7] - '0');
    return (code[10] == 'H' || code[10] == 'M') && month >= 1 && month <= 12;
}

struct Shape {
    std::string_view shape;
    std::size_t digits_at;
    bool (*check)(std::string_view);
};

constexpr Shape kShapes[] = {
    {"AAAAAA00A00A000A", 6, has_fiscal_check_letter},
    {"A0000000A", 1, has_nric_check_letter},
    {"AAAAA0000A", 5, is_indian_pan},
    {"AAAA000000AAAAAA00", 4, is_curp},
    {"AAAA000000AAAAAAA0", 4, is_curp},
};

}  // namespace

Found find_lettered_id(Scan& scan, const DigitGroups& groups) {
    if (!is_upper(scan.before(groups.begin()))) return {};
    for (const Shape& known : kShapes) {
        const auto text = shaped_text(scan, groups.begin(), known.shape, known.digits_at);
        if (text.empty() || !known.check(text)) continue;
        const std::size_t begin = groups.begin() - known.digits_at;
        return Match{begin, begin + known.shape.size(), Kind::national_id};
    }
    return {};
}

}  // namespace evalfleet::redaction
