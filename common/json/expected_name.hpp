#pragma once

#include "common/json/field_reader.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace evalfleet::json {

/// The name that stood in one place of the line before, with its closing quote: where the same
/// bytes stand again, it is the same name and ends there.
class ExpectedName {
  public:
    ExpectedName() noexcept { text_.fill(static_cast<std::uint64_t>(-1)); }

    /// Names too long to keep are not expected. `name` has no escapes.
    void set(std::string_view name, std::size_t slot) noexcept {
        *this = ExpectedName();
        if (name.size() >= sizeof text_) return;
        std::array<char, sizeof text_> text{};
        std::array<char, sizeof text_> mask{};
        std::copy(name.begin(), name.end(), text.begin());
        text[name.size()] = '"';
        std::fill_n(mask.begin(), name.size() + 1, '\xff');
        std::memcpy(text_.data(), text.data(), sizeof text_);
        std::memcpy(mask_.data(), mask.data(), sizeof mask_);
        slot_ = slot;
    }

    /// `from` stands behind an opening quote; kBytes must be readable.
    [[nodiscard]] bool is_at(const char* from) const noexcept {
        return (differing(from, 0) | differing(from, 1) | differing(from, 2) |
                differing(from, 3)) == 0;
    }

    [[nodiscard]] std::size_t slot() const noexcept { return slot_; }

  private:
    using Words = std::array<std::uint64_t, 4>;
    static_assert(sizeof(Words) <= FieldReader::kPaddingBytes);

    [[nodiscard]] std::uint64_t differing(const char* from, std::size_t i) const noexcept {
        std::uint64_t word = 0;
        std::memcpy(&word, from + i * sizeof word, sizeof word);
        return (word & mask_[i]) ^ text_[i];
    }

    Words text_;
    Words mask_{};
    std::size_t slot_ = 0;
};

}  // namespace evalfleet::json
