#include "common/redaction/check_digits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace evalfleet::redaction {
namespace {

int value(char digit) {
    return digit - '0';
}

int number(std::string_view digits) {
    int all = 0;
    for (const char c : digits)
        all = all * 10 + value(c);
    return all;
}

}  // namespace

bool passes_luhn(std::string_view digits) {
    int sum = 0;
    bool twice = false;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
        int part = value(*digit);
        if (twice) part = part > 4 ? 2 * part - 9 : 2 * part;
        sum += part;
        twice = !twice;
    }
    return sum % 10 == 0;
}

bool passes_verhoeff(std::string_view digits) {
    // The dihedral group of order ten, and a permutation applied once for each place.
    static constexpr int kPermutation[] = {1, 5, 7, 6, 2, 8, 3, 0, 9, 4};
    const auto product = [](int a, int b) {
        const int low = a % 5;
        if (a < 5) return b < 5 ? (low + b) % 5 : (low + b - 5) % 5 + 5;
        return b < 5 ? (low + 5 - b) % 5 + 5 : (low + 10 - b) % 5;
    };
    int check = 0;
    std::size_t place = 0;
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, ++place) {
        int part = value(*digit);
        for (std::size_t i = 0; i < place % 8; ++i)
            part = kPermutation[part];
        check = product(check, part);
    }
    return check == 0;
}

bool passes_weights(std::string_view digits, std::string_view weights, int modulus) {
    int sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
        sum += value(digits[i]) * value(weights[i]);
    return sum % modulus == 0;
}

bool is_month_and_day(std::string_view mmdd) {
    const int month = number(mmdd.substr(0, 2));
    const int day = number(mmdd.substr(2, 2));
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

bool is_brazilian_cpf(std::string_view digits) {
    if (digits.find_first_not_of(digits[0]) == std::string_view::npos) return false;
    for (std::size_t n = 9; n <= 10; ++n) {
        int sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            sum += value(digits[i]) * static_cast<int>(n + 1 - i);
        if (sum * 10 % 11 % 10 != value(digits[n])) return false;
    }
    return true;
}

bool is_german_tax_id(std::string_view digits) {
    if (digits[0] == '0') return false;
    std::array<int, 10> times{};
    for (const char c : digits.substr(0, 10))
        ++times[static_cast<std::size_t>(value(c))];
    const auto repeated = std::count_if(times.begin(), times.end(), [](int t) { return t > 1; });
    if (repeated != 1 || *std::max_element(times.begin(), times.end()) > 3) return false;
    int product = 10;
    for (const char c : digits.substr(0, 10)) {
        int sum = (value(c) + product) % 10;
        if (sum == 0) sum = 10;
        product = sum * 2 % 11;
    }
    return (11 - product) % 10 == value(digits[10]);
}

bool is_norwegian_id(std::string_view digits) {
    const int day = number(digits.substr(0, 2));
    const int month = number(digits.substr(2, 2));
    if (day < 1 || day > 31 || month < 1 || month > 12) return false;
    return passes_weights(digits, "3761894521", 11) && passes_weights(digits, "54327654321", 11);
}

bool is_turkish_id(std::string_view digits) {
    if (digits[0] == '0') return false;
    int odd = 0;
    int even = 0;
    for (std::size_t i = 0; i < 9; ++i)
        (i % 2 == 0 ? odd : even) += value(digits[i]);
    if ((odd * 7 - even + 100) % 10 != value(digits[9])) return false;
    return (odd + even + value(digits[9])) % 10 == value(digits[10]);
}

bool is_south_african_id(std::string_view digits) {
    return is_month_and_day(digits.substr(2, 4)) && digits[10] <= '1' && digits[11] >= '8' &&
           passes_luhn(digits);
}

bool is_chinese_resident_id(std::string_view number_text) {
    const int century = number(number_text.substr(6, 2));
    if ((century != 19 && century != 20) || !is_month_and_day(number_text.substr(10, 4)))
        return false;
    static constexpr int kWeights[] = {7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2};
    int sum = 0;
    for (std::size_t i = 0; i < 17; ++i)
        sum += value(number_text[i]) * kWeights[i];
    return std::string_view("10X98765432")[static_cast<std::size_t>(sum % 11)] == number_text[17];
}

bool is_korean_id(std::string_view digits) {
    if (!is_month_and_day(digits.substr(2, 4)) || digits[6] < '1' || digits[6] > '8') return false;
    int sum = 0;
    static constexpr int kWeights[] = {2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5};
    for (std::size_t i = 0; i < 12; ++i)
        sum += value(digits[i]) * kWeights[i];
    return (11 - sum % 11) % 10 == value(digits[12]);
}

bool is_social_security_number(std::string_view digits) {
    const int area = number(digits.substr(0, 3));
    const int group = number(digits.substr(3, 2));
    if (digits.substr(5) == "0000" || area == 0 || area == 666) return false;
    return area < 900 ? group != 0 : group >= 50 && group != 89 && group != 93;
}

}  // namespace evalfleet::redaction
