#pragma once

#include "common/statistics/split_test.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace evalfleet::statistics {

/// Whether a part differs from the rest within blocks, as a model from others on the same samples:
/// how probable a mean difference at least as far from 0 is, two-sided, if within each block any
/// values might as well have been the part's (Fisher's and Pitman's permutation test of a design in
/// blocks). With one value on each side of every block it is the sign-flip test.
class BlockTest {
  public:
    /// The values of the part and of the rest in one block; nothing if either has none.
    void add_block(std::span<const double> part, std::span<const double> rest);

    [[nodiscard]] std::size_t blocks() const noexcept { return blocks_.size(); }

    /// The difference is the mean of those of the blocks. Beyond `kMostRearranged` blocks by the
    /// normal distribution, with the variance that rearranging has.
    [[nodiscard]] SplitTest run(const SplitPlan& plan) const;

  private:
    struct Block {
        std::size_t begin;  // in values_; the part comes first
        std::size_t part;
        std::size_t rest;
        double sum;  // of all its values

        [[nodiscard]] double difference(double part_sum) const noexcept;
    };

    [[nodiscard]] double rearranged(std::vector<double>& values, std::uint64_t key) const;
    [[nodiscard]] double variance() const;

    std::vector<Block> blocks_;
    std::vector<double> values_;
};

}  // namespace evalfleet::statistics
