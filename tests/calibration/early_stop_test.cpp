// How often a run that ends early has another verdict than it would have had, and how early it
// ends: docs/statistics.md has the long run.

#include "coordinator/reduce/early_stop.hpp"

#include "tests/calibration/gated_runs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace evalfleet::calibration {
namespace {

using reduce::GateWatch;
using reduce::TrialRow;

constexpr double kLevel = GateWatch::kErrorRate;

struct Ending {
    bool stopped = false;
    double share = 1;          ///< of the samples that went out
    bool is_wrong = false;     ///< the whole run would have had the other verdict
    bool contradicts = false;  ///< the summary says something else than the stop
};

// Whatever a watch says is believed; the control of what the other rules are for.
enum class Trust { rules, watch_alone };

bool ends(reduce::EarlyStop& stop, const GateWatch& watch, std::span<const TrialRow> so_far,
          const job::Policy& policy, Trust trust) {
    if (trust == Trust::watch_alone) return watch.verdict() != GateWatch::Verdict::open;
    return stop.wants_summary(watch) && stop.may_end(watch, judge(so_far, policy));
}

Ending follow(const GatedWorld& world, const job::Policy& policy, Random& random,
              Trust trust = Trust::rules) {
    const std::vector<TrialRow> rows = simulate(world, random);
    GateWatch watch(policy.gates, world.samples, world.repeats);
    reduce::EarlyStop stop;
    Ending ending;
    for (std::size_t sample = 0; sample + 1 < world.samples; ++sample) {
        for (std::size_t i = sample * world.repeats; i < (sample + 1) * world.repeats; ++i)
            watch.add(i, reduce::gate_values(rows[i], policy.gates));
        const std::span so_far(rows.data(), (sample + 1) * world.repeats);
        if (!ends(stop, watch, so_far, policy, trust)) continue;
        const bool passed = watch.verdict() == GateWatch::Verdict::pass;
        ending.stopped = true;
        ending.share = static_cast<double>(sample + 1) / static_cast<double>(world.samples);
        ending.is_wrong = judge(rows, policy).release_ready != passed;
        ending.contradicts = judge(so_far, policy).release_ready != passed;
        break;
    }
    return ending;
}

job::Policy policy_of(const GatedWorld& world, double easier = 0) {
    job::Policy policy;
    policy.gates = world.gates(easier);
    policy.weights = world.weights;
    policy.bootstrap.replicates = 50;
    return policy;
}

struct Case {
    std::string name;
    GatedWorld world;
    job::Policy policy;
};

// All four figures near their thresholds is harder to pass than any one of them: the other gates
// are easy where only one shall be near.
Case one_gate_near(std::size_t samples, const RepeatDesign& design) {
    GatedWorld world{samples, design.repeats, design.alike};
    world.faithful = 0.99;
    world.slow = 0.01;
    job::Policy policy = policy_of(world);
    policy.gates.max_faithfulness_failure_rate = 0.05;
    policy.gates.min_aggregate_score -= 0.1;
    return {fmt::format("{} samples, {}", samples, design.name), world, policy};
}

std::vector<Case> make_cases() {
    std::vector<Case> cases;
    for (const std::size_t samples : {100U, 744U, 2000U}) {
        for (const RepeatDesign& design : kRepeatDesigns) {
            cases.push_back(one_gate_near(samples, design));
            cases.back().name += ", pass rate at its threshold";
            const GatedWorld world{samples, design.repeats, design.alike};
            cases.push_back(
                {fmt::format("{} samples, {}, all four at their thresholds", samples, design.name),
                 world, policy_of(world)});
        }
    }
    for (const RepeatDesign& design : {kRepeatDesigns[0], kRepeatDesigns[2]}) {
        const auto add = [&](const char* what, auto change) {
            Case one = one_gate_near(744, design);
            change(one.world);
            one.policy.gates.min_pass_rate = one.world.gates().min_pass_rate;
            one.policy.gates.min_aggregate_score = one.world.gates().min_aggregate_score - 0.1;
            one.policy.weights = one.world.weights;
            cases.push_back({fmt::format("{}, {}", one.name, what), one.world, one.policy});
        };
        add("8 % of calls fail after 15 s", [](GatedWorld& world) { world.failed = 0.08; });
        add("3 % of calls lost", [](GatedWorld& world) { world.lost = 0.03; });
        add("5 % unscored", [](GatedWorld& world) { world.unscored = 0.05; });
        add("weights 0.1/0.1/0.4/0.4", [](GatedWorld& world) {
            world.weights = {0.1, 0.1, 0.4, 0.4};
        });
    }
    return cases;
}

std::size_t bounded(const GatedWorld& world) {
    return 4 + 8000 / (world.samples * world.repeats);
}

TEST(EarlyStopCalibration, SeldomGivesAnotherVerdictThanTheWholeRun) {
    for (const auto& [name, world, policy] : make_cases()) {
        SCOPED_TRACE(name);
        const std::size_t simulated = simulations(bounded(world));
        const auto counts =
            count_each(simulated, [&, &world = world, &policy = policy](Random& random) {
                const Ending ending = follow(world, policy, random);
                return Decisions{ending.is_wrong, ending.contradicts, ending.stopped};
            });
        EXPECT_LE(static_cast<double>(counts[0]), most_of(simulated, kLevel)) << simulated;
        EXPECT_EQ(counts[1], 0U) << "the summary contradicts the stop";
        report("ended early with another verdict than the whole run", name, "at most 5 %",
               counts[0], simulated);
    }
}

// The gate of the latency has the same limit as ever: calls that fail after 15 s are not of its
// population, and must not fail it.
TEST(EarlyStopCalibration, DoesNotFailARunForTheLatencyOfCallsThatAreNoLatencies) {
    GatedWorld world{744};
    world.failed = 0.08;
    world.slow = 0.01;
    world.faithful = 0.99;
    world.accurate = 0.97;
    job::Policy policy = policy_of(world, 0.08);
    const std::size_t simulated = simulations(12);
    const auto counts = count_each(simulated, [&](Random& random) {
        const Ending ending = follow(world, policy, random);
        return Decisions{ending.is_wrong, ending.contradicts, ending.stopped};
    });
    EXPECT_LE(static_cast<double>(counts[0]), most_of(simulated, kLevel));
    EXPECT_EQ(counts[1], 0U);
    EXPECT_GT(counts[2], simulated / 2) << "it passes, and early";
    report("8 % of the calls fail after 15 s, all gates pass by 0.08, 744 samples",
           "ended early with another verdict", "at most 5 %", counts[0], simulated);
    report("8 % of the calls fail after 15 s, all gates pass by 0.08, 744 samples",
           "the summary contradicts the stop", "never", counts[1], simulated);
    report("8 % of the calls fail after 15 s, all gates pass by 0.08, 744 samples", "ended early",
           "", counts[2], simulated);
}

// A run with calls under way: a few go out at once, and those that fail come back after fifteen
// times as long. As the run's keeper does it, the end is begun when the summary agrees: nothing new
// goes out, what is under way is waited for, and the summary is asked again.
class CallsUnderWay {
  public:
    CallsUnderWay(const GatedWorld& world, const job::Policy& policy, Random& random)
        : policy_(policy),
          random_(random),
          rows_(simulate(world, random)),
          is_home_(rows_.size()),
          watch_(policy.gates, world.samples, world.repeats) {}

    Ending follow() {
        while (true) {
            while (!is_draining_ && out_.size() < kAtOnce && next_ < rows_.size())
                send();
            if (out_.empty() && !is_draining_) return {};
            if (out_.empty()) {
                if (may_end()) return end();
                is_draining_ = false;
                continue;
            }
            receive();
            // The last call is out: nothing is saved any more.
            if (next_ == rows_.size()) return {};
            if (!is_draining_ && stop_.wants_summary(watch_)) is_draining_ = may_end();
        }
    }

  private:
    static constexpr std::size_t kAtOnce = 64;

    void send() {
        const bool is_failed = rows_[next_].how_it_ended() == reduce::Response::failed;
        const double takes = (is_failed ? 15 : 1) * (0.5 + random_.uniform());
        out_.emplace(now_ + takes, next_++);
    }

    void receive() {
        const auto [when, trial] = *out_.begin();
        out_.erase(out_.begin());
        now_ = when;
        is_home_[trial] = true;
        watch_.add(trial, reduce::gate_values(rows_[trial], policy_.gates));
    }

    [[nodiscard]] job::Summary summary() const {
        std::vector<TrialRow> home;
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (is_home_[i]) home.push_back(rows_[i]);
        return judge(home, policy_);
    }

    bool may_end() { return stop_.may_end(watch_, summary()); }

    [[nodiscard]] Ending end() const {
        const bool passed = watch_.verdict() == GateWatch::Verdict::pass;
        return {.stopped = true,
                .share = static_cast<double>(next_) / static_cast<double>(rows_.size()),
                .is_wrong = judge(rows_, policy_).release_ready != passed,
                .contradicts = summary().release_ready != passed};
    }

    const job::Policy& policy_;
    Random& random_;
    std::vector<TrialRow> rows_;
    std::vector<bool> is_home_;
    GateWatch watch_;
    reduce::EarlyStop stop_;
    std::multimap<double, std::size_t> out_;  // by when it comes back
    std::size_t next_ = 0;
    double now_ = 0;
    bool is_draining_ = false;
};

TEST(EarlyStopCalibration, AgreesWithTheWholeRunWhereSlowCallsFail) {
    for (const RepeatDesign& design : kRepeatDesigns) {
        for (const double easier : {0.08, 0.0, -0.05}) {
            GatedWorld world{744, design.repeats, design.alike};
            world.failed = 0.08;
            world.slow = 0.01;
            world.faithful = 0.99;
            world.accurate = 0.97;
            job::Policy policy = policy_of(world, 0.08);
            policy.gates.min_pass_rate = world.gates(easier).min_pass_rate;
            const std::size_t simulated = simulations(6);
            const auto counts = count_each(simulated, [&](Random& random) {
                const Ending ending = CallsUnderWay(world, policy, random).follow();
                return Decisions{ending.is_wrong, ending.contradicts, ending.stopped};
            });
            EXPECT_LE(static_cast<double>(counts[0]), most_of(simulated, kLevel));
            EXPECT_EQ(counts[1], 0U) << "the summary contradicts the stop";
            const std::string name = fmt::format(
                "{}, pass rate {}", design.name,
                easier == 0
                    ? "at its threshold"
                    : fmt::format("{:.2f} {}", std::abs(easier), easier > 0 ? "better" : "worse"));
            constexpr const char* kHeading =
                "64 calls at once, 8 % fail and take 15 times as long, 744 samples";
            report(kHeading, name + ": ended early with another verdict than the whole run",
                   "at most 5 %", counts[0], simulated);
            report(kHeading, name + ": ended early", "", counts[2], simulated);
        }
    }
}

struct Fall {
    const char* name;
    double rate;  ///< of passes at first
    double fall;
    double from;
    double to;
};
constexpr Fall kFalls[] = {{"0.97 falls by 0.25 in the first tenth", 0.97, 0.25, 0, 0.1},
                           {"0.90 falls by 0.10 in the first fifth", 0.9, 0.1, 0, 0.2},
                           {"0.88 falls by 0.10 all the way", 0.88, 0.1, 0, 1},
                           {"0.88 falls by 0.20 at once after a tenth", 0.88, 0.2, 0.1, 0.1},
                           {"0.95 falls by 0.20 all the way", 0.95, 0.2, 0, 1},
                           {"0.95 falls by 0.20 at once after half", 0.95, 0.2, 0.5, 0.5}};

// Nothing can know what has not happened yet: a run that ended before its quality fell is wrong
// about the whole. The rules see a fall that has begun.
TEST(EarlyStopCalibration, IsNotMoreOftenDeceivedByAFallThanTheWatchAlone) {
    for (const Fall& fall : kFalls) {
        GatedWorld world{2000};
        world.faithful = 0.995;
        world.slow = 0.005;
        world.accurate = fall.rate / world.faithful;
        job::Policy policy = policy_of(world, 0.2);
        policy.gates.min_pass_rate = 0.85;
        world.fall = fall.fall;
        world.fall_from = fall.from;
        world.fall_to = fall.to;
        const std::size_t simulated = simulations(10);
        const auto counts = count_each(simulated, [&](Random& random) {
            Random same = random;
            return Decisions{follow(world, policy, random).is_wrong,
                             follow(world, policy, same, Trust::watch_alone).is_wrong};
        });
        EXPECT_LE(counts[0], counts[1]) << fall.name;
        constexpr const char* kHeading =
            "drift, gate of the pass rate at 0.85, 2000 samples: another verdict than the whole "
            "run";
        report(kHeading, fall.name, "", counts[0], simulated);
        report(kHeading, fmt::format("{}, without looking for drift", fall.name), "", counts[1],
               simulated);
    }
}

TEST(EarlyStopCalibration, EndsEarlyWhereTheTruthIsFarFromTheThreshold) {
    for (const double rate : {0.98, 0.95, 0.90, 0.80, 0.70, 0.50}) {
        for (const std::size_t samples : {744U, 2000U}) {
            GatedWorld world{samples};
            world.faithful = 0.995;
            world.slow = 0.005;
            world.accurate = rate / world.faithful;
            job::Policy policy = policy_of(world, 0.2);
            policy.gates.min_pass_rate = 0.85;
            policy.gates.max_faithfulness_failure_rate = 0.05;
            const std::size_t simulated = simulations(6);
            const auto counts = count_each(simulated, [&](Random& random) {
                const Ending ending = follow(world, policy, random);
                return Decisions{ending.stopped, ending.share <= 0.25, ending.share <= 0.1};
            });
            if (samples == 2000 && (rate == 0.98 || rate == 0.50)) {
                EXPECT_GE(counts[1] * 5, simulated * 4) << rate;
            }
            constexpr const char* kWhen[] = {"before the last sample", "within a quarter",
                                             "within a tenth"};
            for (std::size_t i = 0; i < counts.size(); ++i) {
                report("power: ended early, gate of the pass rate at 0.85",
                       fmt::format("pass rate {:.2f}, {} samples: {}", rate, samples, kWhen[i]), "",
                       counts[i], simulated);
            }
        }
    }
}

}  // namespace
}  // namespace evalfleet::calibration
