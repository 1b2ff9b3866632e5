#pragma once

#include "common/redaction/numbers.hpp"

namespace evalfleet::redaction {

/// An identifier that a state gives to a person, at the digits within it. Those are known whose
/// shape or check digits tell them from an ordinary number:
///   US  social security and taxpayer number 123-45-6789, without the ranges never issued
///   CA  social insurance number 123-456-782, by Luhn
///   GB  national insurance number QQ 12 34 56 C, without the prefixes never issued
///   ES  DNI 12345678Z and NIE X1234567L, by the check letter
///   FR  NIR, 15 digits, by the key modulo 97
///   DE  tax id, 11 digits, by ISO 7064 and the rule on repeated digits
///   IT  codice fiscale, by the check letter
///   BE, CH, FI, NO, SE  their national numbers, by date and check digits
///   BR  CPF 123.456.789-09, by both check digits
///   MX  CURP; SG  NRIC and FIN, by the check letter
///   IN  Aadhaar 4-4-4 by Verhoeff, and PAN
///   CN, KR, ZA  resident and identity numbers, by date and check digits
/// and any number behind a word such as "SSN", "CPF", "national id" or "passport".
[[nodiscard]] Found find_national_id(Scan& scan, const DigitGroups& groups);

/// Of those, the ones with letters in fixed places before the digits.
[[nodiscard]] Found find_lettered_id(Scan& scan, const DigitGroups& groups);

}  // namespace evalfleet::redaction
