#pragma once

#include "common/job/sample.hpp"
#include "common/job/summary.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace evalfleet::reduce {

/// Trials share few combinations of task type and tags. Each combination is a *slice set* with a
/// number, so that a trial needs four bytes for all its slices, and token sums are kept a set
/// instead of token figures a trial.
class SliceDictionary {
  public:
    struct Tag {
        std::string_view key;
        std::string_view value;
    };
    struct SliceSet {
        std::string task_type;
        std::vector<std::pair<std::string, std::string>> tags;
        job::TokenTotals tokens;
    };

    /// More different combinations than this are refused: tags are meant to group trials.
    static constexpr std::size_t kMostSets = job::kMostTagCombinations;

    /// The number of the combination; a new one if it was not seen. `too_large` beyond kMostSets.
    [[nodiscard]] Result<std::uint32_t> intern(std::string_view task_type,
                                               std::span<const Tag> tags);

    /// Adds a trial's tokens to its set; `too_large` if a sum leaves 64 bits.
    [[nodiscard]] Status add_tokens(std::uint32_t set, const job::TokenTotals& tokens);

    /// Takes over all sets of `other` with their sums; element i of the result is the number of its
    /// set i here.
    [[nodiscard]] Result<std::vector<std::uint32_t>> merge(const SliceDictionary& other);

    [[nodiscard]] std::span<const SliceSet> sets() const noexcept { return sets_; }

  private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };

    std::vector<SliceSet> sets_;
    std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
    std::string key_;  ///< memory used again
};

/// to += from; `too_large` if a sum leaves 64 bits.
[[nodiscard]] Status add(job::TokenTotals& to, const job::TokenTotals& from);

}  // namespace evalfleet::reduce
