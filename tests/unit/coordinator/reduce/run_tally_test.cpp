#include "coordinator/reduce/run_tally.hpp"

#include "coordinator/reduce/reducer.hpp"
#include "tests/unit/coordinator/reduce/scratch_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace evalfleet::reduce {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string record(int index, const std::string& more) {
    return fmt::format(R"({{"sample_index":{},"repeat":1,"answer":"x","latency_e2e_ms":200,)"
                       R"("rubric_passed":true,"spec_passed":true{}}})"
                       "\n",
                       index, more);
}

Result<job::Summary> reduce_text(const std::string& text) {
    const ScratchFolder folder;
    return reduce_files(std::array{folder.write("r.jsonl", text)}, {});
}

TEST(NameCounts, KeepsTheSameNamesInAnyOrder) {
    std::vector<std::string> names;
    for (int i = 0; i < 500; ++i)
        names.push_back(fmt::format("version-{:03}", i % 200));
    NameCounts forwards;
    for (const std::string& name : names)
        forwards.add(name);
    std::mt19937 random(3);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same test every time
    std::ranges::shuffle(names, random);
    NameCounts first;
    NameCounts second;
    for (std::size_t i = 0; i < names.size(); ++i)
        (i % 3 == 0 ? first : second).add(names[i]);
    first.merge(second);
    EXPECT_EQ(forwards.counts().size(), NameCounts::kMost);
    EXPECT_EQ(first.counts(), forwards.counts());
    EXPECT_EQ(first.others(), forwards.others());
    EXPECT_EQ(forwards.counts().begin()->second, 3U);
}

TEST(RunTally, TellsDriftWhenAProviderNamesTwoVersions) {
    const auto steady = reduce_text(record(0, R"(,"model_reported":"m-1")") +
                                    record(1, R"(,"model_reported":"m-1")") + record(2, ""));
    ASSERT_TRUE(steady) << steady.error().message;
    EXPECT_FALSE(steady->extra.model_version_drift());
    EXPECT_THAT(job::to_json(*steady), HasSubstr("\"model_version_drift\": false"));
    const auto drifting = reduce_text(record(0, R"(,"model_reported":"m-1")") +
                                      record(1, R"(,"model_reported":"m-2")"));
    EXPECT_TRUE(drifting->extra.model_version_drift());
    EXPECT_THAT(drifting->extra.model_versions_reported,
                ElementsAre(Pair("m-1", 1), Pair("m-2", 1)));
}

TEST(RunTally, TellsDriftWhenAProviderNamesTwoBuildsOfOneVersion) {
    const auto summary =
        reduce_text(record(0, R"(,"model_reported":"m-1","system_fingerprint":"fp_a")") +
                    record(1, R"(,"model_reported":"m-1","system_fingerprint":"fp_b")") +
                    record(2, R"(,"model_reported":"m-1","system_fingerprint":"fp_a")"));
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_TRUE(summary->extra.model_version_drift());
    EXPECT_THAT(summary->extra.system_fingerprints_reported,
                ElementsAre(Pair("fp_a", 2), Pair("fp_b", 1)));
    EXPECT_THAT(job::to_json(*summary), HasSubstr("\"system_fingerprints_reported\": {"));
}

TEST(RunTally, SumsRedactionsByKind) {
    const auto summary =
        reduce_text(record(0, R"(,"redactions":{"email":2,"phone":1})") +
                    record(1, R"(,"redactions":{})") + record(2, R"(,"redactions":{"email":3})"));
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_THAT(summary->extra.redactions, ElementsAre(Pair("email", 5), Pair("phone", 1)));
    EXPECT_THAT(reduce_text(record(0, R"(,"redactions":{"email":-1})")).error().message,
                HasSubstr("redactions: email: expected a count"));
}

TEST(RunTally, TellsHowWellLatenciesWereMeasured) {
    const auto summary = reduce_text(record(0, R"(,"timing_error_bound_ms":0.5)") +
                                     record(1, R"(,"timing_error_bound_ms":1.5)") +
                                     record(2, R"(,"timing_error_bound_ms":2)") + record(3, ""));
    ASSERT_TRUE(summary) << summary.error().message;
    // 1 % of 200 ms is 2 ms, and a bound must lie below it.
    EXPECT_EQ(summary->extra.timing, (job::TimingQuality{3, 1, 2}));
}

TEST(RunTally, CountsWhereFiguresComeFrom) {
    const auto summary = reduce_text(
        record(0, R"(,"latency_model_source":"wire_estimate","hallucination_source":"judge")") +
        record(1, R"(,"latency_model_source":"first_to_last_byte")") +
        record(2, R"(,"latency_model_source":"wire_estimate","hallucination_source":"derived")") +
        record(3, ""));
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_THAT(summary->extra.latency_model_sources.by_name,
                ElementsAre(Pair("first_to_last_byte", 1), Pair("provider_reported", 0),
                            Pair("server_timing", 0), Pair("wire_estimate", 2)));
    EXPECT_EQ(summary->extra.latency_model_sources.none, 1U);
    EXPECT_THAT(summary->extra.hallucination_sources.by_name,
                ElementsAre(Pair("derived", 1), Pair("judge", 1)));
    EXPECT_EQ(summary->extra.hallucination_sources.none, 2U);
}

std::string unanswered(int index, const std::string& more) {
    return fmt::format(R"({{"sample_index":{},"repeat":1,"rubric_passed":false,)"
                       R"("spec_passed":false,"failure_label":"other"{}}})"
                       "\n",
                       index, more);
}

TEST(RunTally, ExplainsTheLabelOther) {
    const std::string answered = R"(,"answer":"x")";
    const auto summary = reduce_text(
        unanswered(0, R"(,"error_kind":"connect")") +
        unanswered(1, R"(,"error_kind":"http_4xx","http_status":401)") +
        unanswered(2, R"(,"error_kind":"http_4xx","http_status":400)") +
        unanswered(3, R"(,"error_kind":"empty_response")") +
        unanswered(4, R"(,"error_kind":"empty_response","finish_reason":"length")") +
        unanswered(5, R"(,"answer":"")") + unanswered(6, R"(,"error_kind":"malformed_response")") +
        unanswered(7, answered + R"(,"evaluator_error":"parse_error")") +
        unanswered(8, answered + R"(,"judge_failure_label":"other")") +
        unanswered(9, answered + R"(,"finish_reason":"length")") +
        record(10, R"(,"finish_reason":"length")"));
    ASSERT_TRUE(summary) << summary.error().message;
    // infrastructure, token_limit, empty, malformed, refused, evaluator, judge, pass_limits
    EXPECT_THAT(summary->outcomes.other_reasons, ElementsAre(2, 1, 2, 1, 1, 1, 1, 1));
    EXPECT_EQ(summary->outcomes.token_limit_count, 3U) << "cut off, with a text or without";
    EXPECT_THAT(summary->outcomes.error_kinds,
                ElementsAre(Pair("connect", 1), Pair("empty_response", 2), Pair("http_4xx", 2),
                            Pair("malformed_response", 1)));
    EXPECT_THAT(summary->outcomes.evaluator_errors, ElementsAre(Pair("parse_error", 1)));
    EXPECT_EQ(summary->outcomes.answered_count, 4U);
}

TEST(RunTally, SumsTheCostOfModelAndJudgeApart) {
    const auto summary = reduce_text(record(0, R"(,"cost_usd":0.1,"evaluator_cost_usd":0.01)") +
                                     record(1, R"(,"cost_usd":0.2)") + record(2, ""));
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_DOUBLE_EQ(*summary->extra.cost_usd, 0.3);
    EXPECT_DOUBLE_EQ(*summary->extra.evaluator_cost_usd, 0.01);
    EXPECT_FALSE(reduce_text(record(0, ""))->extra.cost_usd);
}

}  // namespace
}  // namespace evalfleet::reduce
