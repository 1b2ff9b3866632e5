#pragma once

#include "common/redaction/numbers.hpp"

namespace evalfleet::redaction {

/// An identifier that a state gives to a person, at the digits within it. Those are known whose
/// shape or check digits tell them from an ordinary number:
///   US  social security number 123-45-6789, without the ranges never issued
///   GB  national insurance number QQ 12 34 56 C, without the prefixes never issued
///   ES  DNI 12345678Z and NIE X1234567L, by the check letter
///   FR  NIR, 15 digits, by the key modulo 97
///   DE  tax id, 11 digits, by ISO 7064 and the rule on repeated digits
///   IT  codice fiscale, by the check letter
///   BR  CPF 123.456.789-09, by both check digits
[[nodiscard]] Found find_national_id(Scan& scan, const DigitGroups& groups);

}  // namespace evalfleet::redaction
