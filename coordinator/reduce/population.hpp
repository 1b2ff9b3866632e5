#pragma once

#include "coordinator/reduce/trial_row.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace evalfleet::reduce {

/// A set of trials that is reduced together: the run, or one slice of it. It refers to rows of a
/// table, in dataset order, and knows where the trials of each sample begin.
class Population {
  public:
    /// `indices` are ascending places in `rows`; both must outlive this object.
    Population(std::span<const TrialRow> rows, std::span<const std::uint32_t> indices);

    [[nodiscard]] std::size_t size() const noexcept { return indices_.size(); }
    [[nodiscard]] std::size_t samples() const noexcept { return sample_begin_.size() - 1; }
    [[nodiscard]] const TrialRow& operator[](std::size_t i) const noexcept {
        // The rows of a slice lie apart by no fixed distance, which the processor cannot foresee.
        if (i + kAhead < indices_.size()) __builtin_prefetch(&rows_[indices_[i + kAhead]]);
        return rows_[indices_[i]];
    }
    /// Sample s is the trials sample_begin()[s] .. sample_begin()[s + 1] - 1.
    [[nodiscard]] std::span<const std::uint32_t> sample_begin() const noexcept {
        return sample_begin_;
    }

    /// All values of `value_of(row)` that are not NaN.
    template <class ValueOf>
    [[nodiscard]] std::vector<double> values(ValueOf value_of) const {
        std::vector<double> result;
        result.reserve(size());
        for (std::size_t i = 0; i < size(); ++i) {
            const double value = value_of((*this)[i]);
            if (!std::isnan(value)) result.push_back(value);
        }
        return result;
    }

  private:
    static constexpr std::size_t kAhead = 16;

    std::span<const TrialRow> rows_;
    std::span<const std::uint32_t> indices_;
    std::vector<std::uint32_t> sample_begin_;
};

}  // namespace evalfleet::reduce
