#include "coordinator/traces/trial_spans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>

namespace evalfleet::traces {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kDispatched = 1'763'600'000'123 * kMs;  // 2025-11-20T00:53:20.123Z
constexpr std::chrono::system_clock::time_point kArrived{std::chrono::seconds(1'763'600'009)};

job::TrialRecord a_record() {
    job::TrialRecord record;
    record.run_id = "r-1";
    record.sample_id = "q1";
    record.sample_index = 4;
    record.repeat = 2;
    record.answer = "a secret answer";
    record.rationale = "a secret rationale";
    record.attempts = 1;
    record.started_at_utc = "2025-11-20T00:53:20.123Z";
    record.latency_e2e_ms = 500;
    record.timing.queue_wait_ms = 30;
    record.timing.permit_wait_ms = 20;
    record.timing.retry_wait_ms = 0;
    record.timing.connect_ms = 5;
    record.timing.first_byte_ms = 400;
    record.timing.model_ms = 500;
    record.timing.judge_ms = 100;
    return record;
}

std::map<std::string, Span> by_name(const std::vector<Span>& spans) {
    std::map<std::string, Span> found;
    for (const Span& span : spans)
        found.emplace(span.name, span);
    EXPECT_EQ(found.size(), spans.size());
    return found;
}

std::pair<std::int64_t, std::int64_t> within(const Span& span) {
    return {(span.begin_ns - kDispatched) / kMs, (span.end_ns - kDispatched) / kMs};
}

TEST(TrialSpans, FollowEachOtherWithinTheTrial) {
    const auto spans = by_name(spans_of(a_record(), kArrived));
    ASSERT_EQ(spans.size(), 5U);
    EXPECT_EQ(within(spans.at("trial")), (std::pair{-50L, 600L}));
    EXPECT_EQ(within(spans.at("queue")), (std::pair{-50L, -20L}));
    EXPECT_EQ(within(spans.at("permit")), (std::pair{-20L, 0L}));
    EXPECT_EQ(within(spans.at("attempt")), (std::pair{0L, 500L}));
    EXPECT_EQ(within(spans.at("judge")), (std::pair{500L, 600L}));
    for (const auto& [name, span] : spans)
        EXPECT_EQ(span.parent_id, name == "trial" ? "" : spans.at("trial").id);
}

TEST(TrialSpans, MarkWhenTheConnectionStoodAndTheFirstByteCame) {
    const auto spans = by_name(spans_of(a_record(), kArrived));
    const auto& events = spans.at("attempt").events;
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[0].at_ns, kDispatched + 5 * kMs);
    EXPECT_EQ(events[1].at_ns, kDispatched + 405 * kMs);
}

TEST(TrialSpans, ShowFailedAttemptsBeforeTheLastOne) {
    auto record = a_record();
    record.attempts = 3;
    record.latency_e2e_ms = 900;
    record.failed_attempts = {{"http_429", 2}};
    const auto spans = by_name(spans_of(record, kArrived));
    EXPECT_EQ(within(spans.at("failed attempts")), (std::pair{0L, 400L}));
    EXPECT_EQ(spans.at("failed attempts").error, "2 x http_429");
    EXPECT_EQ(within(spans.at("attempt")), (std::pair{400L, 900L}));
    EXPECT_EQ(within(spans.at("judge")), (std::pair{900L, 1000L}));
}

TEST(TrialSpans, SayWhyATrialFailed) {
    auto record = a_record();
    record.answer.reset();
    record.error_kind = job::CallError::http_5xx;
    record.timing.judge_ms.reset();
    const auto spans = by_name(spans_of(record, kArrived));
    EXPECT_EQ(spans.at("trial").error, "http_5xx");
    EXPECT_EQ(spans.at("attempt").error, "http_5xx");
    EXPECT_FALSE(spans.contains("judge"));
}

TEST(TrialSpans, HaveTheSameIdsWheneverTheyAreTold) {
    const auto once = spans_of(a_record(), kArrived);
    const auto again = spans_of(a_record(), kArrived + std::chrono::hours(1));
    ASSERT_EQ(once.size(), again.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
        EXPECT_EQ(once[i].id, again[i].id);
        EXPECT_EQ(once[i].trace_id, again[i].trace_id);
        EXPECT_EQ(once[i].trace_id.size(), 32U);
        EXPECT_EQ(once[i].id.size(), 16U);
    }
    auto other = a_record();
    other.repeat = 3;
    EXPECT_NE(spans_of(other, kArrived)[0].trace_id, once[0].trace_id);
}

TEST(TrialSpans, HoldNoTextOfAModel) {
    for (const Span& span : spans_of(a_record(), kArrived)) {
        for (const auto& [name, value] : span.attributes) {
            if (const auto* text = std::get_if<std::string>(&value)) {
                EXPECT_EQ(text->find("secret"), std::string::npos) << name;
            }
        }
    }
}

TEST(TrialSpans, OfATrialJudgedAnewAreTheJudgesAlone) {
    auto record = a_record();
    record.rejudged_from = "r-0";
    const auto spans = spans_of(record, kArrived);
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[1].name, "judge");
    EXPECT_EQ(spans[1].end_ns, std::chrono::nanoseconds(kArrived.time_since_epoch()).count());
    EXPECT_EQ(spans[1].end_ns - spans[1].begin_ns, 100 * kMs);
}

TEST(TrialSpans, AreThereForATrialThatNobodyCouldFinish) {
    job::TrialRecord lost;
    lost.run_id = "r-1";
    lost.error_kind = job::CallError::worker_lost;
    const auto spans = spans_of(lost, kArrived);
    ASSERT_EQ(spans.size(), 1U);
    EXPECT_EQ(spans[0].error, "worker_lost");
    EXPECT_EQ(spans[0].begin_ns, spans[0].end_ns);
}

TEST(TrialSpans, NeverEndBeforeTheyBegin) {
    auto record = a_record();
    record.latency_e2e_ms = 1e300;
    record.timing.model_ms = 0;
    record.timing.first_byte_ms = 1e9;
    record.timing.queue_wait_ms = 1e18;
    record.attempts = 9;
    for (const Span& span : spans_of(record, kArrived)) {
        EXPECT_LE(span.begin_ns, span.end_ns) << span.name;
        EXPECT_GT(span.begin_ns, 0) << span.name;
        for (const SpanEvent& event : span.events)
            EXPECT_LE(event.at_ns, span.end_ns);
    }
}

TEST(TraceSampling, KeepsAboutAsManyAsItIsTold) {
    constexpr std::uint64_t kTrials = 100'000;
    for (const double ratio : {0.0, 0.01, 0.1, 0.5, 1.0}) {
        std::uint64_t kept = 0;
        for (std::uint64_t index = 0; index < kTrials; ++index)
            kept += is_sampled("20261119-120000-nightly", index, ratio) ? 1 : 0;
        EXPECT_NEAR(static_cast<double>(kept) / kTrials, ratio, 0.01) << ratio;
    }
}

TEST(TraceSampling, KeepsOtherTrialsOfAnotherRun) {
    bool is_other = false;
    for (std::uint64_t index = 0; index < 100; ++index)
        is_other |= is_sampled("a", index, 0.5) != is_sampled("b", index, 0.5);
    EXPECT_TRUE(is_other);
    EXPECT_EQ(is_sampled("a", 7, 0.5), is_sampled("a", 7, 0.5));
}

}  // namespace
}  // namespace evalfleet::traces
