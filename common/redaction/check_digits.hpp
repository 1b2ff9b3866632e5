#pragma once

#include <string_view>

namespace evalfleet::redaction {

// Check digits, each over a text of decimal digits of the length that its kind has.

[[nodiscard]] bool passes_luhn(std::string_view digits);
/// Aadhaar.
[[nodiscard]] bool passes_verhoeff(std::string_view digits);
/// Sum of digit x weight, modulo 11, is 0. Weights are single digits.
[[nodiscard]] bool passes_weights(std::string_view digits, std::string_view weights, int modulus);
/// Day and month as they stand in most personal numbers.
[[nodiscard]] bool is_month_and_day(std::string_view mmdd);

[[nodiscard]] bool is_brazilian_cpf(std::string_view digits);           ///< 11
[[nodiscard]] bool is_german_tax_id(std::string_view digits);           ///< 11
[[nodiscard]] bool is_norwegian_id(std::string_view digits);            ///< 11
[[nodiscard]] bool is_turkish_id(std::string_view digits);              ///< 11
[[nodiscard]] bool is_south_african_id(std::string_view digits);        ///< 13
[[nodiscard]] bool is_chinese_resident_id(std::string_view number);     ///< 17 digits, a digit or X
[[nodiscard]] bool is_korean_id(std::string_view digits);               ///< 13
[[nodiscard]] bool is_social_security_number(std::string_view digits);  ///< 9, US, or ITIN

}  // namespace evalfleet::redaction
