// Whether a difference that is said to be detectable is found 4 times of 5: docs/statistics.md has
// the long run.

#include "common/statistics/moments.hpp"
#include "common/statistics/student_t.hpp"
#include "coordinator/reduce/comparison.hpp"
#include "coordinator/reduce/run_power.hpp"
#include "coordinator/reduce/slice_tests.hpp"
#include "coordinator/reduce/trial_values.hpp"
#include "tests/calibration/simulated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace evalfleet::calibration {
namespace {

using reduce::ComparisonRule;
using reduce::Finding;
using reduce::MetricDifference;
using reduce::TrialRow;

struct Design {
    const char* name;
    std::uint32_t repeats;
    Repeats alike;
};
constexpr Design kDesigns[] = {{"1 repeat", 1, Repeats::independent},
                               {"3 correlated repeats", 3, Repeats::correlated}};

// A way to be worse that can be made as large as one likes.
struct Effect {
    const char* name;
    const char* metric;
    double (*value)(const TrialRow&);
    Change (*by)(double size);
    double most;
    double most_power;  ///< that is still about 80 %
};
constexpr Effect kEffects[] = {
    {"score, all samples a little worse", "aggregate_score", reduce::measured_score,
     [](double size) { return Change{.shift = -size}; }, 3, 0.93},
    {"pass rate, all samples a little worse", "rubric_pass_rate", reduce::measured_pass,
     [](double size) { return Change{.shift = -size}; }, 3, 1},
    {"pass rate, some samples lost", "rubric_pass_rate", reduce::measured_pass,
     [](double size) { return Change{.lost_share = size}; }, 1, 0.93},
};

double mean_of(const std::vector<TrialRow>& rows, double (*value)(const TrialRow&)) {
    double sum = 0;
    for (const TrialRow& row : rows)
        sum += value(row);
    return sum / static_cast<double>(rows.size());
}

// The change that lowers the metric's true mean by `difference`.
Change change_of(const Effect& effect, double difference) {
    const std::size_t count = simulations(0) > 0 ? 20'000 : 3'000;
    const auto loss = [&](double size) {
        Random random(7);
        const Samples samples({count}, random);
        Random same = random;
        return mean_of(samples.run({}, random), effect.value) -
               mean_of(samples.run(effect.by(size), same), effect.value);
    };
    double low = 0;
    double high = effect.most;
    for (int i = 0; i < 12; ++i) {
        const double middle = (low + high) / 2;
        (loss(middle) < difference ? low : high) = middle;
    }
    return effect.by((low + high) / 2);
}

MetricDifference compare(const World& world, const Change& change, const char* metric,
                         Random& random) {
    const Samples samples(world, random);
    const auto base = samples.run({}, random);
    const auto candidate = samples.run(change, random);
    ComparisonRule rule({.replicates = 40}, 1);
    rule.add(reduce::TrialPairs(base, candidate));
    const auto rows = std::move(rule).decide().front();
    return *std::ranges::find(rows, metric, &MetricDifference::name);
}

// What runs without a difference say on average.
template <class Stated>
double stated(Stated&& one) {
    constexpr std::size_t kRuns = 20;
    double sum = 0;
    for (std::size_t i = 0; i < kRuns; ++i) {
        Random random(1000 + i);
        sum += one(random).value_or(1) / kRuns;
    }
    return sum;
}

void expect_about_80_percent(std::size_t found, std::size_t simulated, double most = 0.93) {
    const auto share = static_cast<double>(found) / static_cast<double>(simulated);
    const double noise = 3.1 * std::sqrt(0.16 / static_cast<double>(simulated));
    EXPECT_GE(share, 0.72 - noise);
    EXPECT_LE(share, most + noise);
}

TEST(PowerCalibration, PairedRunsFindWhatIsSaidToBeDetectable) {
    for (const Effect& effect : kEffects) {
        for (const Design& design : kDesigns) {
            for (const std::size_t samples : {60U, 200U, 744U}) {
                SCOPED_TRACE(fmt::format("{}, {} samples, {}", effect.name, samples, design.name));
                const World world{samples, design.repeats, design.alike};
                const double difference = stated([&](Random& random) {
                    return compare(world, {}, effect.metric, random).power.paired.detectable;
                });
                const Change change = change_of(effect, difference);
                const std::size_t simulated = simulations(samples > 200 ? 10 : 20);
                const std::size_t found = count_decisions(simulated, [&](Random& random) {
                    return compare(world, change, effect.metric, random).verdict == Finding::worse;
                });
                expect_about_80_percent(found, simulated, effect.most_power);
                report("paired: a difference of the stated size is found",
                       fmt::format("{}, {} samples, {}: {:.3f}", effect.name, samples, design.name,
                                   difference),
                       "about 80 %", found, simulated);
            }
        }
    }
}

TEST(PowerCalibration, PairedRunsFindALatencyThatIsSaidToBeDetectable) {
    for (const std::size_t samples : {60U, 200U, 744U}) {
        const World world{samples};
        const double slower = stated([&](Random& random) {
            return compare(world, {}, "latency_e2e_ms", random).power.paired.detectable;
        });
        const std::size_t simulated = simulations(20);
        const std::size_t found = count_decisions(simulated, [&](Random& random) {
            return compare(world, {.slower = 1 + slower}, "latency_e2e_ms", random).verdict ==
                   Finding::worse;
        });
        expect_about_80_percent(found, simulated);
        report("paired: a difference of the stated size is found",
               fmt::format("latency, {} samples, 1 repeat: {:.1f} % slower", samples, 100 * slower),
               "about 80 %", found, simulated);
    }
}

// A few slow calls make up most of the spread, so what one pair of runs states varies. Each states
// its own, and another pair is made worse by it.
TEST(PowerCalibration, PairedRunsFindALatencyWithLongTailsThatIsSaidToBeDetectable) {
    for (const double slow_share : {0.01, 0.03, 0.1}) {
        for (const std::size_t samples : {60U, 200U, 744U}) {
            World world{samples};
            world.slow_share = slow_share;
            const std::size_t simulated = simulations(samples > 200 ? 10 : 20);
            const std::size_t found = count_decisions(simulated, [&](Random& random) {
                const auto slower =
                    compare(world, {}, "latency_e2e_ms", random).power.paired.detectable;
                return slower &&
                       compare(world, {.slower = 1 + *slower}, "latency_e2e_ms", random).verdict ==
                           Finding::worse;
            });
            expect_about_80_percent(found, simulated);
            report("paired: a difference of the size stated by the pair before is found",
                   fmt::format("latency, {:.0f} % of calls take 3 to 10 times as long, {} samples",
                               100 * slow_share, samples),
                   "about 80 %", found, simulated);
        }
    }
}

// The runs of other samples, one of them changed.
struct Unpaired {
    std::vector<TrialRow> base;
    std::vector<TrialRow> candidate;
    std::vector<std::uint32_t> indices;

    Unpaired(const World& world, const Change& change, Random& random)
        : base(Samples(world, random).run({}, random)),
          candidate(Samples(world, random).run(change, random)),
          indices(base.size()) {
        std::iota(indices.begin(), indices.end(), 0U);
    }

    // Student's test of the samples' means.
    [[nodiscard]] bool differ(double (*value)(const TrialRow&)) const {
        const auto before = reduce::SampleMeans(reduce::Population(base, indices), value).means;
        const auto after = reduce::SampleMeans(reduce::Population(candidate, indices), value).means;
        const double a = statistics::sample_stddev(before).value();
        const double b = statistics::sample_stddev(after).value();
        const auto size = static_cast<double>(before.size());
        const double distance = *statistics::mean(before) - *statistics::mean(after);
        return distance >
               statistics::student_t95(2 * (size - 1)) * std::sqrt((a * a + b * b) / size);
    }
};

TEST(PowerCalibration, RunsOfOtherSamplesFindWhatIsSaidToBeDetectable) {
    for (const Effect& effect : kEffects) {
        const bool is_score = effect.metric == std::string_view("aggregate_score");
        for (const Design& design : kDesigns) {
            for (const std::size_t samples : {60U, 744U}) {
                SCOPED_TRACE(fmt::format("{}, {} samples, {}", effect.name, samples, design.name));
                const World world{samples, design.repeats, design.alike};
                const double difference = stated([&](Random& random) {
                    const Unpaired runs(world, {}, random);
                    const auto power =
                        reduce::estimate_power(reduce::Population(runs.base, runs.indices));
                    return is_score ? power.aggregate_score.detectable
                                    : power.rubric_pass_rate.detectable;
                });
                const Change change = change_of(effect, difference);
                const std::size_t simulated = simulations(samples > 200 ? 10 : 20);
                const std::size_t found = count_decisions(simulated, [&](Random& random) {
                    return Unpaired(world, change, random).differ(effect.value);
                });
                expect_about_80_percent(found, simulated, effect.most_power);
                report("not paired: a difference of the stated size is found",
                       fmt::format("{}, {} samples, {}: {:.3f}", effect.name, samples, design.name,
                                   difference),
                       "about 80 %", found, simulated);
            }
        }
    }
}

}  // namespace
}  // namespace evalfleet::calibration
