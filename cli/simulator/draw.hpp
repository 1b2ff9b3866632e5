#pragma once

#include <cstdint>
#include <string_view>

namespace evalfleet::simulator {

/// What a draw is for; draws for different purposes do not depend on each other.
enum class Purpose : std::uint64_t {
    fault = 1,
    latency,
    correctness,
    wrong_kind,
    judge_noise,
    judge_malformed,
    which_score,
    answer_length,
};

/// Chance without state: the same key gives the same draws, whatever was drawn before.
class Draw {
  public:
    explicit Draw(std::uint64_t key) noexcept : key_(key) {}

    /// Uniform over all 64-bit numbers.
    [[nodiscard]] std::uint64_t bits(Purpose purpose) const noexcept;
    /// Uniform from 0 to 1, 1 excluded.
    [[nodiscard]] double uniform(Purpose purpose) const noexcept;
    /// Log-normal with median 1.
    [[nodiscard]] double log_normal(Purpose purpose, double sigma) const noexcept;
    /// Between the two, both included and at least 1: each doubling is as likely as the next.
    [[nodiscard]] std::uint64_t log_uniform(Purpose purpose, std::uint64_t min,
                                            std::uint64_t max) const noexcept;

  private:
    std::uint64_t key_;
};

/// Makes one number of two; changing either changes about half of the bits.
[[nodiscard]] std::uint64_t combine(std::uint64_t a, std::uint64_t b) noexcept;

/// The same number for the same text on every machine.
[[nodiscard]] std::uint64_t stable_hash(std::string_view text) noexcept;

}  // namespace evalfleet::simulator
