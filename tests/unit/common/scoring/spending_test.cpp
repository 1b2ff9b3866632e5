#include "common/scoring/spending.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace evalfleet::scoring {
namespace {

TEST(Spending, AddsUpBothCalls) {
    job::TrialRecord record;
    record.cost_usd = 0.001;
    record.evaluator_cost_usd = 0.0005;
    record.input_tokens = 10;
    record.output_tokens = 20;
    record.evaluator_input_tokens = 300;
    record.evaluator_output_tokens = 4;
    Spending sum = spending_of(record);
    EXPECT_EQ(sum, (Spending{1'500'000, 334}));
    sum += sum;
    EXPECT_EQ(sum, (Spending{3'000'000, 668}));
}

TEST(Spending, OfAnAnswerThatIsJudgedAgainIsTheJudgesCallAlone) {
    job::TrialRecord record;
    record.rejudged_from = "old";
    record.cost_usd = 0;
    record.input_tokens = 10;
    record.output_tokens = 20;
    record.failed_attempts_input_tokens = 5;
    record.evaluator_cost_usd = 0.0005;
    record.evaluator_input_tokens = 300;
    record.evaluator_output_tokens = 4;
    EXPECT_EQ(spending_of(record), (Spending{500'000, 304}));
}

TEST(Spending, CountsUnknownAndImpossibleFiguresAsNothing) {
    EXPECT_EQ(spending_of({}), Spending());
    job::TrialRecord record;
    record.cost_usd = std::numeric_limits<double>::quiet_NaN();
    record.evaluator_cost_usd = -1;
    record.input_tokens = -5;
    record.output_tokens = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(spending_of(record), (Spending{0, 1'000'000'000'000}));
}

}  // namespace
}  // namespace evalfleet::scoring
