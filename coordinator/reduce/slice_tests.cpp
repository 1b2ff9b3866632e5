#include "coordinator/reduce/slice_tests.hpp"

#include "common/statistics/block_test.hpp"
#include "common/statistics/mean_limits.hpp"
#include "common/statistics/paired_tests.hpp"
#include "common/statistics/sign_flip.hpp"
#include "common/statistics/split_test.hpp"
#include "common/statistics/wilson.hpp"
#include "coordinator/reduce/trial_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace evalfleet::reduce {
namespace {

using job::kFewestSliceSamples;
using job::SliceDifference;
using job::SliceTest;
using statistics::Interval;

constexpr std::size_t kFewestForAnInterval = 6;

double score_of(const TrialRow& row) {
    return row.sample_score;
}

double pass_of(const TrialRow& row) {
    return row.rubric_passed != 0 ? 1 : 0;
}

// An interval of the mean of values in [0, 1] made so wide on each side as one that counts one more
// sample of the lowest and of the highest value, since few samples show too few of the rare ones,
// and those that are all alike show none.
Interval widened(const Interval& interval, const std::vector<double>& means) {
    std::vector<double> negated(means.size());
    std::ranges::transform(means, negated.begin(), std::negate());
    const double lower = std::min(interval.lower, -statistics::upper_limit(negated, 0));
    const double upper = std::max(interval.upper, statistics::upper_limit(means, 1));
    return Interval{std::max(0.0, lower), std::min(1.0, upper)};
}

// Of scores, from Student's t.
std::optional<Interval> limits_of_scores(const Population& slice) {
    const std::vector<double> means = SampleMeans(slice, score_of).means;
    if (means.size() < kFewestForAnInterval) return std::nullopt;
    return widened(statistics::student_interval(means), means);
}

// Of passes, from Wilson's.
std::optional<Interval> limits_of_passes(const Population& slice) {
    statistics::ClusteredRate rate;
    const auto begin = slice.sample_begin();
    for (std::size_t sample = 0; sample < slice.samples(); ++sample) {
        std::uint64_t passes = 0;
        for (std::size_t i = begin[sample]; i < begin[sample + 1]; ++i)
            passes += slice[i].rubric_passed;
        rate.add_sample(passes, begin[sample + 1] - begin[sample]);
    }
    const auto wilson = rate.ci95();
    if (!wilson) return std::nullopt;
    return widened(*wilson, SampleMeans(slice, pass_of).means);
}

SliceTest describe(const Population& slice) {
    SliceTest test;
    test.samples = slice.samples();
    test.rubric_pass_rate_ci95 = limits_of_passes(slice);
    test.aggregate_score_ci95 = limits_of_scores(slice);
    if (test.samples < kFewestSliceSamples)
        test.reason = fmt::format("{} samples, fewer than {}", test.samples, kFewestSliceSamples);
    return test;
}

// Where the slice's samples are among those of the run that have a value.
std::vector<std::uint32_t> places_of(const Population& slice, const SampleMeans& run) {
    std::vector<std::uint32_t> places;
    auto at = run.samples.begin();
    for (std::size_t sample = 0; sample < slice.samples(); ++sample) {
        at = std::lower_bound(at, run.samples.end(),
                              slice[slice.sample_begin()[sample]].sample_index);
        if (at == run.samples.end()) break;
        if (*at == slice[slice.sample_begin()[sample]].sample_index)
            places.push_back(static_cast<std::uint32_t>(at - run.samples.begin()));
    }
    return places;
}

SliceDifference against_rest(const Population& slice, const SampleMeans& run,
                             const SliceTestPlan& plan) {
    const std::vector<std::uint32_t> places = places_of(slice, run);
    if (places.size() < kFewestSliceSamples ||
        run.means.size() - places.size() < kFewestSliceSamples)
        return {};
    const auto test =
        statistics::split_test(run.means, places, {statistics::flips_for(plan.tests), plan.seed});
    return {test.difference, test.p_value, std::nullopt};
}

// Walks the runs of a group sample by sample.
class SampleWalk {
  public:
    explicit SampleWalk(std::span<const SampleMeans> runs) : runs_(runs), next_(runs.size()) {}

    // The values of the slice's runs and of the others for one sample after the other.
    template <class Take>
    void each(std::span<const std::size_t> slice, Take&& take) {
        std::vector<double> in;
        std::vector<double> out;
        while (const auto sample = least()) {
            in.clear();
            out.clear();
            for (std::size_t run = 0; run < runs_.size(); ++run) {
                if (!is_at(run, *sample)) continue;
                (std::ranges::binary_search(slice, run) ? in : out)
                    .push_back(runs_[run].means[next_[run]++]);
            }
            take(in, out);
        }
    }

  private:
    [[nodiscard]] bool is_at(std::size_t run, std::uint32_t sample) const {
        return next_[run] < runs_[run].samples.size() && runs_[run].samples[next_[run]] == sample;
    }
    [[nodiscard]] std::optional<std::uint32_t> least() const {
        std::optional<std::uint32_t> least;
        for (std::size_t run = 0; run < runs_.size(); ++run) {
            if (next_[run] == runs_[run].samples.size()) continue;
            const std::uint32_t sample = runs_[run].samples[next_[run]];
            least = least ? std::min(*least, sample) : sample;
        }
        return least;
    }

    std::span<const SampleMeans> runs_;
    std::vector<std::size_t> next_;
};

SliceDifference against_others(std::span<const std::size_t> slice,
                               std::span<const SampleMeans> runs, const SliceTestPlan& plan) {
    statistics::BlockTest test;
    SampleWalk(runs).each(slice, [&](const auto& in, const auto& out) { test.add_block(in, out); });
    if (test.blocks() < kFewestSliceSamples) return {};
    const auto result = test.run({statistics::flips_for(plan.tests), plan.seed});
    return {result.difference, result.p_value, std::nullopt};
}

// Short, for a cell of a table.
void explain_missing_tests(SliceTest& test) {
    if (!test.aggregate_score.p_value && !test.rubric_pass_rate.p_value)
        test.reason = fmt::format("fewer than {} samples measured", kFewestSliceSamples);
}

}  // namespace

SampleMeans::SampleMeans(const Population& trials, double (*value)(const TrialRow&)) {
    const auto begin = trials.sample_begin();
    for (std::size_t sample = 0; sample < trials.samples(); ++sample) {
        double sum = 0;
        std::uint64_t count = 0;
        for (std::size_t i = begin[sample]; i < begin[sample + 1]; ++i) {
            const double one = value(trials[i]);
            if (std::isnan(one)) continue;
            sum += one;
            ++count;
        }
        if (count == 0) continue;
        samples.push_back(trials[begin[sample]].sample_index);
        means.push_back(sum / static_cast<double>(count));
    }
}

SliceTester::SliceTester(const Population& run, const SliceTestPlan& plan)
    : plan_(plan),
      run_samples_(run.samples()),
      scores_(run, measured_score),
      passes_(run, measured_pass) {}

SliceTest SliceTester::test(const Population& slice) const {
    SliceTest test = describe(slice);
    const std::size_t rest = run_samples_ - slice.samples();
    if (rest == 0)
        test.reason = "it has every sample of the run";
    else if (rest < kFewestSliceSamples && test.reason.empty())
        test.reason = fmt::format("{} in the rest, fewer than {}", rest, kFewestSliceSamples);
    if (!test.reason.empty()) return test;
    test.aggregate_score = against_rest(slice, scores_, plan_);
    test.rubric_pass_rate = against_rest(slice, passes_, plan_);
    explain_missing_tests(test);
    return test;
}

void RunSliceTester::add_run(const Population& run) {
    scores_.emplace_back(run, measured_score);
    passes_.emplace_back(run, measured_pass);
}

SliceTest RunSliceTester::test(std::span<const std::size_t> runs, const Population& slice) const {
    SliceTest test = describe(slice);
    if (runs.size() == scores_.size()) test.reason = "it has every run of the group";
    if (!test.reason.empty()) return test;
    test.aggregate_score = against_others(runs, scores_, plan_);
    test.rubric_pass_rate = against_others(runs, passes_, plan_);
    explain_missing_tests(test);
    return test;
}

std::uint64_t correct_slice_tests(std::span<SliceTest* const> tests) {
    std::vector<SliceDifference*> tested;
    std::vector<double> p_values;
    for (SliceTest* const test : tests) {
        for (SliceDifference* const one : {&test->aggregate_score, &test->rubric_pass_rate}) {
            if (!one->p_value) continue;
            tested.push_back(one);
            p_values.push_back(*one->p_value);
        }
    }
    const std::vector<double> corrected = statistics::benjamini_hochberg(p_values);
    for (std::size_t i = 0; i < tested.size(); ++i)
        tested[i]->p_value_bh = corrected[i];
    return p_values.size();
}

}  // namespace evalfleet::reduce
