#include "cli/simulator/draw.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace evalfleet::simulator {

namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

/// The finaliser of splitmix64.
constexpr std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

double to_unit(std::uint64_t bits) noexcept {
    return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace

std::uint64_t combine(std::uint64_t a, std::uint64_t b) noexcept {
    return mix(a + kGolden * (b + 1));
}

std::uint64_t stable_hash(std::string_view text) noexcept {
    std::uint64_t hash = mix(text.size() + kGolden);
    while (text.size() >= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data(), sizeof word);
        hash = mix(hash ^ (word * kGolden));
        text.remove_prefix(sizeof word);
    }
    std::uint64_t last = 0;
    if (!text.empty()) std::memcpy(&last, text.data(), text.size());
    return mix(hash ^ (last * kGolden) ^ text.size());
}

std::uint64_t Draw::bits(Purpose purpose) const noexcept {
    return combine(key_, static_cast<std::uint64_t>(purpose));
}

double Draw::uniform(Purpose purpose) const noexcept {
    return to_unit(bits(purpose));
}

double Draw::log_normal(Purpose purpose, double sigma) const noexcept {
    // Box and Muller: a normal number of two uniform ones.
    const std::uint64_t first = bits(purpose);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - to_unit(first)));
    const double angle = 2.0 * std::numbers::pi * to_unit(combine(first, 0));
    return std::exp(sigma * radius * std::cos(angle));
}

std::uint64_t Draw::log_uniform(Purpose purpose, std::uint64_t min,
                                std::uint64_t max) const noexcept {
    const double low = std::log(static_cast<double>(min));
    const double high = std::log(static_cast<double>(max));
    const double drawn = std::round(std::exp(low + uniform(purpose) * (high - low)));
    return std::clamp(static_cast<std::uint64_t>(drawn), min, max);
}

}  // namespace evalfleet::simulator
