// How often the comparison of runs errs, and what it finds: docs/statistics.md has the long run.

#include "coordinator/reduce/comparison.hpp"

#include "tests/calibration/simulated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::calibration {
namespace {

using reduce::ComparisonRule;
using reduce::Finding;
using reduce::MetricDifference;

constexpr double kLevel = 0.05;
constexpr double kPerfect = 9;  ///< a level at which every answer is right

using Rows = ComparisonRule::Rows;

// The first run of a world against others that are changed.
std::vector<Rows> compare(const World& world, const std::vector<Change>& changes, Random& random,
                          const job::Margins& margins = {}) {
    const Samples samples(world, random);
    const auto base = samples.run({}, random);
    ComparisonRule rule({.replicates = 40, .margins = margins}, changes.size());
    for (const Change& change : changes) {
        const auto candidate = samples.run(change, random);
        rule.add(reduce::TrialPairs(base, candidate));
    }
    return std::move(rule).decide();
}

bool has(const Rows& rows, Finding finding) {
    return std::ranges::find(rows, finding, &MetricDifference::verdict) != rows.end();
}

Finding verdict_of(const Rows& rows, std::string_view name) {
    return std::ranges::find(rows, name, &MetricDifference::name)->verdict;
}

bool finds_a_difference(const std::vector<Rows>& candidates) {
    return std::ranges::any_of(candidates, [](const Rows& rows) {
        return has(rows, Finding::worse) || has(rows, Finding::better);
    });
}

struct Design {
    const char* name;
    std::uint32_t repeats;
    Repeats alike;
};
constexpr Design kDesigns[] = {{"1 repeat", 1, Repeats::independent},
                               {"3 identical repeats", 3, Repeats::identical},
                               {"3 correlated repeats", 3, Repeats::correlated},
                               {"3 independent repeats", 3, Repeats::independent}};

void expect_rare(std::size_t decisions, std::size_t simulated) {
    EXPECT_LE(static_cast<double>(decisions), most_of(simulated, kLevel)) << "of " << simulated;
}

TEST(ComparisonCalibration, FindsNothingBetweenTwoRunsThatDoNotDiffer) {
    for (const Design& design : kDesigns) {
        for (const std::size_t samples : {6U, 9U, 20U, 60U, 200U, 2000U}) {
            SCOPED_TRACE(fmt::format("{} samples, {}", samples, design.name));
            const std::size_t simulated = simulations(samples > 200 ? 10 : 4000 / samples);
            const World world{samples, design.repeats, design.alike};
            const std::size_t found = count_decisions(simulated, [&](Random& random) {
                return finds_a_difference(compare(world, {Change{}}, random));
            });
            expect_rare(found, simulated);
            report("compare, no true difference: any row worse or better",
                   fmt::format("{} samples, {}", samples, design.name), "at most 5 %", found,
                   simulated);
        }
    }
}

TEST(ComparisonCalibration, FindsNothingInAGroupOfRunsThatDoNotDiffer) {
    for (const Design& design : kDesigns) {
        for (const std::size_t runs : {2U, 10U, 20U, 30U}) {
            SCOPED_TRACE(fmt::format("{} runs, {}", runs, design.name));
            const World world{100, design.repeats, design.alike};
            const std::size_t simulated = simulations(60 / runs + 4);
            const std::size_t found = count_decisions(simulated, [&](Random& random) {
                return finds_a_difference(compare(world, std::vector<Change>(runs - 1), random));
            });
            expect_rare(found, simulated);
            report("group of runs of 100 samples, no true difference: any row of any run",
                   fmt::format("{} runs, {}", runs, design.name), "at most 5 %", found, simulated);
        }
    }
}

struct Effect {
    const char* name;
    const char* metric;
    Change change;
    double margin = 0;  ///< that is asked for; 0: none
};

Finding verdict_in(const World& world, const Effect& effect, Random& random) {
    job::Margins margins;
    if (effect.margin > 0) margins.emplace(effect.metric, effect.margin);
    return verdict_of(compare(world, {effect.change}, random, margins).front(), effect.metric);
}

// The candidate is worse by exactly the margin.
TEST(ComparisonCalibration, DoesNotCallALossOfTheWholeMarginNoWorse) {
    constexpr double kLost = 0.05;
    const Effect effects[] = {
        {"passes fall from 100 % to 95 %", "rubric_pass_rate", {.lost_share = kLost}, kLost},
        {"score falls by 0.0225, in 5 % of the samples",
         "aggregate_score",
         {.lost_share = kLost},
         0.45 * kLost},
        {"slower by 10 %", "latency_e2e_ms", {.slower = 1.1}, 0.1}};
    for (const Effect& effect : effects) {
        for (const Design& design : {kDesigns[0], kDesigns[1]}) {
            for (const std::size_t samples : {20U, 100U, 200U, 1000U}) {
                SCOPED_TRACE(fmt::format("{}, {} samples, {}", effect.name, samples, design.name));
                const std::size_t simulated = simulations(samples > 200 ? 20 : 4000 / samples);
                const World world{samples, design.repeats, design.alike, kPerfect};
                const std::size_t wrong = count_decisions(simulated, [&](Random& random) {
                    return verdict_in(world, effect, random) == Finding::no_worse;
                });
                expect_rare(wrong, simulated);
                report("the margin is the true loss: \"no worse\"",
                       fmt::format("{}: {} samples, {}", effect.name, samples, design.name),
                       "at most 2.5 %", wrong, simulated);
            }
        }
    }
}

TEST(ComparisonCalibration, ShowsThatAMarginIsKeptIfThereAreSamplesEnough) {
    const Effect effects[] = {{"pass rate, margin 0.05", "rubric_pass_rate", {}, 0.05},
                              {"score, margin 0.02", "aggregate_score", {}, 0.02},
                              {"latency, margin 10 %", "latency_e2e_ms", {}, 0.1}};
    for (const Effect& effect : effects) {
        for (const std::size_t samples : {100U, 200U, 744U, 2000U}) {
            const std::size_t simulated = simulations(samples > 200 ? 10 : 20);
            const std::size_t shown = count_decisions(simulated, [&](Random& random) {
                return verdict_in({samples}, effect, random) == Finding::no_worse;
            });
            if (samples == 2000) {
                EXPECT_GE(static_cast<double>(shown), 0.8 * static_cast<double>(simulated))
                    << effect.name;
            }
            report("power: no true difference, and \"no worse\" is shown",
                   fmt::format("{}, {} samples", effect.name, samples), "", shown, simulated);
        }
    }
}

TEST(ComparisonCalibration, FindsDifferencesThatAreThere) {
    const Effect effects[] = {
        {"quality down by 0.3 deviations", "aggregate_score", {.shift = -0.3}},
        {"quality down by 0.3 deviations", "rubric_pass_rate", {.shift = -0.3}},
        {"10 % of the samples lost", "rubric_pass_rate", {.lost_share = 0.1}},
        {"10 % slower", "latency_e2e_ms", {.slower = 1.1}},
        {"50 % slower", "latency_e2e_ms", {.slower = 1.5}}};
    for (const Effect& effect : effects) {
        for (const std::size_t samples : {20U, 60U, 200U, 744U}) {
            const std::size_t simulated = simulations(samples > 200 ? 10 : 20);
            const World world{samples, 1, Repeats::independent};
            const std::size_t found = count_decisions(simulated, [&](Random& random) {
                return verdict_in(world, effect, random) == Finding::worse;
            });
            // Where there are samples enough, it is nearly always found.
            if (samples == 744) {
                EXPECT_GE(static_cast<double>(found), 0.8 * static_cast<double>(simulated))
                    << effect.name << ", " << effect.metric;
            }
            report("power: the row is worse",
                   fmt::format("{}: {}, {} samples", effect.name, effect.metric, samples), "",
                   found, simulated);
        }
    }
}

TEST(ComparisonCalibration, FindsThatAllOf27RunsAreSlowerByHalf) {
    const std::size_t simulated = simulations(4);
    const std::size_t found = count_decisions(simulated, [](Random& random) {
        const World world{100, 1, Repeats::independent};
        const auto runs = compare(world, std::vector<Change>(26, {.slower = 1.5}), random);
        return std::ranges::all_of(runs, [](const Rows& rows) {
            return verdict_of(rows, "latency_e2e_ms") == Finding::worse;
        });
    });
    EXPECT_EQ(found, simulated);
    report("group of 27 runs, 26 of them slower by half, 100 samples", "all 26 are found", "",
           found, simulated);
}

}  // namespace
}  // namespace evalfleet::calibration
