#include "common/redaction/numbers.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

struct Country {
    char code[3];
    std::uint8_t size;  ///< of the whole number, without blanks
};

// The IBAN registry, by code.
constexpr Country kCountries[] = {
    {"AD", 24}, {"AE", 23}, {"AL", 28}, {"AT", 20}, {"AZ", 28}, {"BA", 20}, {"BE", 16}, {"BG", 22},
    {"BH", 22}, {"BI", 27}, {"BR", 29}, {"BY", 28}, {"CH", 21}, {"CR", 22}, {"CY", 28}, {"CZ", 24},
    {"DE", 22}, {"DJ", 27}, {"DK", 18}, {"DO", 28}, {"EE", 20}, {"EG", 29}, {"ES", 24}, {"FI", 18},
    {"FK", 18}, {"FO", 18}, {"FR", 27}, {"GB", 22}, {"GE", 22}, {"GI", 23}, {"GL", 18}, {"GR", 27},
    {"GT", 28}, {"HR", 21}, {"HU", 28}, {"IE", 22}, {"IL", 23}, {"IQ", 23}, {"IS", 26}, {"IT", 27},
    {"JO", 30}, {"KW", 30}, {"KZ", 20}, {"LB", 28}, {"LC", 32}, {"LI", 21}, {"LT", 20}, {"LU", 20},
    {"LV", 21}, {"LY", 25}, {"MC", 27}, {"MD", 24}, {"ME", 22}, {"MK", 19}, {"MN", 20}, {"MR", 27},
    {"MT", 31}, {"MU", 30}, {"NI", 28}, {"NL", 18}, {"NO", 15}, {"OM", 23}, {"PK", 24}, {"PL", 28},
    {"PS", 29}, {"PT", 25}, {"QA", 29}, {"RO", 24}, {"RS", 22}, {"RU", 33}, {"SA", 24}, {"SC", 31},
    {"SD", 18}, {"SE", 24}, {"SI", 19}, {"SK", 24}, {"SM", 27}, {"SO", 23}, {"ST", 25}, {"SV", 28},
    {"TL", 23}, {"TN", 24}, {"TR", 26}, {"UA", 29}, {"VA", 22}, {"VG", 24}, {"XK", 20}, {"YE", 30},
};

constexpr char to_upper(char c) {
    return is_lower(c) ? static_cast<char>(c - 32) : c;
}

std::size_t size_for(char first, char second) {
    const auto found =
        std::find_if(std::begin(kCountries), std::end(kCountries), [&](const Country& country) {
            return country.code[0] == to_upper(first) && country.code[1] == to_upper(second);
        });
    return found == std::end(kCountries) ? 0 : found->size;
}

bool has_checksum(std::string_view number) {
    unsigned remainder = 0;
    for (std::size_t i = 0; i < number.size(); ++i) {
        const char c = to_upper(number[(i + 4) % number.size()]);
        remainder = is_digit(c) ? remainder * 10 + static_cast<unsigned>(c - '0')
                                : remainder * 100 + static_cast<unsigned>(c - 'A') + 10;
        remainder %= 97;
    }
    return remainder == 1;
}

}  // namespace

Found find_iban(Scan& scan, std::size_t i) {
    if (!is_letter(scan.before(i)) || !is_letter(scan.before(i, 2))) return {};
    const std::size_t begin = i - 2;
    const bool named = scan.ends_with(begin, "IBAN") || scan.ends_with(begin, "iban");
    if ((is_alnum(scan.before(begin)) && !named) || !is_digit(scan.at(i + 1))) return {};
    const std::size_t size = size_for(scan.at(begin), scan.at(begin + 1));
    if (size == 0) return {};
    std::array<char, 34> number{};
    std::size_t count = 0;
    std::size_t end = begin;
    for (; count < size; ++end) {
        ++scan.steps;
        const char c = scan.at(end);
        if (is_alnum(c)) {
            number[count++] = c;
        } else if ((c != ' ' && c != '-') || count % 4 != 0) {
            return {};
        }
    }
    if (is_alnum(scan.at(end)) || !has_checksum({number.data(), count})) return {};
    return Match{begin, end, Kind::iban};
}

}  // namespace evalfleet::redaction
