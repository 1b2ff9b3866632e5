#pragma once

#include <cstdint>
#include <span>

namespace evalfleet::statistics {

/// The bootstrap's random numbers are a pure function of (seed, replicate, draw): any replicate can
/// be drawn on any thread, in any order, twice, and is always the same.
///
/// `replicate_key` starts replicate `replicate`; draw `i` of `units` resampled units is
/// `draw(key, i, units)`, below `units`.
[[nodiscard]] std::uint64_t replicate_key(std::uint64_t seed, std::uint64_t replicate) noexcept;
[[nodiscard]] std::uint64_t draw(std::uint64_t key, std::uint64_t i, std::uint64_t units) noexcept;

/// Number `i` of a replicate as 64 random bits, for tests that flip rather than draw.
[[nodiscard]] std::uint64_t random_bits(std::uint64_t key, std::uint64_t i) noexcept;

/// Draws a whole replicate: multiplicity[j] becomes how often unit j of multiplicity.size() came.
/// A replicate is fully described by its multiplicities, and they are far smaller than the draws.
/// At most 2^32 - 1 units.
void count_draws(std::uint64_t key, std::span<std::uint32_t> multiplicity) noexcept;

/// The same in a byte each, modulo 256. Every wrap loses 256 draws, so the multiplicities are right
/// exactly if they add up to the number of units.
void count_draws_modulo_256(std::uint64_t key, std::span<std::uint8_t> multiplicity) noexcept;

}  // namespace evalfleet::statistics
