#pragma once

#include "common/json/writer.hpp"
#include "coordinator/records/trial_table.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace evalfleet::views {

/// What came of one sample in one run, over its repeats.
struct SampleCell {
    std::uint32_t sample_index = 0;
    std::uint32_t trials = 0;
    std::uint32_t passed = 0;
    float score = records::TrialEntry::kUnknown;  ///< mean of those that have one

    /// More of its trials passed than not.
    [[nodiscard]] bool has_passed() const noexcept { return 2 * passed > trials; }
};

/// By sample. Pure.
[[nodiscard]] std::vector<SampleCell> sample_cells(const records::TrialTable& table);

void write(json::Writer& writer, const SampleCell& cell);

/// A sample in two runs.
struct SamplePair {
    SampleCell base;
    SampleCell candidate;

    /// Of the scores, candidate less base; none if one is not known.
    [[nodiscard]] std::optional<double> difference() const;
    [[nodiscard]] bool has_flipped() const noexcept {
        return base.has_passed() != candidate.has_passed();
    }
};

struct PairFilter {
    bool only_flips = false;
    double min_difference = 0;  ///< either way
};

/// The samples of both runs that fit, the largest difference first. Pure.
[[nodiscard]] std::vector<SamplePair> pair_samples(const std::vector<SampleCell>& base,
                                                   const std::vector<SampleCell>& candidate,
                                                   const PairFilter& filter);

/// Samples by runs. Cells that a run has not are those without trials.
struct MatrixRow {
    std::uint32_t sample_index = 0;
    std::vector<SampleCell> cells;
};

/// Fewer cells in all than this are put together.
inline constexpr std::size_t kMostCells = 10'000'000;

/// By sample; with `only_differing` those that passed in one run and not in another. Pure.
[[nodiscard]] std::vector<MatrixRow> matrix_rows(
    const std::vector<std::vector<SampleCell>>& columns, bool only_differing);

}  // namespace evalfleet::views
