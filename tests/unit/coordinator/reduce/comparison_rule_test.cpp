#include "coordinator/reduce/comparison_rule.hpp"

#include "coordinator/reduce/sample_differences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace evalfleet::reduce {
namespace {

using testing::HasSubstr;

using Rows = ComparisonRule::Rows;
using Table = std::vector<TrialRow>;

// A trial in which everything is known and as good as can be.
TrialRow good(std::uint32_t sample, std::uint32_t repeat) {
    TrialRow row;
    row.sample_index = sample;
    row.repeat = repeat;
    row.accuracy = 2;
    row.faithfulness = 2;
    row.rubric_passed = 1;
    row.spec_passed = 1;
    row.sample_score = 0.9;
    row.latency_e2e_ms = 1000 + 10.0 * sample;
    row.output_tokens = 100;
    row.total_tokens = 500;
    return row;
}

Table table(std::uint32_t samples, std::uint32_t repeats = 1,
            const std::function<void(TrialRow&)>& change = {}) {
    Table rows;
    for (std::uint32_t i = 0; i < samples * repeats; ++i) {
        rows.push_back(good(i / repeats, i % repeats + 1));
        if (change) change(rows.back());
    }
    return rows;
}

Rows compare(const Table& base, const Table& candidate, const ComparisonPlan& plan = {}) {
    ComparisonRule rule(plan, 1);
    rule.add(TrialPairs(base, candidate));
    return std::move(rule).decide().front();
}

const MetricDifference& row(const Rows& rows, std::string_view name) {
    return *std::ranges::find(rows, name, &MetricDifference::name);
}

void fail(TrialRow& row) {
    row.rubric_passed = 0;
    row.spec_passed = 0;
    row.accuracy = 0;
    row.sample_score = 0.4;
}

TEST(ComparisonRule, TakesAMarginForEveryMetricThatItTests) {
    const auto metrics = compared_metrics();
    ASSERT_EQ(metrics.size(), job::kMarginRules.size());
    for (std::size_t i = 0; i < metrics.size(); ++i)
        EXPECT_EQ(metrics[i].name, job::kMarginRules[i].name);
}

// Eight samples of thirty change sides, seven to one. Three identical repeats of each are no
// more evidence than one.
TEST(ComparisonRule, CountsASampleOnceHoweverOftenItIsRepeated) {
    const auto lost = [](TrialRow& row) {
        if (row.sample_index < 7) fail(row);
    };
    const auto won = [](TrialRow& row) {
        if (row.sample_index == 8) fail(row);
    };
    const Rows once = compare(table(30, 1, won), table(30, 1, lost));
    const Rows thrice = compare(table(30, 3, won), table(30, 3, lost));
    ASSERT_EQ(once.size(), thrice.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
        EXPECT_EQ(once[i].p_value, thrice[i].p_value) << once[i].name;
        EXPECT_EQ(once[i].verdict, thrice[i].verdict) << once[i].name;
        EXPECT_EQ(once[i].samples, thrice[i].samples);
    }
    EXPECT_EQ(row(thrice, "rubric_pass_rate").pairs, 90U);
    EXPECT_EQ(row(thrice, "rubric_pass_rate").lost_samples, 7U);
    EXPECT_EQ(row(thrice, "rubric_pass_rate").won_samples, 1U);
}

TEST(ComparisonRule, CorrectsOverAllMetrics) {
    const auto slower = [](TrialRow& row) {
        row.latency_e2e_ms *= row.sample_index < 11 ? 1.2 : 1;
    };
    const Rows rows = compare(table(40), table(40, 1, slower));
    const auto& latency = row(rows, "latency_e2e_ms");
    EXPECT_DOUBLE_EQ(*latency.p_value, std::ldexp(1.0, -10));
    EXPECT_DOUBLE_EQ(*latency.p_value_holm, 8 * std::ldexp(1.0, -10));
    EXPECT_EQ(latency.verdict, Finding::worse);
}

TEST(ComparisonRule, CannotTellWithFewSamplesHoweverLargeTheLoss) {
    for (std::uint32_t samples = 0; samples < 9; ++samples) {
        const Rows rows = compare(table(samples), table(samples, 1, fail));
        EXPECT_EQ(decision_of(rows), Decision::cannot_tell) << samples;
        EXPECT_THAT(why_undecided(rows),
                    HasSubstr(samples == 0 ? "no trial has a value" : "needed"));
    }
    // 2^-8 among eight tests is below 0.05 at last.
    EXPECT_EQ(decision_of(compare(table(9), table(9, 1, fail))), Decision::worse);
    EXPECT_EQ(decision_of(compare(table(9), table(9))), Decision::nothing_found);
}

TEST(ComparisonRule, CannotTellWithoutReplicatesOrSharedTrials) {
    const Rows none = compare(table(100), table(100, 1, fail), {.replicates = 0});
    EXPECT_EQ(decision_of(none), Decision::cannot_tell);
    EXPECT_THAT(why_undecided(none), HasSubstr("0 bootstrap replicates, at least 40 are needed"));
    const Table elsewhere = table(100, 1, [](TrialRow& row) { row.sample_index += 1000; });
    EXPECT_EQ(decision_of(compare(table(100), elsewhere)), Decision::cannot_tell);
}

TEST(ComparisonRule, FindsEveryRunOfALargeGroupThatIsSlowerByHalf) {
    const Table base = table(100);
    ComparisonRule rule({}, 26);
    std::vector<Table> candidates;
    for (int run = 0; run < 26; ++run) {
        candidates.push_back(table(100, 1, [run](TrialRow& row) {
            row.latency_e2e_ms *= 1.5 + 0.3 * std::sin(row.sample_index * (run + 1.0));
        }));
        rule.add(TrialPairs(base, candidates.back()));
    }
    for (const Rows& rows : std::move(rule).decide()) {
        EXPECT_EQ(row(rows, "latency_e2e_ms").verdict, Finding::worse);
        EXPECT_NEAR(*row(rows, "latency_e2e_ms").difference, 0.47, 0.05);
    }
}

TEST(ComparisonRule, CallsALossWithinTheMarginNoWorse) {
    const auto little = [](TrialRow& row) {
        row.sample_score -= 0.01;
        row.total_tokens += 10;
    };
    const ComparisonPlan plan{.margins = {{"aggregate_score", 0.05}, {"total_tokens", 0.04}}};
    const Rows many = compare(table(1000), table(1000, 1, little), plan);
    EXPECT_EQ(row(many, "aggregate_score").verdict, Finding::no_worse);
    EXPECT_EQ(row(many, "total_tokens").verdict, Finding::no_worse);
    EXPECT_EQ(row(many, "total_tokens").margin, 0.04);
    EXPECT_EQ(decision_of(many), Decision::no_worse);
    EXPECT_EQ(decision_of(compare(table(1000), table(1000, 1, little))), Decision::worse)
        << "without margins the same loss is one";
    const ComparisonPlan tight{.margins = {{"total_tokens", 0.01}}};
    EXPECT_EQ(row(compare(table(1000), table(1000, 1, little), tight), "total_tokens").verdict,
              Finding::worse);
}

// Nothing was lost in 20 samples; one in six may yet be.
TEST(ComparisonRule, NeedsSamplesForAMarginEvenIfNothingDiffers) {
    const ComparisonPlan plan{.margins = {{"rubric_pass_rate", 0.05}}};
    const Rows few = compare(table(20), table(20), plan);
    EXPECT_EQ(row(few, "rubric_pass_rate").verdict, Finding::cannot_tell);
    EXPECT_GT(*row(few, "rubric_pass_rate").worse_by_at_most, 0.15);
    EXPECT_EQ(decision_of(few), Decision::cannot_tell);
    const Rows enough = compare(table(100), table(100), plan);
    EXPECT_EQ(decision_of(enough), Decision::no_worse);
}

TEST(ComparisonRule, DrawsNoIntervalWithoutAWidth) {
    const Table base = table(12);
    const Table candidate = table(12, 1, [](TrialRow& row) { row.sample_score -= 0.1; });
    const Rows rows = compare(base, candidate);
    const statistics::Interval score = row(rows, "aggregate_score").ci95.value();
    EXPECT_LT(score.lower, -0.11);
    EXPECT_GT(score.upper, -0.09);
    EXPECT_EQ(row(rows, "output_tokens").ci95, std::nullopt) << "a ratio has no range";
}

TEST(ComparisonRule, SaysHowLargeALossMayBeThatIsNotWithinItsMargin) {
    ComparisonPlan plan;
    plan.margins["rubric_pass_rate"] = 0.05;
    const Rows rows = compare(table(20), table(20), plan);
    EXPECT_THAT(row(rows, "rubric_pass_rate").reason.value(),
                HasSubstr("it may be as large as 0.174, and the margin is 0.05"));
}

TEST(ComparisonRule, DoesNotCompareTheLatencyOfReusedAnswers) {
    const auto reused = [](TrialRow& row) {
        row.reused = 1;
        row.latency_e2e_ms *= 3;
    };
    const Rows rows = compare(table(100), table(100, 1, reused));
    for (const char* name : {"latency_e2e_ms", "latency_e2e_p95_ms"}) {
        EXPECT_FALSE(row(rows, name).base) << name;
        EXPECT_FALSE(row(rows, name).p_value) << name;
        EXPECT_EQ(row(rows, name).verdict, Finding::cannot_tell);
        EXPECT_THAT(*row(rows, name).reason,
                    HasSubstr("not compared: the answers were taken over"));
    }
    EXPECT_TRUE(row(rows, "total_tokens").p_value);
    EXPECT_EQ(decision_of(rows), Decision::nothing_found);
}

TEST(ComparisonRule, LeavesOutTrialsThatWereNotMeasured) {
    const auto lost = [](TrialRow& row) {
        if (row.sample_index >= 50) return;
        fail(row);
        row.response = static_cast<std::uint32_t>(Response::failed) & 3U;
        row.lost = 1;
    };
    const auto unscored = [](TrialRow& row) {
        if (row.sample_index >= 50) return;
        fail(row);
        row.accuracy = TrialRow::kNoScore;
        row.faithfulness = TrialRow::kNoScore;
        row.sample_score = TrialRow::kNone;
    };
    for (const auto& change : {std::function<void(TrialRow&)>(lost), {unscored}}) {
        const Rows rows = compare(table(100), table(100, 1, change));
        EXPECT_EQ(row(rows, "rubric_pass_rate").samples, 50U);
        EXPECT_EQ(row(rows, "rubric_pass_rate").difference, 0.0);
        EXPECT_EQ(decision_of(rows), Decision::nothing_found);
    }
}

TEST(ComparisonRule, DrawsNoIntervalOfAP95OfFewerThan59Samples) {
    EXPECT_FALSE(row(compare(table(58, 3), table(58, 3)), "latency_e2e_p95_ms").ci95);
    const auto rows = compare(table(59), table(59));
    EXPECT_TRUE(row(rows, "latency_e2e_p95_ms").ci95);
    EXPECT_THAT(*row(rows, "latency_e2e_p95_ms").reason, HasSubstr("described only"));
}

TEST(ComparisonRule, GivesTheSameForAnyNumberOfThreads) {
    const auto noisy = [](TrialRow& row) {
        row.sample_score -= 0.1 * std::sin(row.sample_index * 1.7);
        row.latency_e2e_ms *= 1 + 0.2 * std::cos(row.sample_index * 2.3);
    };
    const Table base = table(500);
    const Table candidate = table(500, 1, noisy);
    EXPECT_EQ(compare(base, candidate, {.threads = 1}), compare(base, candidate, {.threads = 5}));
}

// Ten samples of a hundred are lost and ten are won: differences of variance 20 / 99. With eight
// tests t is 2.795 and 0.845, so d^2 = 3.640^2 (0.2020 + d - d^2) / 100, which is 0.223.
TEST(ComparisonRule, SaysWhichDifferenceItFindsFourTimesOfFive) {
    const Table base = table(100, 1, [](TrialRow& row) {
        if (row.sample_index < 10) fail(row);
    });
    const Table candidate = table(100, 1, [](TrialRow& row) {
        if (row.sample_index >= 10 && row.sample_index < 20) fail(row);
    });
    const Rows rows =
        compare(base, candidate, {.detect = {{"rubric_pass_rate", 0.1}, {"total_tokens", 0.1}}});
    const RowPower& power = row(rows, "rubric_pass_rate").power;
    EXPECT_NEAR(power.paired.detectable.value(), 0.223, 0.001);
    EXPECT_NEAR(power.correlation.value(), -1.0 / 9, 1e-9);
    EXPECT_NEAR(power.unpaired.value(), 0.198, 0.001) << "0.1818 + 0.8 d - d^2";
    EXPECT_EQ(power.paired.within_variance, std::nullopt);
    EXPECT_EQ(power.detect, 0.1);
    EXPECT_NEAR(static_cast<double>(power.samples_to_detect.value()), 376, 5);
    EXPECT_EQ(row(rows, "spec_pass_rate").power.samples_to_detect, std::nullopt) << "not asked";
    const RowPower& tokens = row(rows, "total_tokens").power;
    EXPECT_EQ(tokens.paired.detectable, std::nullopt) << "no spread was seen";
    EXPECT_EQ(tokens.samples_to_detect, std::nullopt);
}

TEST(ComparisonRule, SaysWhatMoreRepeatsWouldBring) {
    const Table base = table(100, 2);
    // Every second sample fails in one of its two repeats.
    const Table candidate = table(100, 2, [](TrialRow& row) {
        if (row.sample_index % 2 == 0 && row.repeat == 2) fail(row);
    });
    const RowPower power = row(compare(base, candidate), "rubric_pass_rate").power;
    // Half of the samples have differences 0 and -1: variance 1/2 each.
    EXPECT_NEAR(power.paired.within_variance.value(), 0.25, 1e-12);
    EXPECT_NEAR(power.paired.between_variance.value(), 0, 1e-12);
    EXPECT_LT(*power.paired.with_twice_the_samples, *power.paired.detectable);
    EXPECT_LT(*power.paired.with_twice_the_repeats, *power.paired.detectable);
    EXPECT_LT(*power.paired.with_twice_the_samples, *power.paired.with_twice_the_repeats);
}

TEST(ComparisonRule, SaysNothingOfPowerWhereNothingCouldBeFound) {
    const Table base = table(8);
    const Table candidate = table(8, 1, [](TrialRow& row) {
        if (row.sample_index == 3) fail(row);
    });
    for (const MetricDifference& one : compare(base, candidate))
        EXPECT_EQ(one.power.paired.detectable, std::nullopt) << one.name;
}

}  // namespace
}  // namespace evalfleet::reduce
