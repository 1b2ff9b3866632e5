#include "worker/status/worker_metrics.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

job::TrialRecord record() {
    job::TrialRecord record;
    record.latency_e2e_ms = 1500;
    record.latency_model_ms = 900;
    record.input_tokens = 100;
    record.output_tokens = 20;
    record.cache_read_input_tokens = 64;
    record.cost_usd = 0.5;
    record.evaluator_latency_ms = 40;
    record.evaluator_input_tokens = 300;
    record.evaluator_output_tokens = 30;
    record.evaluator_cost_usd = 0.25;
    return record;
}

TEST(ProviderMetrics, KnowEveryProviderFromTheStart) {
    metrics::Registry registry("test");
    const WorkerMetrics metrics(registry, {"a", "b"});
    const std::string page = registry.text();
    for (const char* series :
         {R"(call_attempts_total{provider="a",result="ok"} 0)",
          R"(call_attempts_total{provider="b",result="http_429"} 0)",
          R"(tokens_total{kind="cache_write",provider="b",role="judge"} 0)",
          R"(call_duration_seconds_bucket{provider="a",role="model",le="600"} 0)",
          R"(call_duration_seconds_bucket{provider="a",role="model",le="0.05"} 0)"}) {
        EXPECT_THAT(page, HasSubstr(series));
    }
}

TEST(ProviderMetrics, CountWhatATrialTookOfModelAndJudge) {
    metrics::Registry registry("test");
    WorkerMetrics metrics(registry, {"a", "b"});
    count_usage(record(), metrics.provider("a"), metrics.provider("b"));
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr(R"(tokens_total{kind="input",provider="a",role="model"} 100)"));
    EXPECT_THAT(page, HasSubstr(R"(tokens_total{kind="cache_read",provider="a",role="model"} 64)"));
    EXPECT_THAT(page, HasSubstr(R"(tokens_total{kind="output",provider="b",role="judge"} 30)"));
    EXPECT_THAT(page, HasSubstr(R"(tokens_total{kind="output",provider="a",role="judge"} 0)"));
    EXPECT_THAT(page, HasSubstr(R"(cost_usd_total{provider="a",role="model"} 0.5)"));
    EXPECT_THAT(page, HasSubstr(R"(cost_usd_total{provider="b",role="judge"} 0.25)"));
    EXPECT_THAT(page, HasSubstr(R"(call_duration_seconds_sum{provider="a",role="model"} 1.5)"));
    EXPECT_THAT(page, HasSubstr(R"(model_duration_seconds_sum{provider="a"} 0.9)"));
    EXPECT_THAT(page, HasSubstr(R"(first_token_duration_seconds_count{provider="a"} 0)"));
}

TEST(ProviderMetrics, CountNothingOfAnAnswerThatWasTakenOver) {
    metrics::Registry registry("test");
    WorkerMetrics metrics(registry, {"a"});
    job::TrialRecord rejudged = record();
    rejudged.rejudged_from = "run";
    count_usage(rejudged, metrics.provider("a"), metrics.provider("a"));
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr(R"(tokens_total{kind="input",provider="a",role="model"} 0)"));
    EXPECT_THAT(page, HasSubstr(R"(tokens_total{kind="input",provider="a",role="judge"} 300)"));
}

TEST(ProviderMetrics, CountAttemptsByTheirEnd) {
    metrics::Registry registry("test");
    WorkerMetrics metrics(registry, {"a"});
    metrics.provider("a").count_attempt(std::nullopt);
    metrics.provider("a").count_attempt(job::CallError::http_429);
    metrics.provider("a").count_attempt(job::CallError::http_429);
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr(R"(attempts_total{provider="a",result="ok"} 1)"));
    EXPECT_THAT(page, HasSubstr(R"(attempts_total{provider="a",result="http_429"} 2)"));
}

TEST(ProviderMetrics, CountProvidersThatNobodyNamedTogether) {
    metrics::Registry registry("test");
    WorkerMetrics metrics(registry, {"a"});
    metrics.provider("x").retries.increment();
    EXPECT_THAT(registry.text(), HasSubstr(R"(call_retries_total{provider="other"} 1)"));
    EXPECT_THAT(registry.text(), Not(HasSubstr(R"(provider="x")")));
}

}  // namespace
}  // namespace evalfleet::worker
