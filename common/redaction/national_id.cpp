#include "common/redaction/national_id.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

int to_int(std::string_view digits) {
    int number = 0;
    for (const char c : digits)
        number = number * 10 + (c - '0');
    return number;
}

Found id(std::size_t begin, std::size_t end) {
    return Match{begin, end, Kind::national_id};
}

Found us_ssn(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({3, 2, 4}) || !groups.separated_by("- ", 3)) return {};
    const std::string digits = groups.digits(scan, 3);
    const int area = to_int(digits.substr(0, 3));
    if (area == 0 || area == 666 || area >= 900) return {};
    if (digits.substr(3, 2) == "00" || digits.substr(5) == "0000") return {};
    if (!is_number_end(scan, groups[2].end)) return {};
    return id(groups.begin(), groups[2].end);
}

bool is_nino_prefix(char first, char second) {
    const auto in = [](std::string_view set, char c) {
        return set.find(c) != std::string_view::npos;
    };
    if (!is_upper(first) || !is_upper(second)) return false;
    if (in("DFIQUV", first) || in("DFIOQUV", second)) return false;
    constexpr std::string_view kNever[] = {"BG", "GB", "KN", "NK", "NT", "TN", "ZZ"};
    const char prefix[] = {first, second};
    return std::find(std::begin(kNever), std::end(kNever), std::string_view(prefix, 2)) ==
           std::end(kNever);
}

Found gb_nino(const Scan& scan, const DigitGroups& groups) {
    const bool spaced = groups.shaped({2, 2, 2}) && groups.separated_by(" ", 3);
    if (!spaced && !groups.shaped({6})) return {};
    const std::size_t gap = scan.before(groups.begin()) == ' ' ? 1 : 0;
    const std::size_t letters = groups.begin() - std::min(groups.begin(), gap);
    if (!is_nino_prefix(scan.before(letters, 2), scan.before(letters))) return {};
    if (is_alnum(scan.before(letters, 3))) return {};
    std::size_t suffix = groups[spaced ? 2 : 0].end;
    if (scan.at(suffix) == ' ') ++suffix;
    if (scan.at(suffix) < 'A' || scan.at(suffix) > 'D' || is_alnum(scan.at(suffix + 1))) return {};
    return id(letters - 2, suffix + 1);
}

/// Spanish DNI and NIE: the letter behind the digits is their remainder by 23.
Found es_dni(const Scan& scan, const DigitGroups& groups) {
    constexpr std::string_view kLetters = "TRWAGMYFPDXBNJZSQVHLCKE";
    const std::string digits = groups.digits(scan, 1);
    std::size_t begin = groups.begin();
    int number = 0;
    if (digits.size() == 8) {
        number = to_int(digits);
    } else if (digits.size() == 7) {
        if (scan.before(begin) == '-') --begin;
        const char series = scan.before(begin);
        if (series < 'X' || series > 'Z') return {};
        --begin;
        number = (series - 'X') * 10000000 + to_int(digits);
    } else {
        return {};
    }
    if (!is_number_start(scan, begin)) return {};
    std::size_t letter = groups[0].end;
    if (scan.at(letter) == '-') ++letter;
    if (scan.at(letter) != kLetters[static_cast<std::size_t>(number % 23)]) return {};
    if (is_alnum(scan.at(letter + 1))) return {};
    return id(begin, letter + 1);
}

/// The number of leading groups, separated by single spaces, that hold `total` digits; 0 if none.
std::size_t groups_holding(const DigitGroups& groups, std::size_t total) {
    for (std::size_t n = 1; n <= groups.count && groups.separated_by(" ", n); ++n) {
        if (groups.digit_count(n) == total) return n;
    }
    return 0;
}

Found fr_nir(const Scan& scan, const DigitGroups& groups) {
    const std::size_t n = groups_holding(groups, 15);
    if (n == 0 || !is_number_end(scan, groups[n - 1].end)) return {};
    const std::string digits = groups.digits(scan, n);
    const int month = to_int(digits.substr(3, 2));
    if ((digits[0] != '1' && digits[0] != '2') || month == 0 || (month > 12 && month < 20))
        return {};
    std::uint64_t number = 0;
    for (const char c : digits.substr(0, 13))
        number = number * 10 + static_cast<unsigned>(c - '0');
    if (97 - number % 97 != static_cast<unsigned>(to_int(digits.substr(13)))) return {};
    return id(groups.begin(), groups[n - 1].end);
}

bool is_german_tax_id(std::string_view digits) {
    if (digits[0] == '0') return false;
    std::array<int, 10> times{};
    for (const char c : digits.substr(0, 10))
        ++times[static_cast<std::size_t>(c - '0')];
    const auto repeated = std::count_if(times.begin(), times.end(), [](int t) { return t > 1; });
    if (repeated != 1 || *std::max_element(times.begin(), times.end()) > 3) return false;
    int product = 10;
    for (const char c : digits.substr(0, 10)) {
        int sum = (c - '0' + product) % 10;
        if (sum == 0) sum = 10;
        product = sum * 2 % 11;
    }
    return (11 - product) % 10 == digits[10] - '0';
}

Found de_tax_id(const Scan& scan, const DigitGroups& groups) {
    const std::size_t n = groups_holding(groups, 11);
    if (n != 1 && !(n == 4 && groups.shaped({2, 3, 3, 3}))) return {};
    if (!is_number_end(scan, groups[n - 1].end)) return {};
    if (!is_german_tax_id(groups.digits(scan, n))) return {};
    return id(groups.begin(), groups[n - 1].end);
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

/// Italian codice fiscale, at its first digits: six letters before them, nine characters behind.
Found it_codice_fiscale(const Scan& scan, const DigitGroups& groups) {
    if (groups[0].size() != 2 || groups.begin() < scan.floor + 6) return {};
    const std::size_t begin = groups.begin() - 6;
    const std::string_view code = scan.text().substr(begin, 16);
    constexpr std::string_view kShape = "AAAAAA00A00A000A";
    if (code.size() != kShape.size() || is_alnum(scan.before(begin))) return {};
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (kShape[i] == 'A' ? !is_upper(code[i]) : !is_digit(code[i])) return {};
    }
    if (is_alnum(scan.at(begin + 16)) || !has_fiscal_check_letter(code)) return {};
    return id(begin, begin + 16);
}

Found br_cpf(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({3, 3, 3, 2}) || groups[1].separator != "." || groups[2].separator != "." ||
        groups[3].separator != "-" || !is_number_end(scan, groups[3].end)) {
        return {};
    }
    const std::string digits = groups.digits(scan, 4);
    for (std::size_t n = 9; n <= 10; ++n) {
        int sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            sum += (digits[i] - '0') * static_cast<int>(n + 1 - i);
        if (sum * 10 % 11 % 10 != digits[n] - '0') return {};
    }
    return id(groups.begin(), groups[3].end);
}

}  // namespace

Found find_national_id(Scan& scan, const DigitGroups& groups) {
    if (groups.count == 0) return {};
    for (const auto find : {gb_nino, es_dni, it_codice_fiscale}) {
        if (auto found = find(scan, groups)) return found;
    }
    if (!is_number_start(scan, groups.begin())) return {};
    for (const auto find : {us_ssn, fr_nir, de_tax_id, br_cpf}) {
        if (auto found = find(scan, groups)) return found;
    }
    return {};
}

}  // namespace evalfleet::redaction
