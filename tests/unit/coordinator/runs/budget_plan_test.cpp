#include "coordinator/runs/budget_plan.hpp"

#include "common/scoring/evaluator_templates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::HasSubstr;

job::RunSpec spec_with(double max_cost_usd, std::int64_t max_total_tokens) {
    job::RunSpec spec;
    spec.models = {{"main", "m", "1"}};
    spec.prompts = {{"p", "1", "12345678", "{{task}}"}};  // 16 bytes: 4 tokens
    spec.generation.max_tokens = 100;
    spec.judge = job::JudgeSpec{{"judges", "j", "1"}};
    spec.limits.max_cost_usd = max_cost_usd;
    spec.limits.max_total_tokens = max_total_tokens;
    return spec;
}

double judge_template_tokens() {
    const auto& text = scoring::evaluator_template(job::EvaluatorProfile::rubric_v1).text();
    return static_cast<double>(text.size()) / 4;
}

const PriceList kPrices{{"main", {.input_usd_per_mtok = 2, .output_usd_per_mtok = 10}},
                        {"judges", {.input_usd_per_mtok = 1, .output_usd_per_mtok = 4}}};

TEST(BudgetPlan, SetsTokensOfBothCallsAside) {
    const BudgetPlan plan = plan_budget(spec_with(0, 5'000), {}, {0, 70}).value();
    EXPECT_EQ(plan.tokens.limit, 5'000U);
    EXPECT_DOUBLE_EQ(plan.tokens.per_job, 4 + 100 + judge_template_tokens() + 100 + 1024);
    EXPECT_DOUBLE_EQ(plan.tokens.per_byte, 0.5);
    EXPECT_EQ(plan.tokens.spent, 70U);
    EXPECT_EQ(plan.cost.limit, 0U);
}

TEST(BudgetPlan, SetsMoneyAsideByThePricesOfEachProvider) {
    const BudgetPlan plan = plan_budget(spec_with(2.5, 0), kPrices, {900, 0}).value();
    EXPECT_EQ(plan.cost.limit, 2'500'000'000U);
    const double model = 4 * 2'000.0 + 100 * 10'000.0;
    const double judge = (judge_template_tokens() + 100) * 1'000.0 + 1024 * 4'000.0;
    EXPECT_DOUBLE_EQ(plan.cost.per_job, model + judge);
    EXPECT_DOUBLE_EQ(plan.cost.per_byte, 500 + 250);
    EXPECT_EQ(plan.cost.spent, 900U);
}

TEST(BudgetPlan, SetsNothingAsideForAModelThatIsNotCalled) {
    job::RunSpec spec = spec_with(0, 5'000);
    spec.rejudged_from = "r0";
    EXPECT_DOUBLE_EQ(plan_budget(spec, {}, {}).value().tokens.per_job,
                     judge_template_tokens() + 100 + 1024);
}

TEST(BudgetPlan, RefusesALimitOfCostWithoutPrices) {
    PriceList some = kPrices;
    some.erase("judges");
    const auto plan = plan_budget(spec_with(1, 0), some, {});
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::invalid);
    EXPECT_THAT(plan.error().message, HasSubstr("provider 'judges'"));
    EXPECT_TRUE(plan_budget(spec_with(0, 0), {}, {}));
}

TEST(BudgetPlan, SaysWhichBudgetEndedTheRun) {
    const job::RunSpec spec = spec_with(2.5, 5'000);
    EXPECT_THAT(budget_note("cost", spec.limits, {2'400'000'000, 0}),
                HasSubstr("the budget of 2.50 USD is used up (2.4000 USD spent)"));
    EXPECT_THAT(budget_note("tokens", spec.limits, {0, 4'900}),
                HasSubstr("the budget of 5000 tokens is used up (4900 spent)"));
}

TEST(BudgetPlan, KnowsThePricesOfSingleModels) {
    PriceList prices = kPrices;
    prices["main/m"] = {.input_usd_per_mtok = 20, .output_usd_per_mtok = 100};
    prices["judges/other"] = {.input_usd_per_mtok = 99, .output_usd_per_mtok = 99};
    const BudgetPlan plan = plan_budget(spec_with(2.5, 0), prices, {}).value();
    const double model = 4 * 20'000.0 + 100 * 100'000.0;
    const double judge = (judge_template_tokens() + 100) * 1'000.0 + 1024 * 4'000.0;
    EXPECT_DOUBLE_EQ(plan.cost.per_job, model + judge);
}

TEST(BudgetPlan, SetsAsideWhatTheJudgeMayWrite) {
    job::RunSpec spec = spec_with(0, 5'000);
    spec.judge->generation.max_tokens = 8192;
    EXPECT_DOUBLE_EQ(plan_budget(spec, {}, {}).value().tokens.per_job,
                     4 + 100 + judge_template_tokens() + 100 + 8192);
}

}  // namespace
}  // namespace evalfleet::runs
