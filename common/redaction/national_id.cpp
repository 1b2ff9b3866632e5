#include "common/redaction/national_id.hpp"

#include "common/redaction/check_digits.hpp"
#include "common/redaction/context.hpp"

#include <algorithm>

namespace evalfleet::redaction {
namespace {

constexpr ContextWord kIdWords[] = {{"ssn"},
                                    {"social security"},
                                    {"social_security"},
                                    {"socialsecurity"},
                                    {"itin", true},
                                    {"sin", true},
                                    {"social insurance"},
                                    {"cpf", true},
                                    {"aadhaar"},
                                    {"aadhar"},
                                    {"bsn", true},
                                    {"pesel"},
                                    {"nhs", true},
                                    {"tfn", true},
                                    {"tax file"},
                                    {"personnummer"},
                                    {"cpr", true},
                                    {"tckn"},
                                    {"kimlik"},
                                    {"national id"},
                                    {"national_id"},
                                    {"nationalid"},
                                    {"tax id"},
                                    {"tax_id"},
                                    {"taxpayer"},
                                    {"steuer"},
                                    {"svnr"},
                                    {"rrn", true},
                                    {"dni", true},
                                    {"nif", true},
                                    {"rut", true},
                                    {"curp", true},
                                    {"insee"},
                                    {"my number"},
                                    {"codice fiscale"},
                                    {"passport"},
                                    {"driver's lic"},
                                    {"driver lic"},
                                    {"drivers lic"},
                                    {"driving lic"},
                                    {"medicare"},
                                    {"my_number"},
                                    {"teudat"},
                                    {"emirates id"},
                                    {"soc sec"},
                                    {"ss#"},
                                    {"social is"},
                                    {"tin", true},
                                    {"sozialversicherung"}};
constexpr ContextWord kIdWordsBehind[] = {{"ssn", true}, {"social security"}, {"sin", true}};
constexpr ContextWord kSerialWords[] = {{"issn"}};  // of a journal
constexpr ContextWord kDocumentWords[] = {
    {"passport"},      {"reisepass"},   {"pasaporte"},          {"driver's lic"},
    {"driver lic"},    {"drivers lic"}, {"driving lic"},        {"driver_lic"},
    {"ppsn"},          {"pps", true},   {"national insurance"}, {"nino", true},
    {"identity card"}, {"id card"},     {"personalausweis"},    {"dl", true},
    {"hkid"}};

int to_int(std::string_view digits) {
    int number = 0;
    for (const char c : digits)
        number = number * 10 + (c - '0');
    return number;
}

Found id(std::size_t begin, std::size_t end) {
    return Match{begin, end, Kind::national_id};
}

/// The first `n` groups if they end there and pass the check.
template <class Check>
Found id_if(const Scan& scan, const DigitGroups& groups, std::size_t n, Check check) {
    if (!is_number_end(scan, groups[n - 1].end) || is_in_row(scan, groups, n)) return {};
    if (!check(groups.digits(scan, n))) return {};
    return id(groups.begin(), groups[n - 1].end);
}

Found us_ssn(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({3, 2, 4}) || !groups.separated_by("- ", 3)) return {};
    return id_if(scan, groups, 3, is_social_security_number);
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

Found de_tax_id(const Scan& scan, const DigitGroups& groups) {
    const std::size_t n = groups_holding(groups, 11);
    if (n != 1 && !(n == 4 && groups.shaped({2, 3, 3, 3}))) return {};
    if (!is_number_end(scan, groups[n - 1].end)) return {};
    if (!is_german_tax_id(groups.digits(scan, n))) return {};
    return id(groups.begin(), groups[n - 1].end);
}

Found br_cpf(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({3, 3, 3, 2}) || groups[1].separator != "." || groups[2].separator != "." ||
        groups[3].separator != "-")
        return {};
    return id_if(scan, groups, 4, is_brazilian_cpf);
}

Found ca_sin(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({3, 3, 3}) || !groups.separated_by("-", 3)) return {};
    return id_if(scan, groups, 3, passes_luhn);
}

bool is_year(std::string_view digits) {
    return digits.starts_with("19") || digits.starts_with("20") || digits.starts_with("21");
}

/// Aadhaar: 4-4-4, never beginning with 0 or 1.
Found in_aadhaar(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({4, 4, 4}) || !groups.separated_by(" -", 3)) return {};
    return id_if(scan, groups, 3, [](std::string_view digits) {
        return digits[0] >= '2' && !is_year(digits.substr(4)) && passes_verhoeff(digits);
    });
}

Found cn_resident_id(const Scan& scan, const DigitGroups& groups) {
    const std::size_t end = groups.begin() + 18;
    const bool has_x = groups.shaped({17}) && (scan.at(end - 1) == 'X' || scan.at(end - 1) == 'x');
    if ((!has_x && !groups.shaped({18})) || !is_number_end(scan, end)) return {};
    std::string number(scan.text().substr(groups.begin(), 18));
    if (has_x) number.back() = 'X';
    return is_chinese_resident_id(number) ? id(groups.begin(), end) : Found();
}

/// Sweden YYMMDD-NNNC, also with the century; Korea YYMMDD-NNNNNNC.
Found dated_id(const Scan& scan, const DigitGroups& groups) {
    if (groups.count < 2 || groups[1].separator != "-") return {};
    if (groups.shaped({6, 7})) return id_if(scan, groups, 2, is_korean_id);
    if (!groups.shaped({6, 4}) && !groups.shaped({8, 4})) return {};
    return id_if(scan, groups, 2, [](std::string_view digits) {
        if (digits.size() == 12 && !is_year(digits)) return false;
        digits.remove_prefix(digits.size() - 10);
        return is_month_and_day(digits.substr(2, 4)) && passes_luhn(digits);
    });
}

/// Finland DDMMYY-NNNC.
Found fi_hetu(const Scan& scan, const DigitGroups& groups) {
    constexpr std::string_view kLetters = "0123456789ABCDEFHJKLMNPRSTUVWXY";
    if (!groups.shaped({6, 3}) || groups[1].separator != "-") return {};
    const std::string digits = groups.digits(scan, 2);
    const std::size_t end = groups[1].end;
    const std::string mmdd = digits.substr(2, 2) + digits.substr(0, 2);
    if (!is_month_and_day(mmdd) || is_alnum(scan.at(end + 1))) return {};
    if (kLetters[static_cast<std::size_t>(to_int(digits) % 31)] != scan.at(end)) return {};
    return id(groups.begin(), end + 1);
}

/// Switzerland 756.NNNN.NNNN.NC.
Found ch_ahv(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({3, 4, 4, 2}) || !groups.separated_by(".", 4)) return {};
    return id_if(scan, groups, 4, [](std::string_view digits) {
        return digits.starts_with("756") && passes_weights(digits, "1313131313131", 10);
    });
}

/// Belgium YY.MM.DD-NNN.CC.
Found be_national_number(const Scan& scan, const DigitGroups& groups) {
    if (!groups.shaped({2, 2, 2, 3, 2}) || groups[3].separator != "-") return {};
    return id_if(scan, groups, 5, [](std::string_view digits) {
        const int rest = to_int(digits.substr(0, 9)) % 97;
        const int born_2000 =
            static_cast<int>((2'000'000'000LL + to_int(digits.substr(0, 9))) % 97);
        const int check = to_int(digits.substr(9));
        return check == 97 - rest || check == 97 - born_2000;
    });
}

/// 11 and 13 digits without a separator, where two checks leave hardly a chance number.
Found compact_id(const Scan& scan, const DigitGroups& groups) {
    if (groups.shaped({11})) return id_if(scan, groups, 1, is_norwegian_id);
    if (groups.shaped({13})) return id_if(scan, groups, 1, is_south_african_id);
    return {};
}

constexpr std::size_t kSocialSecurityDigits = 9;

/// "536904399 is my SSN"
bool is_named_behind(const Scan& scan, const DigitGroups& groups, std::size_t n) {
    return groups.digit_count(n) == 9 &&
           has_context_behind(scan, groups[n - 1].end, kIdWordsBehind);
}

/// Any number of the usual lengths behind the name of such an id.
Found named_id(const Scan& scan, const DigitGroups& groups) {
    if (groups.digit_count(groups.count) < 7) return {};
    const bool told = has_context(scan, groups.begin(), kIdWords);
    if (told && has_context(scan, groups.begin(), kSerialWords)) return {};
    if (!told && groups.digit_count(groups.count) < kSocialSecurityDigits) return {};
    std::size_t n = 1;
    while (n < groups.count && groups[n].separator.size() == 1 && groups.digit_count(n + 1) <= 15)
        ++n;
    for (; n > 0; --n) {
        if (groups.digit_count(n) < 7) break;
        if (groups.digit_count(n) > 15) continue;
        if (!told && !is_named_behind(scan, groups, n)) continue;
        if (auto found = id_if(scan, groups, n, [](std::string_view) { return true; }))
            return found;
    }
    return {};
}

/// A document's number of letters and digits behind "passport" or "driver's license".
Found named_document(Scan& scan, const DigitGroups& groups) {
    const std::size_t begin = scan.run_back(groups.begin(), 3, is_letter);
    const std::size_t end = scan.run(groups.begin(), 16, [](char c) { return is_alnum(c); });
    if (end - begin < 6 || end - begin > 15 || is_alnum(scan.before(begin))) return {};
    if (!has_context(scan, begin, kDocumentWords)) return {};
    return is_alnum(scan.at(end)) ? Found() : id(begin, end);
}

}  // namespace

Found find_national_id(Scan& scan, const DigitGroups& groups) {
    if (groups.count == 0) return {};
    for (const auto find : {gb_nino, es_dni}) {
        if (auto found = find(scan, groups)) return found;
    }
    if (auto found = find_lettered_id(scan, groups)) return found;
    if (auto found = named_document(scan, groups)) return found;
    if (!is_number_start(scan, groups.begin())) return {};
    for (const auto find : {us_ssn, fr_nir, de_tax_id, br_cpf, ca_sin, in_aadhaar, cn_resident_id,
                            dated_id, fi_hetu, ch_ahv, be_national_number, compact_id, named_id}) {
        if (auto found = find(scan, groups)) return found;
    }
    return {};
}

}  // namespace evalfleet::redaction
