#pragma once

#include "coordinator/reduce/trial_row.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace evalfleet::reduce {

/// The trials that two runs share: same sample, same repeat. In dataset order.
class TrialPairs {
  public:
    /// Both sorted by key, as in a RecordTable; they must outlive this object.
    TrialPairs(std::span<const TrialRow> base, std::span<const TrialRow> candidate);

    [[nodiscard]] std::size_t size() const noexcept { return pairs_.size(); }
    [[nodiscard]] std::size_t samples() const noexcept { return sample_begin_.size() - 1; }
    [[nodiscard]] const TrialRow& base(std::size_t i) const noexcept {
        return base_[pairs_[i].base];
    }
    [[nodiscard]] const TrialRow& candidate(std::size_t i) const noexcept {
        return candidate_[pairs_[i].candidate];
    }
    /// Sample s is the pairs sample_begin()[s] .. sample_begin()[s + 1] - 1.
    [[nodiscard]] std::span<const std::uint32_t> sample_begin() const noexcept {
        return sample_begin_;
    }

  private:
    struct Pair {
        std::uint32_t base;
        std::uint32_t candidate;
    };

    std::span<const TrialRow> base_;
    std::span<const TrialRow> candidate_;
    std::vector<Pair> pairs_;
    std::vector<std::uint32_t> sample_begin_;
};

}  // namespace evalfleet::reduce
