#pragma once

#include "common/job/slice_tests.hpp"
#include "common/job/summary.hpp"
#include "coordinator/reduce/population.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// Whether a slice differs from the rest. docs/statistics.md tells what it assumes and how often it
/// errs.
namespace evalfleet::reduce {

/// Score and pass rate.
inline constexpr std::uint64_t kTestsOfASlice = 2;

/// How many p-values of slices there can be at most, which the tests are made precise enough for.
struct SliceTestPlan {
    std::uint64_t tests = 1;
    std::uint64_t seed = 42;
};

/// One value a sample, ascending by sample: the mean over those of its trials that have one.
struct SampleMeans {
    std::vector<std::uint32_t> samples;
    std::vector<double> means;

    SampleMeans(const Population& trials, double (*value)(const TrialRow&));
};

/// Slices that are made of different samples of one run. The rest of a slice are the samples that
/// have no trial in it.
class SliceTester {
  public:
    SliceTester(const Population& run, const SliceTestPlan& plan);

    /// Everything but the correction. May be called from several threads at once.
    [[nodiscard]] job::SliceTest test(const Population& slice) const;

  private:
    SliceTestPlan plan_;
    std::size_t run_samples_;
    SampleMeans scores_;
    SampleMeans passes_;
};

/// Slices that are made of runs over the same samples, as the models of a group. The rest of a
/// slice are the other runs; they are held against it sample by sample.
class RunSliceTester {
  public:
    explicit RunSliceTester(const SliceTestPlan& plan) : plan_(plan) {}

    /// The next run of the group.
    void add_run(const Population& run);

    /// `runs`: the places of the slice's runs, ascending; `slice`: their trials together.
    [[nodiscard]] job::SliceTest test(std::span<const std::size_t> runs,
                                      const Population& slice) const;

  private:
    SliceTestPlan plan_;
    std::vector<SampleMeans> scores_;  // by run
    std::vector<SampleMeans> passes_;
};

/// Corrects the p-values of all of them together (Benjamini and Hochberg); how many there are.
std::uint64_t correct_slice_tests(std::span<job::SliceTest* const> tests);

}  // namespace evalfleet::reduce
