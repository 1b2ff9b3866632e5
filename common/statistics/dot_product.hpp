#pragma once

#include <cstddef>
#include <cstdint>

namespace evalfleet::statistics {

/// The longest piece the functions below take: their 32-bit lanes hold that many products.
inline constexpr std::size_t kDotPiece = 2048;

/// Sum of `size` weights.
[[nodiscard]] std::uint64_t sum_of(const std::uint8_t* weights, std::size_t size) noexcept;

/// Sum of weights[i] * values[i]; values are at most 63.
[[nodiscard]] std::uint64_t dot(const std::uint8_t* weights, const std::uint8_t* values,
                                std::size_t size) noexcept;

/// Sum of weights[i] * values[i]; values are not negative.
[[nodiscard]] std::uint64_t dot(const std::uint8_t* weights, const std::int16_t* values,
                                std::size_t size) noexcept;

}  // namespace evalfleet::statistics
