#include "common/files/file.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/scoring/spending.hpp"
#include "tests/support/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace evalfleet::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr int kPatience = 90;

std::string read(const std::filesystem::path& path) {
    return files::blocking_read_file(path, 1 << 24).value();
}

/// What all records of a run took.
scoring::Spending spending_of(const std::filesystem::path& folder) {
    scoring::Spending sum;
    std::ifstream file(folder / "records.jsonl");
    json::Parser parser;
    for (std::string line; std::getline(file, line);)
        sum += scoring::spending_of(job::read_trial_record(parser.parse(line).value()).value());
    return sum;
}

TEST(RunBudget, EndsTheRunBeforeItIsExceededWithAnIncompleteVerdictThatSaysWhy) {
    Fleet fleet;
    fleet.submit(3, R"(,"limits":{"max_total_tokens":40000})");
    ASSERT_TRUE(fleet.await_end(kPatience));
    const auto progress = fleet.progress().value();
    EXPECT_EQ(progress.state, "done");
    EXPECT_GT(progress.done, 0U);
    EXPECT_LT(progress.done, 3 * Fleet::kSamples);
    EXPECT_EQ(progress.release_ready, false);
    EXPECT_THAT(progress.note.value_or(""), HasSubstr("the budget of 40000 tokens is used up"));

    const auto folder = fleet.run_folder();
    const scoring::Spending spent = spending_of(folder);
    EXPECT_LE(spent.tokens, 40'000U);
    EXPECT_GT(spent.tokens, 20'000U) << "most of it was used";
    EXPECT_THAT(read(folder / "summary.json"), ContainsRegex("\"incomplete\": *true"));
    EXPECT_THAT(read(folder / "report.md"), HasSubstr("is used up"));
    const auto metadata = job::parse_run_metadata(read(folder / "run.json")).value();
    EXPECT_THAT(metadata.incomplete_reason.value_or(""), HasSubstr("40000 tokens"));
    EXPECT_EQ(fleet.verify(), 0);
}

TEST(RunBudget, IsKeptAcrossTheDeathOfCoordinatorAndRedis) {
    Fleet fleet;
    fleet.submit(3, R"(,"limits":{"max_total_tokens":60000,"max_in_flight":4})");
    ASSERT_TRUE(fleet.await_done(10));
    fleet.kill_coordinator();
    fleet.flush_redis();
    ASSERT_TRUE(fleet.await_end(kPatience));
    EXPECT_EQ(fleet.progress().value().state, "done");
    EXPECT_LT(fleet.progress().value().done, 3 * Fleet::kSamples);
    // What was under way when Redis forgot everything may have been called twice.
    EXPECT_LE(spending_of(fleet.run_folder()).tokens, 60'000U);
    EXPECT_EQ(fleet.verify(), 0);
}

TEST(RunBudget, OfMoneyWithoutPricesIsRefusedOnSubmission) {
    Fleet fleet({.workers = 0});
    try {
        fleet.submit(1, R"(,"limits":{"max_cost_usd":1})");
        FAIL() << "it was taken in";
    } catch (const std::runtime_error& refused) {
        EXPECT_THAT(refused.what(), AllOf(HasSubstr("limits.max_cost_usd"),
                                          HasSubstr("the provider \"sim\" has no prices")));
    }
}

}  // namespace
}  // namespace evalfleet::testing
