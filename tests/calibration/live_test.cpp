// How often somebody who looks at a run all the time sees a gate decided that is not:
// docs/statistics.md has the long run.

#include "coordinator/reduce/live_watch.hpp"
#include "tests/calibration/gated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::calibration {
namespace {

using reduce::GateWatch;
using reduce::LiveWatch;
using reduce::TrialRow;
using Verdict = GateWatch::Verdict;

constexpr std::size_t kGates = job::kGates.size();

// What was seen by who looked after every sample.
struct Seen {
    std::array<bool, kGates> pass{};
    std::array<bool, kGates> fail{};
    bool left_out = false;     ///< an interval that did not hold the truth, of those looked at
    double decided_after = 1;  ///< the share of the samples after which every gate was decided once

    [[nodiscard]] bool any() const {
        const auto is_true = [](bool one) { return one; };
        return std::ranges::any_of(pass, is_true) || std::ranges::any_of(fail, is_true);
    }
};

struct Case {
    std::string name;
    GatedWorld world;
};

bool holds(const statistics::Interval& interval, double truth) {
    return interval.lower <= truth && truth <= interval.upper;
}

// `easier` than the truth is what the gates ask for; of the latency it is the share that is slow.
bool hold_truth(const job::AlwaysValid& valid, const GatedWorld& world) {
    const job::Policy::Gates truth = world.gates();
    return holds(valid.aggregate_score, truth.min_aggregate_score) &&
           holds(valid.pass_rate, truth.min_pass_rate) &&
           holds(valid.faithfulness_failure_rate, truth.max_faithfulness_failure_rate) &&
           holds(valid.latency_share_over, world.slow);
}

// Whether every gate is decided.
bool look(const LiveWatch& watch, Seen& seen) {
    const LiveWatch::Verdicts verdicts = watch.verdicts();
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        seen.pass[gate] = seen.pass[gate] || verdicts[gate] == Verdict::pass;
        seen.fail[gate] = seen.fail[gate] || verdicts[gate] == Verdict::fail;
    }
    return std::ranges::count(verdicts, Verdict::open) == 0;
}

Seen follow(const GatedWorld& world, const job::Policy::Gates& gates, Random& random,
            bool with_intervals = false) {
    const std::vector<TrialRow> rows = simulate(world, random);
    LiveWatch watch(gates, world.samples, world.repeats);
    Seen seen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        watch.add(i, reduce::gate_values(rows[i], gates));
        if ((i + 1) % world.repeats != 0) continue;
        const bool all = look(watch, seen);
        const std::size_t sample = (i + 1) / world.repeats;
        // An interval takes a thousand times as long as a verdict.
        if (with_intervals && (sample & (sample - 1)) == 0)
            seen.left_out = seen.left_out || !hold_truth(watch.intervals(), world);
        if (all && seen.decided_after == 1)
            seen.decided_after = static_cast<double>(sample) / static_cast<double>(world.samples);
    }
    return seen;
}

std::vector<Case> make_cases() {
    std::vector<Case> cases;
    for (const std::size_t samples : {35U, 100U, 744U, 2000U})
        for (const RepeatDesign& design : kRepeatDesigns)
            cases.push_back({fmt::format("{} samples, {}", samples, design.name),
                             {samples, design.repeats, design.alike}});
    for (const RepeatDesign& design : {kRepeatDesigns[0], kRepeatDesigns[2]}) {
        const auto add = [&](const char* what, auto change) {
            GatedWorld world{744, design.repeats, design.alike};
            change(world);
            cases.push_back({fmt::format("744 samples, {}, {}", design.name, what), world});
        };
        add("8 % of calls fail", [](GatedWorld& world) { world.failed = 0.08; });
        add("3 % of calls lost", [](GatedWorld& world) { world.lost = 0.03; });
        add("5 % unscored", [](GatedWorld& world) { world.unscored = 0.05; });
        add("30 % unscored", [](GatedWorld& world) { world.unscored = 0.3; });
        add("weights 0.1/0.1/0.4/0.4", [](GatedWorld& world) {
            world.weights = {0.1, 0.1, 0.4, 0.4};
        });
        add("failures are rare",
            [](GatedWorld& world) { world.accurate = world.faithful = 0.995; });
    }
    // Neighbouring samples are put together.
    cases.push_back({"9000 samples, 1 repeat", {9000}});
    return cases;
}

std::size_t bounded(const GatedWorld& world) {
    return 4 + 8000 / (world.samples * world.repeats);
}

TEST(LiveCalibration, SeldomDecidesAGateWhoseTruthIsAtItsThreshold) {
    for (const auto& [name, world] : make_cases()) {
        SCOPED_TRACE(name);
        const std::size_t simulated = simulations(bounded(world));
        const auto counts = count_each(simulated, [&world = world](Random& random) {
            return Decisions{follow(world, world.gates(), random).any()};
        });
        EXPECT_LE(static_cast<double>(counts[0]), most_of(simulated, GateWatch::kErrorRate));
        report("any of four gates at their thresholds ever seen decided", name, "at most 5 %",
               counts[0], simulated);
    }
}

TEST(LiveCalibration, SeldomDecidesWronglyBesideTheThreshold) {
    for (const double easier : {0.02, -0.02}) {
        for (const RepeatDesign& design : kRepeatDesigns) {
            const GatedWorld world{744, design.repeats, design.alike};
            const std::size_t simulated = simulations(bounded(world));
            const auto counts = count_each(simulated, [&](Random& random) {
                const Seen seen = follow(world, world.gates(easier), random);
                const auto& wrong = easier > 0 ? seen.fail : seen.pass;
                // The latency is at its limit whatever the gates ask for.
                return Decisions{wrong[0] || wrong[1] || wrong[2]};
            });
            EXPECT_LE(static_cast<double>(counts[0]), most_of(simulated, GateWatch::kErrorRate));
            report("ever seen decided wrongly, truth 0.02 beside the thresholds",
                   fmt::format("744 samples, {}, {}", design.name,
                               easier > 0 ? "0.02 better" : "0.02 worse"),
                   "at most 5 %", counts[0], simulated);
        }
    }
}

TEST(LiveCalibration, ShowsIntervalsThatHoldTheTruthWheneverOneLooks) {
    for (const std::size_t samples : {100U, 744U}) {
        for (const RepeatDesign& design : kRepeatDesigns) {
            const GatedWorld world{samples, design.repeats, design.alike};
            const std::size_t simulated = simulations(bounded(world));
            const auto counts = count_each(simulated, [&](Random& random) {
                return Decisions{follow(world, world.gates(), random, true).left_out};
            });
            EXPECT_LE(static_cast<double>(counts[0]), most_of(simulated, GateWatch::kErrorRate));
            report("any of the four live intervals ever leaves the truth out",
                   fmt::format("{} samples, {}, looked at after 1, 2, 4, 8, ... samples", samples,
                               design.name),
                   "at most 5 %", counts[0], simulated);
        }
    }
}

TEST(LiveCalibration, DecidesWhereTheTruthIsFarFromTheThreshold) {
    for (const std::size_t samples : {744U, 2000U}) {
        GatedWorld world{samples};
        world.faithful = 0.995;
        world.slow = 0.005;
        const std::size_t simulated = simulations(6);
        const auto counts = count_each(simulated, [&](Random& random) {
            const Seen seen = follow(world, world.gates(0.1), random);
            return Decisions{seen.decided_after < 1, seen.decided_after <= 0.5};
        });
        if (samples == 2000) {
            EXPECT_GE(counts[1] * 5, simulated * 4);
        }
        constexpr const char* kWhen[] = {"before the last sample", "within a half"};
        for (std::size_t i = 0; i < counts.size(); ++i)
            report("power: all four gates, 0.1 better than their thresholds, seen decided",
                   fmt::format("{} samples: {}", samples, kWhen[i]), "", counts[i], simulated);
    }
}

}  // namespace
}  // namespace evalfleet::calibration
