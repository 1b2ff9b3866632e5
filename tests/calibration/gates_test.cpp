// How often a gate is said to be decided, and is not: docs/statistics.md has the long run.

#include "tests/calibration/gated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace evalfleet::calibration {
namespace {

using job::Gate;

constexpr std::uint32_t kReplicates = 100;
constexpr std::size_t kGates = job::kGates.size();
constexpr double kLevel = 0.05;

struct Case {
    std::string name;
    GatedWorld world;
};

void add_disturbed(std::vector<Case>& cases, std::size_t samples, const RepeatDesign& design) {
    const std::string name = fmt::format("{} samples, {}", samples, design.name);
    const GatedWorld plain{samples, design.repeats, design.alike};
    const auto add = [&](const char* what, auto change) {
        GatedWorld world = plain;
        change(world);
        cases.push_back({name + ", " + what, world});
    };
    add("8 % of calls fail", [](GatedWorld& world) { world.failed = 0.08; });
    add("3 % of calls lost", [](GatedWorld& world) { world.lost = 0.03; });
    add("5 % unscored", [](GatedWorld& world) { world.unscored = 0.05; });
    add("weights 0.1/0.1/0.4/0.4", [](GatedWorld& world) { world.weights = {0.1, 0.1, 0.4, 0.4}; });
}

std::vector<Case> make_cases() {
    std::vector<Case> cases;
    for (const std::size_t samples : {6U, 10U, 20U, 60U, 200U, 2000U}) {
        for (const RepeatDesign& design : kRepeatDesigns) {
            cases.push_back({fmt::format("{} samples, {}", samples, design.name),
                             {samples, design.repeats, design.alike}});
        }
    }
    for (const std::size_t samples : {20U, 200U, 2000U})
        for (const RepeatDesign& design : {kRepeatDesigns[0], kRepeatDesigns[2]})
            add_disturbed(cases, samples, design);
    // Most runs of so many samples have scores that are all alike.
    for (const std::size_t samples : {20U, 60U, 200U}) {
        for (const RepeatDesign& design : {kRepeatDesigns[0], kRepeatDesigns[2]}) {
            GatedWorld world{samples, design.repeats, design.alike};
            world.accurate = world.faithful = 0.995;
            cases.push_back(
                {fmt::format("{} samples, {}, failures are rare", samples, design.name), world});
        }
    }
    return cases;
}

std::size_t bounded(const GatedWorld& world) {
    return 4 + 6000 / (world.samples * world.repeats);
}

// What one run says of each gate.
enum Said : std::size_t { decided, decided_wrongly, clear, count_of_said };

// `passes`: what the truth is.
Decisions judge_once(const GatedWorld& world, const job::Policy::Gates& gates, bool passes,
                     Random& random) {
    job::Policy policy;
    policy.gates = gates;
    policy.weights = world.weights;
    policy.bootstrap.replicates = kReplicates;
    const job::Summary summary = judge(simulate(world, random), policy);
    Decisions decisions(kGates * count_of_said);
    for (std::size_t i = 0; i < kGates; ++i) {
        const Gate& gate = summary.gates.*job::kGates[i].gate;
        const bool is_decided = job::is_decided(gate, summary.extra.gate_decisions[i]);
        decisions[i * count_of_said + decided] = is_decided;
        decisions[i * count_of_said + decided_wrongly] = is_decided && gate.passed != passes;
        decisions[i * count_of_said + clear] = gate.certainty() == job::Certainty::clear;
    }
    return decisions;
}

Decisions judge_once(const GatedWorld& world, double easier, Random& random) {
    return judge_once(world, world.gates(easier), easier > 0, random);
}

using Counts = std::vector<std::size_t>;

std::size_t said(const Counts& counts, std::size_t gate, Said what) {
    return counts[gate * count_of_said + what];
}

// Both verdicts are as wrong as right: nothing can be decided about it.
TEST(GateCalibration, IsSeldomDecidedWhereTheTruthIsTheThreshold) {
    const std::vector<Case> cases = make_cases();
    std::vector<Counts> counts;
    for (const Case& one : cases) {
        counts.push_back(count_each(simulations(bounded(one.world)), [&](Random& random) {
            return judge_once(one.world, 0, random);
        }));
    }
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        const std::string_view gate_name = job::kGates[gate].name;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const std::size_t simulated = simulations(bounded(cases[i].world));
            const std::size_t false_ones = said(counts[i], gate, decided);
            EXPECT_LE(static_cast<double>(false_ones), most_of(simulated, kLevel))
                << gate_name << ", " << cases[i].name << ", of " << simulated;
            report(fmt::format("gate {}: decided, truth at the threshold", gate_name),
                   cases[i].name, "at most 5 %", false_ones, simulated);
        }
        for (std::size_t i = 0; i < cases.size(); ++i) {
            report(fmt::format("gate {}: clear, truth at the threshold", gate_name), cases[i].name,
                   "", said(counts[i], gate, clear), simulations(bounded(cases[i].world)));
        }
    }
}

TEST(GateCalibration, IsSeldomDecidedWronglyWhereTheTruthIsBesideTheThreshold) {
    for (const double easier : {0.02, -0.02}) {
        for (const std::size_t samples : {6U, 10U, 20U, 60U, 200U, 2000U}) {
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
                    worst = std::max(worst, said(counts, gate, decided_wrongly));
                EXPECT_LE(static_cast<double>(worst), most_of(simulated, kLevel));
                report("decided wrongly, truth 0.02 beside the threshold: the worst gate", name,
                       "at most 5 %", worst, simulated);
            }
        }
    }
}

// The Rubric's pass rate counts an answer without a score as failed, however good it is, and what
// infrastructure lost as well. So a verdict may be clear that is nothing but an outage.
TEST(GateCalibration, DoesNotBlameTheModelForWhatWasNotMeasured) {
    for (const bool is_lost : {false, true}) {
        for (const std::size_t samples : {20U, 200U, 2000U}) {
            GatedWorld world{samples};
            const double if_all_were_measured = world.gates().min_pass_rate;
            (is_lost ? world.lost : world.unscored) = 0.05;
            job::Policy policy;
            policy.gates = world.gates();
            policy.gates.min_pass_rate = if_all_were_measured;
            policy.bootstrap.replicates = kReplicates;
            const std::size_t simulated = simulations(bounded(world));
            const Counts failed = count_each(simulated, [&](Random& random) {
                const job::Summary summary = judge(simulate(world, random), policy);
                const Gate& gate = summary.gates.pass_rate;
                const bool is_decided = job::is_decided(gate, summary.extra.gate_decisions[1]);
                return Decisions{is_decided && !gate.passed,
                                 gate.certainty() == job::Certainty::clear && !gate.passed};
            });
            EXPECT_LE(static_cast<double>(failed[0]), most_of(simulated, kLevel));
            const char* const heading =
                "pass rate: failed, and at the threshold if every trial had been measured";
            const std::string name =
                fmt::format("{} samples, 1 repeat, 5 % {}", samples, is_lost ? "lost" : "unscored");
            report(heading, name + ": decided", "at most 5 %", failed[0], simulated);
            report(heading, name + ": clear", "", failed[1], simulated);
        }
    }
}

void report_power(const std::string& distance, const std::string& name, const Counts& counts,
                  std::size_t simulated) {
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        const std::size_t right = said(counts, gate, decided) - said(counts, gate, decided_wrongly);
        report("power: decided and right, truth " + distance + " beside the threshold",
               fmt::format("{}, {}", job::kGates[gate].name, name), "", right, simulated);
    }
}

// Where the truth is far away, the verdict is decided with samples enough.
TEST(GateCalibration, IsDecidedWithSamplesEnough) {
    for (const double easier : {0.03, -0.03}) {
        for (const std::size_t samples : {200U, 744U, 2000U}) {
            GatedWorld world{samples};
            world.slow -= easier;
            const std::size_t simulated = simulations(samples > 200 ? 6 : 20);
            const Counts counts = count_each(
                simulated, [&](Random& random) { return judge_once(world, easier, random); });
            for (std::size_t gate = 0; gate < kGates && samples == 2000; ++gate)
                EXPECT_GE(2 * said(counts, gate, decided), simulated) << job::kGates[gate].name;
            report_power("0.03",
                         fmt::format("{} samples, {}", samples, easier > 0 ? "better" : "worse"),
                         counts, simulated);
        }
    }
}

// A model that is far too bad is found out with few samples, and one that is far better than it
// must be with not many more.
TEST(GateCalibration, IsDecidedWithFewSamplesWhereTheTruthIsFarAway) {
    for (const bool passes : {true, false}) {
        for (const std::size_t samples : {6U, 10U, 20U, 60U, 100U}) {
            GatedWorld world{samples};
            const job::Policy::Gates gates = world.gates(passes ? 0.2 : 0);
            if (passes) {
                world.slow = 0;
            } else {
                world.accurate -= 0.3;
                world.faithful -= 0.3;
                world.slow += 0.3;
            }
            const std::size_t simulated = simulations(40);
            const Counts counts = count_each(simulated, [&](Random& random) {
                return judge_once(world, gates, passes, random);
            });
            for (std::size_t gate = 0; gate < kGates && samples == 100; ++gate)
                EXPECT_GE(2 * said(counts, gate, decided), simulated) << job::kGates[gate].name;
            report_power(passes ? "0.2 (latency: no trial is slow)" : "0.3",
                         fmt::format("{} samples, {}", samples, passes ? "better" : "worse"),
                         counts, simulated);
        }
    }
}

}  // namespace
}  // namespace evalfleet::calibration
