#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace evalfleet::reduce {

/// In which order the trials of a run go out. That of the data set, or a random one of its samples:
/// a run that may end early must not depend on how its data set is sorted. All repeats of a sample
/// follow each other. Pure; a shuffled order takes 8 bytes a sample.
class TrialOrder {
  public:
    /// That of the data set.
    TrialOrder() = default;

    /// Random, and always the same for one run.
    TrialOrder(std::string_view run_id, std::uint64_t samples, std::uint64_t repeats);

    /// The trial at a position, and the position of a trial.
    [[nodiscard]] std::uint64_t at(std::uint64_t position) const;
    [[nodiscard]] std::uint64_t position(std::uint64_t index) const;

  private:
    std::uint64_t repeats_ = 1;
    std::vector<std::uint32_t> sample_at_;  // empty: the data set's own order
    std::vector<std::uint32_t> place_of_;
};

}  // namespace evalfleet::reduce
