#include "common/redaction/check_digits.hpp"
#include "common/redaction/context.hpp"
#include "common/redaction/numbers.hpp"

namespace evalfleet::redaction {
namespace {

constexpr std::size_t kMinDigits = 13;
constexpr std::size_t kMaxDigits = 19;
/// Behind them a number is a card's, whatever the network.
constexpr std::string_view kCardLabels[] = {"card", "creditcard", "cc", "pan", "cardnumber"};

/// The issuer ranges of the large networks. Without them every tenth long number would be a card.
bool belongs_to_a_network(std::string_view digits) {
    const std::size_t n = digits.size();
    const int four = (digits[0] - '0') * 1000 + (digits[1] - '0') * 100 + (digits[2] - '0') * 10 +
                     (digits[3] - '0');
    const int two = four / 100;
    const int three = four / 10;
    if (digits[0] == '4') return n == 13 || n == 16 || n == 19;  // Visa
    if (two >= 51 && two <= 55) return n == 16;                  // Mastercard
    if (four >= 2221 && four <= 2720) return n == 16;            // Mastercard
    if (two == 34 || two == 37) return n == 15;                  // American Express
    if (two == 36 || two == 38 || two == 39) return n >= 14;     // Diners
    if (three >= 300 && three <= 305) return n >= 14;            // Diners
    if (four >= 3528 && four <= 3589) return n >= 16;            // JCB
    if (four == 6011 || two == 65 || (three >= 644 && three <= 649)) return n >= 16;  // Discover
    if (four >= 2200 && four <= 2204) return n >= 16;                                 // Mir
    if (two == 81 || two == 82) return n == 16;                                       // RuPay
    if (four == 9792) return n == 16;                                                 // Troy
    if (two == 62) return n >= 16;                                                    // UnionPay
    return two == 50 || (two >= 56 && two <= 69);                                     // Maestro
}

/// Cards are printed 4-4-4-4, 4-4-4-4-3, 4-6-5 or 4-6-4; other groupings are something else.
bool is_printed_like_a_card(const DigitGroups& groups, std::size_t n) {
    if (n == 1) return true;
    if (!groups.separated_by(" -.", n)) return false;
    if (n == 3 && groups.shaped({4, 6})) return groups[2].size() == 5 || groups[2].size() == 4;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        if (groups[i].size() != 4) return false;
    }
    return groups[n - 1].size() <= 4;
}

}  // namespace

Found find_payment_card(Scan& scan, const DigitGroups& groups) {
    if (groups.count == 0) return {};
    const bool starts = is_number_start(scan, groups.begin());
    for (std::size_t n = groups.count; n > 0; --n) {
        const std::size_t total = groups.digit_count(n);
        if (total < kMinDigits || total > kMaxDigits) continue;
        if (!is_printed_like_a_card(groups, n) || !is_number_end(scan, groups[n - 1].end)) continue;
        if (n > 1 && is_in_hex_row(scan, groups, n)) continue;
        const std::string digits = groups.digits(scan, n);
        if (!passes_luhn(digits)) continue;
        if (!(starts && belongs_to_a_network(digits)) &&
            !has_label(scan, groups.begin(), kCardLabels))
            continue;
        return Match{groups.begin(), groups[n - 1].end, Kind::payment_card};
    }
    return {};
}

}  // namespace evalfleet::redaction
