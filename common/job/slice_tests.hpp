#pragma once

#include "common/job/names.hpp"
#include "common/statistics/interval.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::json {
class Writer;
}

namespace evalfleet::job {

/// A slice with fewer samples is shown, but nothing is said about it.
inline constexpr std::uint64_t kFewestSliceSamples = 20;
/// A corrected p-value below it is a finding.
inline constexpr double kSliceLevel = 0.05;

/// What holding a slice against the rest found.
enum class SliceFinding {
    lower,          ///< a figure is lower than in the rest beyond chance, and none is higher
    higher,         ///< the other way
    mixed,          ///< one is lower and one is higher
    nothing_found,  ///< what differs may be chance
    not_tested,     ///< `reason` says why
};
template <>
struct Names<SliceFinding> {
    static constexpr std::array<std::string_view, 5> values{"lower", "higher", "mixed",
                                                            "nothing_found", "not_tested"};
};

/// A figure of a slice against that of the rest, with every sample counted once.
struct SliceDifference {
    std::optional<double> difference;  ///< slice minus rest
    std::optional<double> p_value;
    std::optional<double> p_value_bh;  ///< corrected over all tests of slices

    [[nodiscard]] bool is_finding() const noexcept { return p_value_bh.value_or(1) < kSliceLevel; }
    bool operator==(const SliceDifference&) const = default;
};

/// What can be said of one slice beyond its figures.
struct SliceTest {
    std::uint64_t samples = 0;
    /// Repeats of one sample are not independent: the intervals are those of samples, as a gate's.
    std::optional<statistics::Interval> aggregate_score_ci95;
    std::optional<statistics::Interval> rubric_pass_rate_ci95;
    SliceDifference aggregate_score;
    SliceDifference rubric_pass_rate;
    std::string reason;  ///< why it is not tested; empty: it is

    [[nodiscard]] SliceFinding finding() const noexcept;
    [[nodiscard]] bool is_found() const noexcept {
        return aggregate_score.is_finding() || rubric_pass_rate.is_finding();
    }
    bool operator==(const SliceTest&) const = default;
};

using SliceTests = std::map<std::string, SliceTest>;  ///< by value

/// The tests of a run's slices.
struct RunSliceTests {
    std::uint64_t tests = 0;  ///< p-values that were corrected together
    SliceTests task_types;
    std::map<std::string, SliceTests> tags;  ///< by key
    bool operator==(const RunSliceTests&) const = default;
};

/// The tests as a member of the object that is open in `writer`.
void write_slice_tests(json::Writer& writer, std::string_view name, const SliceTests& tests);
/// All of a run's, as `slice_tests`.
void write_slice_tests(json::Writer& writer, const RunSliceTests& tests);

}  // namespace evalfleet::job
