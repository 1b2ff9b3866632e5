#pragma once

#include "common/redaction/scan.hpp"

#include <array>
#include <string>

namespace evalfleet::redaction {

/// Digits that may belong together: `4111 1111 1111 1111`, `(555) 123-4567`.
struct DigitGroups {
    struct Group {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::string_view separator{};  ///< what stands between it and the group before
        [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
    };

    std::array<Group, 10> groups{};
    std::size_t count = 0;

    [[nodiscard]] const Group& operator[](std::size_t i) const noexcept { return groups[i]; }
    [[nodiscard]] std::size_t begin() const noexcept { return groups[0].begin; }
    /// The digits of the first `n` groups, without what separates them.
    [[nodiscard]] std::string digits(const Scan& scan, std::size_t n) const;
    [[nodiscard]] std::size_t digit_count(std::size_t n) const noexcept;
    /// True if each of the first `n` groups stands behind one byte out of `allowed`, always the
    /// same.
    [[nodiscard]] bool separated_by(std::string_view allowed, std::size_t n) const noexcept;
    /// True if the groups begin with these sizes.
    [[nodiscard]] bool shaped(std::initializer_list<std::size_t> sizes) const noexcept;
};

/// The group that begins at `i` and those that follow it, as far as they could be of one number.
[[nodiscard]] DigitGroups collect_digit_groups(Scan& scan, std::size_t i);

/// True if the first `n` groups stand beside hex digits, four together: a table of codes.
[[nodiscard]] bool is_in_hex_row(const Scan& scan, const DigitGroups& groups,
                                 std::size_t n) noexcept;

/// True if the first `n` groups, with blanks between, stand in a row of more: 771 667 874 1423 is a
/// line of a table and no telephone number.
[[nodiscard]] bool is_in_row(const Scan& scan, const DigitGroups& groups, std::size_t n) noexcept;

/// True if what begins at `i` is not the continuation of a word, decimal, date, id or version.
[[nodiscard]] bool is_number_start(const Scan& scan, std::size_t i) noexcept;
/// True if what ends at `i` does not go on in such a way.
[[nodiscard]] bool is_number_end(const Scan& scan, std::size_t i) noexcept;

/// A payment card: 13-19 digits, together or in the usual groups, a known network, Luhn.
[[nodiscard]] Found find_payment_card(Scan& scan, const DigitGroups& groups);

/// A telephone number: international with + or 00, or in the shapes that countries write
/// (`(555) 123-4567`, `555-123-4567`, `020 7946 0958`, `06 12 34 56 78`), with its extension.
/// Digits without any separator or + are taken for plain numbers, unless they begin with the zero
/// that most countries write before an area or with 00, or a word such as "phone" stands by them.
[[nodiscard]] Found find_phone(Scan& scan, const DigitGroups& groups);

/// An international bank account number, at its check digits: together or in groups of four, in
/// capitals or not, by the length of its country and the checksum.
[[nodiscard]] Found find_iban(Scan& scan, std::size_t i);

/// An IPv4 address, at its first digit. Those that are the same everywhere (127.0.0.1, 0.0.0.0,
/// netmasks) stay, and so does what is a version by the look of it or the words before it.
[[nodiscard]] Found find_ipv4(Scan& scan, const DigitGroups& groups);

/// An IPv6 address, at its first ':'. `::` and `::1` stay.
[[nodiscard]] Found find_ipv6(Scan& scan, std::size_t i);

/// At '@': an e-mail address, of any script.
[[nodiscard]] Found find_email(Scan& scan, std::size_t i);

}  // namespace evalfleet::redaction
