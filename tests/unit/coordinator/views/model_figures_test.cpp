#include "coordinator/views/model_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::views {
namespace {

using ::testing::HasSubstr;

records::TrialEntry answered(float latency_ms, std::int64_t finished_ms) {
    records::TrialEntry trial;
    trial.latency_ms = latency_ms;
    trial.finished_ms = finished_ms;
    return trial;
}

records::TrialEntry failed(job::CallError kind) {
    records::TrialEntry trial = answered(5000, 2000);
    trial.error_kind = static_cast<std::uint8_t>(kind);
    trial.is_answered = false;
    return trial;
}

TEST(ModelFigures, CountWhatEndedLatelyWhicheverRunAskedForIt) {
    ModelFigures figures(1000);
    std::vector<records::TrialEntry> one;
    for (int i = 1; i <= 19; ++i)
        one.push_back(answered(static_cast<float>(i), 1000 + i));
    one.push_back(answered(9999, 999));
    const std::vector<records::TrialEntry> other{
        answered(20, 1500), failed(job::CallError::http_429), failed(job::CallError::http_429)};
    figures.add("main/m@1", one);
    figures.add("main/m@1", other);
    const std::string json = figures.to_json(600);
    EXPECT_THAT(json, HasSubstr(R"("window_s":600)"));
    EXPECT_THAT(json, HasSubstr(R"("model":"main/m@1","provider":"main","trials":22)"));
    EXPECT_THAT(json, HasSubstr(R"("latency_p50_ms":10.5,"latency_p95_ms":19.05)"));
    EXPECT_THAT(json, HasSubstr(R"("errors":{"http_429":2})"));
}

TEST(ModelFigures, KnowNoLatencyOfAModelThatAnsweredNothing) {
    ModelFigures figures(0);
    figures.add("a/b@1", {});
    EXPECT_THAT(figures.to_json(600),
                HasSubstr(R"("trials":0,"judge_retried":0,"latency_p50_ms":null)"));
}

}  // namespace
}  // namespace evalfleet::views
