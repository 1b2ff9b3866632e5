#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What every calibration of a decision shares: how often it is simulated, what counts as too many
/// false decisions, and the table that the long run prints for docs/statistics.md.
namespace evalfleet::calibration {

/// Normal and uniform random numbers that are the same on every machine.
class Random {
  public:
    explicit Random(std::uint64_t seed) noexcept : key_(seed) {}

    [[nodiscard]] double uniform() noexcept;  ///< in (0, 1)
    [[nodiscard]] double normal() noexcept;

  private:
    std::uint64_t key_;
    std::uint64_t drawn_ = 0;
};

/// `bounded`, or what EVALFLEET_CALIBRATION_RUNS says: then this is the long run.
[[nodiscard]] std::size_t simulations(std::size_t bounded);

/// How many of so many simulations came to a decision. Each has random numbers of its own, so a
/// simulation can be repeated alone; they run on all processors, or on as many as
/// EVALFLEET_CALIBRATION_THREADS says. EVALFLEET_CALIBRATION_SEED makes all of them other ones, to
/// see whether a rule was only good for the seed that it was chosen with.
[[nodiscard]] std::size_t count_decisions(std::size_t simulated,
                                          const std::function<bool(Random&)>& decides);

/// The same for several decisions of one simulation: how many times each was true.
using Decisions = std::vector<bool>;
[[nodiscard]] std::vector<std::size_t> count_each(std::size_t simulated,
                                                  const std::function<Decisions(Random&)>& decides);

/// The most decisions out of so many that a rule with this error rate makes, except once in a
/// thousand times.
[[nodiscard]] double most_of(std::size_t simulated, double rate);

/// A line of the table: what was simulated, what is promised, and what came of it. Printed in the
/// long run only, under `heading` the first time it is named.
void report(const std::string& heading, const std::string& what, const std::string& promised,
            std::size_t decisions, std::size_t simulated);

}  // namespace evalfleet::calibration
