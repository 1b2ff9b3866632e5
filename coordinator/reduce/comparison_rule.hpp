#pragma once

#include "common/job/margins.hpp"
#include "common/job/names.hpp"
#include "common/statistics/interval.hpp"
#include "common/statistics/power.hpp"
#include "coordinator/reduce/trial_pairs.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The one rule by which runs are compared: by `evalfleet compare`, with a baseline, in a group.
/// docs/statistics.md tells what it assumes and how often it errs.
namespace evalfleet::reduce {

/// Fewer samples than this, and no pattern of signs is improbable enough: 2 / 2^5 > 0.05.
inline constexpr std::uint64_t kFewestSamples = 6;
/// Fewer replicates than this have no 2.5 % and no 97.5 % percentile.
inline constexpr std::uint32_t kFewestReplicates = 40;

/// What a row says of the candidate.
enum class Finding {
    worse,
    better,
    no_worse,     ///< at most by the margin that was asked for
    cannot_tell,  ///< `reason` says why
};

/// What all rows together say.
enum class Decision {
    worse,          ///< a row is worse
    no_worse,       ///< no row is worse, and each with a margin is no worse, or better
    nothing_found,  ///< no row is worse, and no margin was given to show more
    cannot_tell,    ///< the data could not have shown a loss, or do not keep a margin
};

/// How much the samples of two runs, and their repeats, differ from each other.
struct DifferenceSpread {
    std::optional<statistics::VarianceComponents> differences{};  ///< null below two samples
    double base_mean = 0;
    double base_drop = 0;       ///< see statistics::typical_drop
    double both_variances = 0;  ///< of the samples of one run and of the other, added
    std::optional<double> correlation{};
    /// How far a sample moves that does: the sum of squared differences over that of their sizes.
    double step = 0;
    double tails = 0;  ///< of the differences, see statistics::Search
};

/// Whether a difference is taken as it is or as a part of the base's value.
enum class Scale { difference, ratio };

/// What a comparison like this one finds with a probability of 80 %, and what it would take to find
/// more. On the scale of the report; variances on that of the test.
struct RowPower {
    statistics::PowerFigures paired;      ///< as the runs are compared: sample by sample
    std::optional<double> correlation{};  ///< of the runs' values over the samples
    std::optional<double> unpaired{};     ///< what could be found if the samples were not the same
    std::optional<double> detect{};       ///< the difference that was asked for
    std::optional<std::uint64_t> samples_to_detect{};  ///< so many shared samples would find it

    bool operator==(const RowPower&) const = default;
};

/// One metric of both runs over the trials that both have.
struct MetricDifference {
    std::string name;
    bool higher_is_better = true;
    Scale scale = Scale::difference;
    std::uint64_t pairs = 0;          ///< trials with a value in both runs
    std::uint64_t samples = 0;        ///< samples with such a trial: the unit of the test
    std::optional<double> base;       ///< over samples: the mean; of a ratio the geometric one
    std::optional<double> candidate;  ///< likewise
    /// candidate - base; of a ratio candidate / base - 1.
    std::optional<double> difference;
    std::optional<statistics::Interval> ci95;
    /// 97.5 % limit of the loss, which takes losses into account that no sample showed yet.
    std::optional<double> worse_by_at_most;
    std::optional<double> margin;
    std::optional<double> p_value;       ///< sign flips of samples
    std::optional<double> p_value_holm;  ///< corrected over all tests of the decision
    /// Of a pass rate: samples that pass less and more often, and McNemar's test of that split,
    /// which describes and decides nothing.
    std::optional<std::uint64_t> lost_samples;
    std::optional<std::uint64_t> won_samples;
    std::optional<double> mcnemar_p_value;
    RowPower power;
    bool testable = false;  ///< there were enough samples for the test to find something
    Finding verdict = Finding::cannot_tell;
    std::optional<std::string> reason;  ///< why there is no verdict, or no test

    bool operator==(const MetricDifference&) const = default;
};

struct ComparisonPlan {
    std::uint32_t replicates = 2000;  ///< of the bootstrap of p95, and the fewest flips
    std::uint64_t seed = 42;
    unsigned threads = 1;  ///< the result does not depend on it
    job::Margins margins{};
    job::Margins detect{};  ///< differences of which is asked how many samples find them
};

/// Compares candidates with one base. The unit is the sample: its differences are averaged over its
/// repeats. Every mean is tested by sign flips; Holm's correction is over all metrics of all
/// candidates. A pure function of the pairs and the plan.
class ComparisonRule {
  public:
    using Rows = std::vector<MetricDifference>;

    /// `candidates`: how many will be added.
    ComparisonRule(ComparisonPlan plan, std::size_t candidates);

    /// Tests the next candidate; `pairs` are its trials and the base's.
    void add(const TrialPairs& pairs);

    /// The rows of each candidate, in order, corrected and decided.
    [[nodiscard]] std::vector<Rows> decide() &&;

  private:
    void add_power(std::size_t tests);

    ComparisonPlan plan_;
    std::size_t candidates_;
    std::vector<Rows> rows_;
    std::vector<std::vector<DifferenceSpread>> spreads_;  // of the same rows
};

/// What the rows of one candidate say together. A loss can only be told where both pass rates were
/// tested with enough samples.
[[nodiscard]] Decision decision_of(std::span<const MetricDifference> rows);

/// Why the rows cannot tell; empty if they can.
[[nodiscard]] std::string why_undecided(std::span<const MetricDifference> rows);

}  // namespace evalfleet::reduce

namespace evalfleet::job {

template <>
struct Names<reduce::Finding> {
    static constexpr std::array<std::string_view, 4> values{"worse", "better", "no_worse",
                                                            "cannot_tell"};
};
template <>
struct Names<reduce::Decision> {
    static constexpr std::array<std::string_view, 4> values{"worse", "no_worse", "nothing_found",
                                                            "cannot_tell"};
};
template <>
struct Names<reduce::Scale> {
    static constexpr std::array<std::string_view, 2> values{"difference", "ratio"};
};

}  // namespace evalfleet::job
