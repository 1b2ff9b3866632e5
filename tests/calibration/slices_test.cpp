// How often a slice is said to differ from the rest: docs/statistics.md has the long run.

#include "coordinator/reduce/record_table.hpp"
#include "coordinator/reduce/reducer.hpp"
#include "coordinator/reduce/slice_tests.hpp"
#include "tests/calibration/simulated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace evalfleet::calibration {
namespace {

using job::SliceFinding;
using reduce::TrialRow;

constexpr double kLevel = 0.05;

struct Design {
    const char* name;
    std::uint32_t repeats;
    Repeats alike;
};
constexpr Design kDesigns[] = {{"1 repeat", 1, Repeats::independent},
                               {"3 identical repeats", 3, Repeats::identical},
                               {"3 correlated repeats", 3, Repeats::correlated},
                               {"3 independent repeats", 3, Repeats::independent}};

void expect_rare(std::size_t decisions, std::size_t simulated, double rate = kLevel) {
    EXPECT_LE(static_cast<double>(decisions), most_of(simulated, rate)) << "of " << simulated;
}

// A run whose samples are dealt to so many slices in turn, reduced as any run is.
job::Summary reduce_sliced(std::vector<TrialRow> rows, std::size_t slices) {
    reduce::SliceDictionary dictionary;
    for (std::size_t slice = 0; slice < slices; ++slice)
        static_cast<void>(dictionary.intern(fmt::format("s{:03}", slice), {}));
    for (TrialRow& row : rows)
        row.slice_set = static_cast<std::uint32_t>(row.sample_index % slices);
    const auto table = reduce::RecordTable::make(std::move(rows), std::move(dictionary));
    job::Policy policy;
    policy.bootstrap.replicates = 0;
    return reduce::reduce(*table, policy, {.threads = 1});
}

bool any_differs(const job::SliceTests& tests) {
    return std::ranges::any_of(tests, [](const auto& one) { return one.second.is_found(); });
}

TEST(SliceCalibration, FindsNothingInSlicesThatDoNotDiffer) {
    struct Case {
        std::size_t slices;
        std::size_t samples;  ///< of each
        double level;         ///< the higher, the fewer failures
    };
    for (const Case& one :
         {Case{40, 25, 0}, Case{40, 25, 1.5}, Case{10, 100, 0}, Case{2, 600, 0}}) {
        for (const Design& design : kDesigns) {
            const World world{one.slices * one.samples, design.repeats, design.alike, one.level};
            const std::size_t simulated = simulations(8);
            const std::size_t found = count_decisions(simulated, [&](Random& random) {
                const auto rows = Samples(world, random).run({}, random);
                return any_differs(reduce_sliced(rows, one.slices).extra.slice_tests.task_types);
            });
            expect_rare(found, simulated);
            report("slices that do not differ: any is said to",
                   fmt::format("{} slices of {}{}, {}", one.slices, one.samples,
                               one.level > 0 ? " with few failures" : "", design.name),
                   "at most 5 %", found, simulated);
        }
    }
}

// The first slice is answered worse than all others.
job::Summary with_bad_slice(std::size_t slices, std::size_t samples, const Change& change,
                            Random& random) {
    const Samples world({slices * samples}, random);
    auto rows = world.run({}, random);
    const auto changed = world.run(change, random);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].sample_index % slices == 0) rows[i] = changed[i];
    }
    return reduce_sliced(std::move(rows), slices);
}

TEST(SliceCalibration, FindsASliceThatIsReallyBad) {
    struct Case {
        const char* name;
        Change change;
    };
    for (const Case& one : {Case{"10 % of its samples lost", {.lost_share = 0.1}},
                            Case{"30 % of its samples lost", {.lost_share = 0.3}},
                            Case{"50 % of its samples lost", {.lost_share = 0.5}},
                            Case{"quality down by 1 deviation", {.shift = -1}}}) {
        for (const std::size_t samples : {25U, 100U}) {
            const std::size_t simulated = simulations(6);
            const std::size_t found = count_decisions(simulated, [&](Random& random) {
                const auto tests =
                    with_bad_slice(40, samples, one.change, random).extra.slice_tests.task_types;
                return tests.begin()->second.finding() == SliceFinding::lower;
            });
            if (one.change.lost_share == 0.5 && samples == 100) {
                EXPECT_GE(static_cast<double>(found), 0.8 * static_cast<double>(simulated));
            }
            report("power: one of 40 slices is bad, and is said to be lower",
                   fmt::format("{}, slices of {}", one.name, samples), "", found, simulated);
        }
    }
}

TEST(SliceCalibration, IsSeldomWrongAboutTheOthersWhereOneIsBad) {
    const std::size_t simulated = simulations(8);
    const std::size_t wrong = count_decisions(simulated, [](Random& random) {
        auto tests =
            with_bad_slice(40, 25, {.lost_share = 0.5}, random).extra.slice_tests.task_types;
        tests.erase(tests.begin());
        return any_differs(tests);
    });
    // A finding or two are right, so that a twentieth of them wrong is a tenth of the runs.
    expect_rare(wrong, simulated, 2 * kLevel);
    report("one of 40 slices of 25 is bad", "another is said to differ", "about 5 % of findings",
           wrong, simulated);
}

struct Truth {
    double score = 0;
    double pass_rate = 0;
};

Truth truth_of(const World& world) {
    Random random(1);
    const auto rows =
        Samples({200'000, 1, Repeats::independent, world.level}, random).run({}, random);
    Truth truth;
    for (const TrialRow& row : rows) {
        truth.score += row.sample_score / static_cast<double>(rows.size());
        truth.pass_rate += row.rubric_passed / static_cast<double>(rows.size());
    }
    return truth;
}

bool misses(const std::optional<statistics::Interval>& ci95, double truth) {
    return !ci95 || truth < ci95->lower || truth > ci95->upper;
}

TEST(SliceCalibration, IntervalsOfSlicesHoldTheTruth) {
    constexpr double kOutside = 0.05;
    for (const std::size_t samples : {25U, 100U}) {
        for (const Design& design : kDesigns) {
            const World world{samples, design.repeats, design.alike};
            const Truth truth = truth_of(world);
            const std::size_t simulated = simulations(30);
            const auto count = [&](auto is_missed, const char* name) {
                const std::size_t missed = count_decisions(simulated, [&](Random& random) {
                    const auto rows = Samples(world, random).run({}, random);
                    const auto summary = reduce_sliced(rows, 1);
                    return is_missed(summary.extra.slice_tests.task_types.begin()->second);
                });
                expect_rare(missed, simulated, kOutside);
                report("95 % interval of a slice: the truth lies outside",
                       fmt::format("{}, {} samples, {}", name, samples, design.name), "at most 5 %",
                       missed, simulated);
            };
            count(
                [&](const auto& one) { return misses(one.rubric_pass_rate_ci95, truth.pass_rate); },
                "pass rate");
            count([&](const auto& one) { return misses(one.aggregate_score_ci95, truth.score); },
                  "score");
        }
    }
}

// The runs of a group, each a model of its own; the last is changed.
bool finds_model(const World& world, std::size_t models, const Change& change, Random& random) {
    const Samples samples(world, random);
    std::vector<std::vector<TrialRow>> runs;
    std::vector<std::uint32_t> indices(world.samples * world.repeats);
    std::iota(indices.begin(), indices.end(), 0U);
    reduce::RunSliceTester tester({reduce::kTestsOfASlice * models, 42});
    for (std::size_t i = 0; i < models; ++i) {
        runs.push_back(samples.run(i + 1 == models ? change : Change{}, random));
        tester.add_run(reduce::Population(runs.back(), indices));
    }
    std::vector<job::SliceTest> tests;
    for (std::size_t i = 0; i < models; ++i)
        tests.push_back(tester.test(std::array{i}, reduce::Population(runs[i], indices)));
    std::vector<job::SliceTest*> all;
    for (job::SliceTest& test : tests)
        all.push_back(&test);
    reduce::correct_slice_tests(all);
    if (change.shift != 0) return tests.back().finding() == SliceFinding::lower;
    return std::ranges::any_of(tests, [](const job::SliceTest& test) { return test.is_found(); });
}

TEST(SliceCalibration, FindsNothingInAGroupWhoseModelsDoNotDiffer) {
    for (const std::size_t models : {3U, 10U}) {
        for (const Design& design : kDesigns) {
            const World world{100, design.repeats, design.alike};
            const std::size_t simulated = simulations(8);
            const std::size_t found = count_decisions(
                simulated, [&](Random& random) { return finds_model(world, models, {}, random); });
            expect_rare(found, simulated);
            report("models of a group that do not differ: any is said to",
                   fmt::format("{} models, 100 samples, {}", models, design.name), "at most 5 %",
                   found, simulated);
        }
        const std::size_t simulated = simulations(6);
        const std::size_t found = count_decisions(simulated, [&](Random& random) {
            return finds_model({100}, models, {.shift = -0.5}, random);
        });
        report("power: one model of a group is worse, and is said to be lower",
               fmt::format("{} models, 100 samples, quality down by 0.5 deviations", models), "",
               found, simulated);
    }
}

}  // namespace
}  // namespace evalfleet::calibration
