// How often a gate calls a verdict clear that is not: docs/statistics.md has the long run.

#include "tests/calibration/gated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace evalfleet::calibration {
namespace {

using job::Gate;

constexpr std::uint32_t kReplicates = 100;
constexpr std::size_t kGates = job::kGates.size();

// How often a gate may be clear at its threshold. Wilson's interval rests on counts, so that its
// error jumps around 5 %. The interval of a mean has no width where all scores are alike, as those
// of few samples often are: docs/statistics.md tells it, reports warn.
double most_clear(std::size_t gate, std::size_t samples) {
    if (gate != 0) return 0.09;
    return samples < 10 ? 0.45 : samples < 20 ? 0.25 : samples < 60 ? 0.11 : 0.07;
}

struct Case {
    std::string name;
    GatedWorld world;
};

std::vector<Case> make_cases() {
    std::vector<Case> cases;
    for (const std::size_t samples : {6U, 10U, 20U, 60U, 200U, 2000U}) {
        for (const RepeatDesign& design : kRepeatDesigns) {
            cases.push_back({fmt::format("{} samples, {}", samples, design.name),
                             {samples, design.repeats, design.alike}});
        }
    }
    for (const std::size_t samples : {20U, 200U, 2000U}) {
        for (const RepeatDesign& design : {kRepeatDesigns[0], kRepeatDesigns[2]}) {
            const std::string name = fmt::format("{} samples, {}", samples, design.name);
            GatedWorld world{samples, design.repeats, design.alike};
            world.failed = 0.08;
            cases.push_back({name + ", 8 % of calls fail", world});
            world.failed = 0;
            world.unscored = 0.05;
            cases.push_back({name + ", 5 % unscored", world});
            world.unscored = 0;
            world.weights = {0.1, 0.1, 0.4, 0.4};
            cases.push_back({name + ", weights 0.1/0.1/0.4/0.4", world});
        }
    }
    return cases;
}

std::size_t bounded(const GatedWorld& world) {
    return 4 + 6000 / (world.samples * world.repeats);
}

bool is_clear(const Gate& gate) {
    return gate.certainty() == job::Certainty::clear;
}

// For each gate whether it is clear, and whether it is clear and wrong.
Decisions judge_once(const GatedWorld& world, double easier, Random& random) {
    job::Policy policy;
    policy.gates = world.gates(easier);
    policy.weights = world.weights;
    policy.bootstrap.replicates = kReplicates;
    const job::Summary summary = judge(simulate(world, random), policy);
    Decisions decisions;
    for (const job::GateInfo& info : job::kGates)
        decisions.push_back(is_clear(summary.gates.*info.gate));
    for (const job::GateInfo& info : job::kGates) {
        const Gate& gate = summary.gates.*info.gate;
        decisions.push_back(is_clear(gate) && gate.passed != (easier > 0));
    }
    return decisions;
}

// Both verdicts are as wrong as right: nothing can be clear about it.
TEST(GateCalibration, IsSeldomClearWhereTheTruthIsTheThreshold) {
    const std::vector<Case> cases = make_cases();
    std::vector<std::vector<std::size_t>> clear;
    for (const Case& one : cases) {
        clear.push_back(count_each(simulations(bounded(one.world)), [&](Random& random) {
            return judge_once(one.world, 0, random);
        }));
    }
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        const std::string_view gate_name = job::kGates[gate].name;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const std::size_t simulated = simulations(bounded(cases[i].world));
            EXPECT_LE(static_cast<double>(clear[i][gate]),
                      most_of(simulated, most_clear(gate, cases[i].world.samples)))
                << gate_name << ", " << cases[i].name << ", of " << simulated;
            report(fmt::format("gate {}: clear, truth at the threshold", gate_name), cases[i].name,
                   "about 5 %", clear[i][gate], simulated);
        }
    }
}

TEST(GateCalibration, IsSeldomClearAndWrongWhereTheTruthIsBesideTheThreshold) {
    for (const double easier : {0.02, -0.02}) {
        for (const std::size_t samples : {20U, 200U, 2000U}) {
            for (const RepeatDesign& design : kRepeatDesigns) {
                GatedWorld world{samples, design.repeats, design.alike};
                world.slow -= easier;  // its threshold stays
                const std::string name = fmt::format("{} samples, {}, {}", samples, design.name,
                                                     easier > 0 ? "0.02 better" : "0.02 worse");
                SCOPED_TRACE(name);
                const std::size_t simulated = simulations(bounded(world));
                const auto counts = count_each(
                    simulated, [&](Random& random) { return judge_once(world, easier, random); });
                std::size_t worst = 0;
                for (std::size_t gate = 0; gate < kGates; ++gate)
                    worst = std::max(worst, counts[kGates + gate]);
                EXPECT_LE(static_cast<double>(worst), most_of(simulated, 0.05));
                report("clear and wrong, truth 0.02 beside the threshold: the worst gate", name,
                       "at most 5 %", worst, simulated);
            }
        }
    }
}

// The Rubric's pass rate counts an answer without a score as failed, however good it is. The rule
// opens a verdict that all of them together would turn, which is less than their uncertainty.
TEST(GateCalibration, TakesUnscoredAnswersForFailures) {
    for (const std::size_t samples : {20U, 200U, 2000U}) {
        GatedWorld world{samples};
        const double if_all_were_scored = world.gates().min_pass_rate;
        world.unscored = 0.05;
        job::Policy policy;
        policy.gates = world.gates();
        policy.gates.min_pass_rate = if_all_were_scored;
        policy.bootstrap.replicates = kReplicates;
        const std::size_t simulated = simulations(bounded(world));
        const std::size_t failed = count_decisions(simulated, [&](Random& random) {
            const Gate gate = judge(simulate(world, random), policy).gates.pass_rate;
            return is_clear(gate) && !gate.passed;
        });
        EXPECT_LE(static_cast<double>(failed), most_of(simulated, 0.4));
        report("pass rate: clear failure, and at the threshold if every answer had a score",
               fmt::format("{} samples, 1 repeat, 5 % unscored", samples), "", failed, simulated);
    }
}

// Where the truth is far away, the verdict is clear with samples enough.
TEST(GateCalibration, IsClearWithSamplesEnough) {
    for (const double easier : {0.03, -0.03}) {
        for (const std::size_t samples : {200U, 744U, 2000U}) {
            GatedWorld world{samples};
            world.slow -= easier;
            const std::size_t simulated = simulations(samples > 200 ? 6 : 20);
            const auto counts = count_each(
                simulated, [&](Random& random) { return judge_once(world, easier, random); });
            for (std::size_t gate = 0; gate < kGates; ++gate) {
                const std::size_t right = counts[gate] - counts[kGates + gate];
                if (samples == 2000) {
                    EXPECT_GE(2 * right, simulated) << job::kGates[gate].name;
                }
                report("power: clear and right, truth 0.03 beside the threshold",
                       fmt::format("{}, {} samples, {}", job::kGates[gate].name, samples,
                                   easier > 0 ? "0.03 better" : "0.03 worse"),
                       "", right, simulated);
            }
        }
    }
}

}  // namespace
}  // namespace evalfleet::calibration
