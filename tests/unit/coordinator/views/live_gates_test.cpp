#include "coordinator/views/live_gates.hpp"

#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "coordinator/reduce/trial_order.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::views {
namespace {

records::TrialTable table_of(const std::string& records) {
    const testing::TemporaryFolder folder;
    files::blocking_write_atomically(folder / "r", records).value();
    return records::TrialTable::blocking_load(folder / "r").value();
}

std::string trial(std::uint64_t sample, bool passed, int repeat = 1) {
    return fmt::format(
        R"({{"sample_index":{},"repeat":{},"rubric_passed":{},"sample_score":{},"answer":"x",)"
        R"("correctness_score":{},"faithfulness_score":2,"latency_e2e_ms":100}})"
        "\n",
        sample, repeat, passed, passed ? 1 : 0, passed ? 2 : 0);
}

// So many samples, of which every `each`th fails; none for 0.
std::string trials(std::uint64_t count, std::uint64_t each) {
    std::string text;
    for (std::uint64_t i = 0; i < count; ++i)
        text += trial(i, each == 0 || i % each != each - 1);
    return text;
}

LiveGates look(const std::string& records, std::uint64_t samples, std::uint64_t repeats = 1) {
    return gates_so_far(table_of(records), {}, {"r", samples, repeats});
}

TEST(LiveGates, AreOpenWhileThereIsLittleToGoBy) {
    const LiveGates nothing = look("", 2000);
    for (const LiveGate& gate : nothing.gates) {
        EXPECT_EQ(gate.decided, "open") << gate.name;
        EXPECT_EQ(gate.observed, std::nullopt);
        EXPECT_EQ(gate.lower, std::nullopt);
    }
    const LiveGates few = look(trials(10, 0), 2000);
    EXPECT_EQ(few.gates[1].observed, 1);
    EXPECT_EQ(few.gates[1].decided, "open");
    EXPECT_EQ(few.samples, 10U);
}

TEST(LiveGates, AreDecidedByTheRuleOfTheEarlyStop) {
    const LiveGates good = look(trials(1000, 100), 2000);
    EXPECT_EQ(good.intervals, IntervalKind::always_valid);
    EXPECT_EQ(good.samples, 1000U);
    for (const LiveGate& gate : good.gates)
        EXPECT_EQ(gate.decided, "pass") << gate.name;
    EXPECT_GT(good.gates[1].lower, 0.85);
    EXPECT_LT(good.gates[1].lower, 0.99);
    EXPECT_GT(good.gates[1].upper, 0.99);
    ASSERT_TRUE(good.gates[3].share_over);
    EXPECT_LT(good.gates[3].share_over->upper, 0.05);
    EXPECT_EQ(good.gates[3].upper, std::nullopt) << "it is the share that has an interval";
    const LiveGates bad = look(trials(1000, 2), 2000);
    EXPECT_EQ(bad.gates[0].decided, "fail");
    EXPECT_EQ(bad.gates[1].decided, "fail");
    const LiveGates close = look(trials(1000, 7), 2000);
    EXPECT_EQ(close.gates[1].decided, "open") << "0.857, and 0.85 is the threshold";
}

// The mean of scores that are all alike has an interval without width, which decides nothing.
TEST(LiveGates, OfScoresThatAreAllAlikeAreNotDecidedByThat) {
    std::string text;
    for (std::uint64_t i = 0; i < 40; ++i)
        text += fmt::format(
            R"({{"sample_index":{},"repeat":1,"rubric_passed":true,"sample_score":0.82,)"
            R"("answer":"x","correctness_score":2,"faithfulness_score":2,"latency_e2e_ms":1}})"
            "\n",
            i);
    const LiveGates alike = look(text, 2000);
    EXPECT_EQ(alike.gates[0].decided, "open");
    EXPECT_LT(alike.gates[0].lower, 0.8);
}

TEST(LiveGates, CountSamplesUpToTheFirstThatIsNotComplete) {
    std::string text;
    for (std::uint64_t i = 0; i < 400; ++i) {
        text += trial(i, true, 1);
        if (i != 50) text += trial(i, true, 2);
    }
    EXPECT_EQ(look(text, 400, 2).samples, 50U);
}

TEST(LiveGates, FollowTheOrderInWhichTheSamplesGoOut) {
    const reduce::TrialOrder order("r", 1000, 1);
    std::string text;
    for (std::uint64_t place = 0; place < 300; ++place)
        text += trial(order.at(place), true);
    const auto table = table_of(text);
    EXPECT_EQ(gates_so_far(table, {}, {"r", 1000, 1, true}).samples, 300U);
    EXPECT_LT(gates_so_far(table, {}, {"r", 1000, 1, false}).samples, 300U);
}

TEST(LiveGates, SayThatTheFiguresMoveInsteadOfDeciding) {
    std::string text;
    for (std::uint64_t i = 0; i < 900; ++i)
        text += trial(i, i < 600 || i % 3 != 0);
    const LiveGates moved = look(text, 2000);
    EXPECT_EQ(moved.gates[1].decided, "open");
    ASSERT_TRUE(moved.note);
    EXPECT_NE(moved.note->find("in the first third of the samples"), std::string::npos);
    EXPECT_FALSE(look(trials(900, 30), 2000).note);
}

// As in the summary: a call that failed has no latency, one that timed out has.
TEST(LiveGates, LeaveOutTheLatencyOfCallsThatFailed) {
    const auto with = [](const char* end) {
        std::string text = trials(90, 0);
        for (int i = 90; i < 100; ++i)
            text += fmt::format(
                R"({{"sample_index":{},"repeat":1,"rubric_passed":false,"sample_score":0,)"
                R"("correctness_score":0,"latency_e2e_ms":60000,{}}})"
                "\n",
                i, end);
        return look(text, 100);
    };
    const LiveGates failed = with(R"("error_kind":"malformed_response")");
    EXPECT_EQ(failed.gates[3].observed, 100);
    EXPECT_EQ(failed.gates[1].observed, 0.9);
    const LiveGates timed_out = with(R"("error_kind":"timeout","timed_out":true)");
    EXPECT_EQ(timed_out.gates[3].observed, 60'000);
}

TEST(LiveGates, TakeLostCallsForUnknown) {
    const auto with = [](const char* end) {
        std::string text;
        for (std::uint64_t i = 0; i < 300; ++i)
            text += i % 4 != 0 ? trial(i, true)
                               : fmt::format(R"({{"sample_index":{},"repeat":1,)"
                                             R"("rubric_passed":false,"sample_score":0,{}}})"
                                             "\n",
                                             i, end);
        return look(text, 300);
    };
    EXPECT_EQ(with(R"("error_kind":"empty_response")").gates[1].decided, "fail");
    EXPECT_EQ(with(R"("error_kind":"connect")").gates[1].decided, "open");
    EXPECT_EQ(with(R"("error_kind":"http_4xx","http_status":401)").gates[1].decided, "open");
    EXPECT_EQ(with(R"("error_kind":"http_4xx","http_status":400)").gates[1].decided, "fail");
}

TEST(LiveGates, OfALargeRunPutNeighboursTogether) {
    std::string text;
    for (std::uint64_t i = 0; i < 9001; ++i)
        text += trial(i, i % 50 != 0);
    const LiveGates large = look(text, 12'000);
    EXPECT_EQ(large.samples, 9000U) << "three at a time";
    EXPECT_EQ(large.gates[1].decided, "pass");
    EXPECT_LT(large.gates[1].lower, 0.98);
    EXPECT_GT(large.gates[1].upper, 0.98);
}

constexpr std::string_view kGateNames[] = {"aggregate_score", "pass_rate",
                                           "faithfulness_failure_rate", "latency_e2e_p95_ms"};

std::optional<LiveGates> of_summary(const std::string& more = "") {
    std::string gates;
    std::string decided;
    for (const std::string_view name : kGateNames) {
        gates += fmt::format(
            R"({}"{}":{{"observed":0.9,"threshold":0.8,"ci95_lower":0.7,"ci95_upper":0.95,)"
            R"("passed":false{}}})",
            gates.empty() ? "" : ",", name,
            name == "latency_e2e_p95_ms"
                ? R"(,"share_over":0.02,"share_over_ci95_lower":0.01,"share_over_ci95_upper":0.07)"
                : "");
        decided += fmt::format(R"({}"{}":{{"decided":true}})", decided.empty() ? "" : ",", name);
    }
    const auto document = json::Document::parse(fmt::format(
        R"({{"gates":{{{}}},"extra":{{"gates_decided":{{{}}}{}}}}})", gates, decided, more));
    return gates_of_summary(document->root());
}

TEST(LiveGates, AreThoseOfTheSummaryOnceThereIsOne) {
    const auto live = of_summary();
    ASSERT_TRUE(live);
    EXPECT_EQ(live->gates[1].decided, "fail");
    EXPECT_EQ(live->gates[1].lower, 0.7);
    EXPECT_EQ(live->gates[3].upper, 0.95);
    ASSERT_TRUE(live->gates[3].share_over) << "it decides, not the interval of the percentile";
    EXPECT_EQ(live->gates[3].share_over->upper, 0.07);
    EXPECT_EQ(live->intervals, IntervalKind::fixed_size);
    EXPECT_FALSE(gates_of_summary(json::Document::parse("{}")->root()));
}

TEST(LiveGates, HaveNoLimitsOfAP95OfAFewSamples) {
    const auto live = of_summary(R"(,"latency_e2e_p95_ci95_reason":"fewer than 59 samples")");
    ASSERT_TRUE(live);
    EXPECT_EQ(live->gates[3].upper, std::nullopt);
    EXPECT_EQ(live->gates[3].lower, std::nullopt);
    EXPECT_EQ(live->gates[1].upper, 0.95);
}

TEST(LiveGates, OfARunThatEndedEarlyHaveIntervalsThatAreAlwaysValid) {
    const auto live = of_summary(
        R"(,"always_valid":{"samples":120,"aggregate_score_lower":0.6,"aggregate_score_upper":0.97,)"
        R"("pass_rate_lower":0.61,"pass_rate_upper":0.98,"faithfulness_failure_rate_lower":0.01,)"
        R"("faithfulness_failure_rate_upper":0.1,"latency_share_over_lower":0,)"
        R"("latency_share_over_upper":0.04})");
    ASSERT_TRUE(live);
    EXPECT_EQ(live->intervals, IntervalKind::always_valid);
    EXPECT_EQ(live->samples, 120U);
    EXPECT_EQ(live->gates[1].lower, 0.61);
    EXPECT_EQ(live->gates[3].upper, std::nullopt);
    ASSERT_TRUE(live->gates[3].share_over);
    EXPECT_EQ(live->gates[3].share_over->upper, 0.04);
}

TEST(LiveGates, AreWrittenWithTheKindOfTheirIntervals) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object();
    write(writer, look(trials(100, 10), 200));
    writer.end_object();
    const auto document = json::Document::parse(text);
    ASSERT_TRUE(document) << text;
    EXPECT_EQ(document->root().get<std::string>("intervals").value(), "always_valid");
    EXPECT_EQ(document->root().get<std::uint64_t>("interval_samples").value(), 100U);
    EXPECT_EQ(document->root().get<json::Array>("gates").value().size(), 4U);
}

}  // namespace
}  // namespace evalfleet::views
