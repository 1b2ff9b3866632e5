#include "cli/remote/progress.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::remote {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kAnswer = R"({"run_id": "r1", "name": "n", "group_id": null,
    "state": "running", "total": 180, "done": 120, "passed": 101, "failed": 19, "errors": 2,
    "pass_rate": 0.842, "pass_rate_ci95_lower": 0.771, "pass_rate_ci95_upper": 0.894,
    "in_flight": 60, "workers": 2, "trials_per_s": 41.2, "eta_s": 0.4, "elapsed_s": 3.5,
    "note": null, "release_ready": null, "folder": "store/r1"})";

Result<RunProgress> read(std::string_view text) {
    const auto document = json::Document::parse(text);
    return read_progress(document.value().root());
}

std::string with(std::string_view from, std::string_view to) {
    std::string text(kAnswer);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ReadProgress, TakesTheCoordinatorsAnswer) {
    const auto progress = read(kAnswer);
    ASSERT_TRUE(progress) << progress.error().message;
    EXPECT_EQ(progress->run_id, "r1");
    EXPECT_EQ(progress->state, "running");
    EXPECT_EQ(progress->total, 180u);
    EXPECT_EQ(progress->done, 120u);
    EXPECT_EQ(progress->failed, 19u);
    EXPECT_EQ(progress->errors, 2u);
    EXPECT_EQ(progress->in_flight, 60u);
    EXPECT_EQ(progress->pass_rate, 0.842);
    EXPECT_EQ(progress->pass_rate_lower, 0.771);
    EXPECT_EQ(progress->pass_rate_upper, 0.894);
    EXPECT_EQ(progress->trials_per_s, 41.2);
    EXPECT_EQ(progress->eta_s, 0.4);
    EXPECT_EQ(progress->note, std::nullopt);
    EXPECT_EQ(progress->release_ready, std::nullopt);
    EXPECT_EQ(progress->folder, "store/r1");
    EXPECT_FALSE(progress->is_over());
}

TEST(ReadProgress, TakesWhatIsThereOnlyAtTheEnd) {
    EXPECT_EQ(read(with("\"note\": null", "\"note\": \"why\"")).value().note, "why");
    EXPECT_EQ(
        read(with("\"release_ready\": null", "\"release_ready\": true")).value().release_ready,
        true);
    for (const char* state : {"\"done\"", "\"cancelled\"", "\"failed\""})
        EXPECT_TRUE(read(with("\"running\"", state)).value().is_over()) << state;
}

TEST(ReadProgress, TellsARunThatCouldNotBeMeasured) {
    const auto measured = [](const char* value) {
        return read(with("\"release_ready\": null",
                         std::string("\"release_ready\": false, \"measured\": ") + value))
            .value();
    };
    EXPECT_TRUE(measured("\"not_measured\"").is_unmeasured());
    EXPECT_TRUE(measured("\"partial\"").is_unmeasured());
    EXPECT_FALSE(measured("\"complete\"").is_unmeasured());
    EXPECT_FALSE(measured("null").is_unmeasured());
    EXPECT_FALSE(read(kAnswer).value().is_unmeasured()) << "an older coordinator does not say";

    RunProgress paused;
    paused.state = "paused";
    EXPECT_FALSE(paused.is_stuck()) << "somebody paused it";
    paused.note = "could not measure: 20 calls in a row to the model failed";
    EXPECT_TRUE(paused.is_stuck());
    paused.state = "running";
    EXPECT_FALSE(paused.is_stuck());
}

TEST(ReadProgress, NamesTheFieldThatIsWrong) {
    EXPECT_THAT(read(with("\"total\": 180, ", "")).error().message, HasSubstr("total"));
    EXPECT_THAT(read(with("\"done\": 120", "\"done\": -1")).error().message, HasSubstr("done"));
    EXPECT_THAT(read(with("\"state\": \"running\"", "\"state\": 3")).error().message,
                HasSubstr("state"));
    EXPECT_THAT(read(with("0.842", "\"good\"")).error().message, HasSubstr("pass_rate"));
    EXPECT_EQ(read(with("\"run_id\": \"r1\", ", "")).error().kind, ErrorKind::invalid);
}

TEST(ReadProgress, RefusesWhatIsNotAnObject) {
    EXPECT_FALSE(read("[]"));
    EXPECT_FALSE(read("null"));
}

TEST(ProgressLine, ShowsRateTimeAndPassRate) {
    EXPECT_EQ(progress_line(read(kAnswer).value()),
              "120/180 trials  66 %  41.2/s  ETA 1 s  pass 84.2 % [77.1, 89.4]  19 failed  60 in "
              "flight");
}

TEST(ProgressLine, LeavesOutWhatIsNotKnown) {
    RunProgress progress;
    progress.state = "queued";
    progress.note = "waits for its turn";
    EXPECT_EQ(progress_line(progress),
              "0/0 trials  0 %  0 failed  0 in flight  queued  (waits for its turn)");
}

TEST(ProgressLine, PromisesAnEndOnlyToARunThatRuns) {
    RunProgress progress = read(kAnswer).value();
    progress.state = "paused";
    EXPECT_THAT(progress_line(progress), Not(HasSubstr("ETA")));
    EXPECT_THAT(progress_line(progress), HasSubstr("paused"));
}

TEST(ProgressLine, SaysHundredPercentOnlyWhenAllAreDone) {
    RunProgress progress;
    progress.total = 1000;
    progress.done = 999;
    EXPECT_THAT(progress_line(progress), HasSubstr(" 99 %"));
    progress.done = 1000;
    EXPECT_THAT(progress_line(progress), HasSubstr(" 100 %"));
}

TEST(DescribeSeconds, UsesTheUnitsPeopleUse) {
    EXPECT_EQ(describe_seconds(0), "0 s");
    EXPECT_EQ(describe_seconds(0.1), "1 s");
    EXPECT_EQ(describe_seconds(47), "47 s");
    EXPECT_EQ(describe_seconds(59.5), "1 min 0 s");
    EXPECT_EQ(describe_seconds(185), "3 min 5 s");
    EXPECT_EQ(describe_seconds(3599), "59 min 59 s");
    EXPECT_EQ(describe_seconds(3600), "1 h 0 min");
    EXPECT_EQ(describe_seconds(7800), "2 h 10 min");
    EXPECT_EQ(describe_seconds(360'000), "100 h 0 min");
}

}  // namespace
}  // namespace evalfleet::remote
