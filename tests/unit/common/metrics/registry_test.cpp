#include "common/metrics/registry.hpp"

#include "common/metrics/names.hpp"
#include "common/metrics/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <thread>

namespace evalfleet::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kName = "evalfleet_worker_calls_total";

TEST(MetricsRegistry, ShowsSeriesAsZeroFromTheStart) {
    Registry registry("test");
    constexpr std::array<std::string_view, 2> kOutcomes = {"ok", "failed"};
    auto calls = registry.counters(kName, "Calls made", "outcome", kOutcomes);
    calls[1].increment(2);
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr("# HELP evalfleet_worker_calls_total Calls made\n"));
    EXPECT_THAT(page, HasSubstr("# TYPE evalfleet_worker_calls_total counter\n"));
    EXPECT_THAT(page, HasSubstr("evalfleet_worker_calls_total{outcome=\"ok\"} 0\n"));
    EXPECT_THAT(page, HasSubstr("evalfleet_worker_calls_total{outcome=\"failed\"} 2\n"));
}

TEST(MetricsRegistry, GivesTheSameSeriesWhenAskedAgain) {
    Registry registry("test");
    registry.counter(kName, "Calls", {{"a", "b"}}).increment();
    registry.counter(kName, "Calls", {{"a", "b"}}).increment();
    EXPECT_EQ(registry.counter(kName, "Calls", {{"a", "b"}}).value(), 2);
}

TEST(MetricsRegistry, CountsHistogramsInCumulativeBuckets) {
    Registry registry("test");
    Histogram latency = registry.histogram("evalfleet_worker_call_seconds", "Latency", {0.1, 1});
    latency.observe(0.05);
    latency.observe(std::chrono::milliseconds(500));
    latency.observe(7.0);
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr("evalfleet_worker_call_seconds_bucket{le=\"0.1\"} 1\n"));
    EXPECT_THAT(page, HasSubstr("evalfleet_worker_call_seconds_bucket{le=\"1\"} 2\n"));
    EXPECT_THAT(page, HasSubstr("evalfleet_worker_call_seconds_bucket{le=\"+Inf\"} 3\n"));
    EXPECT_THAT(page, HasSubstr("evalfleet_worker_call_seconds_sum 7.55\n"));
}

TEST(MetricsRegistry, TellsBuildAndProcess) {
    Registry registry("evalfleet-worker");
    const std::string page = registry.text();
    EXPECT_THAT(page, HasSubstr("evalfleet_build_info{"));
    EXPECT_THAT(page, HasSubstr("program=\"evalfleet-worker\""));
    for (const std::string_view name :
         {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds",
          "process_max_fds", "process_start_time_seconds", "process_threads"}) {
        EXPECT_THAT(page, HasSubstr(name));
    }
    EXPECT_THAT(page, Not(HasSubstr("process_resident_memory_bytes 0\n")));
}

TEST(MetricsRegistry, CollectorsRunBeforeThePageIsWritten) {
    Registry registry("test");
    Counter counted = registry.counter("evalfleet_worker_redis_commands_total", "Commands");
    double elsewhere = 5;
    registry.on_collect([&] { counted.raise_to(elsewhere); });
    EXPECT_THAT(registry.text(), HasSubstr("evalfleet_worker_redis_commands_total 5\n"));
    elsewhere = 3;
    EXPECT_THAT(registry.text(), HasSubstr("evalfleet_worker_redis_commands_total 5\n"));
}

TEST(MetricsRegistry, TablesShowTheSeriesOfTheMoment) {
    Registry registry("test");
    std::vector<Row> rows{{{{"run", "a"}}, 1}, {{{"run", "b"}}, 2}};
    registry.table("evalfleet_coordinator_run_trials", "Trials", [&] { return rows; });
    EXPECT_THAT(registry.text(), HasSubstr("# TYPE evalfleet_coordinator_run_trials gauge\n"
                                           "evalfleet_coordinator_run_trials{run=\"a\"} 1\n"
                                           "evalfleet_coordinator_run_trials{run=\"b\"} 2\n"));
    rows.erase(rows.begin());
    EXPECT_THAT(registry.text(), Not(HasSubstr("run=\"a\"")));
}

TEST(MetricsRegistry, CutsTablesOffThatAreTooLong) {
    Registry registry("test");
    registry.table("evalfleet_coordinator_run_trials", "Trials", [] {
        std::vector<Row> rows;
        for (std::size_t i = 0; i < Registry::kMaxSeries + 10; ++i)
            rows.push_back({{{"run", std::to_string(i)}}, 1});
        return rows;
    });
    EXPECT_THAT(registry.text(), HasSubstr("run=\"999\""));
    EXPECT_THAT(registry.text(), Not(HasSubstr("run=\"1000\"")));
}

TEST(MetricsRegistry, RefusesNamesAndLabelsAgainstTheRules) {
    Registry registry("test");
    EXPECT_THROW((void)registry.counter("evalfleet_worker_calls", "x"), std::logic_error);
    EXPECT_THROW((void)registry.gauge("evalfleet_worker_calls_total", "x"), std::logic_error);
    EXPECT_THROW((void)registry.histogram("evalfleet_worker_latency", "x", {1}), std::logic_error);
    EXPECT_THROW((void)registry.counter(kName, "x", {{"job_id", "1"}}), std::logic_error);
}

TEST(MetricsRegistry, FoldsTooManyLabelValuesIntoOne) {
    Registry registry("test");
    for (std::size_t i = 0; i < Registry::kMaxSeries + 10; ++i) {
        registry.counter(kName, "x", {{"provider", std::to_string(i)}}).increment();
    }
    EXPECT_EQ(registry.counter(kName, "x", {{"provider", "other"}}).value(), 10);
    EXPECT_EQ(registry.counter(kName, "x", {{"provider", "7"}}).value(), 1);
}

TEST(MetricsRegistry, BoundsTheValuesOfLabels) {
    Registry registry("test");
    const std::string stem(300, 'x');
    registry.counter(kName, "x", {{"provider", stem + "a"}}).increment();
    registry.counter(kName, "x", {{"provider", stem + "b"}}).increment(2);
    EXPECT_EQ(registry.counter(kName, "x", {{"provider", stem + "a"}}).value(), 1)
        << "different names stay different";
    EXPECT_THAT(registry.text(), Not(HasSubstr(stem)));
    EXPECT_EQ(bound_label_value("short"), "short");
    std::string umlauts;
    for (int i = 0; i < 200; ++i)
        umlauts += "\xC3\xA4";
    const std::string bound = bound_label_value(umlauts);
    EXPECT_LE(bound.size(), kMaxLabelBytes);
    EXPECT_EQ(bound.find('~') % 2, 0U) << "no character was cut in two";
}

TEST(MetricsRegistry, ScopesCountAndTime) {
    Registry registry("test");
    Gauge running = registry.gauge("evalfleet_worker_calls_running", "x");
    Histogram took = registry.histogram("evalfleet_worker_call_seconds", "x", latency_buckets());
    {
        const InFlight in_flight(running);
        const Timer timer(took);
        Timer forgotten(took);
        forgotten.forget();
        EXPECT_EQ(running.value(), 1);
    }
    EXPECT_EQ(running.value(), 0);
    EXPECT_THAT(registry.text(), HasSubstr("evalfleet_worker_call_seconds_count 1\n"));
}

TEST(MetricsRegistry, IsSafeToUseFromManyThreads) {
    Registry registry("test");
    Counter calls = registry.counter(kName, "x");
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&registry, calls, t]() mutable {
                for (int i = 0; i < 200; ++i) {
                    calls.increment();
                    registry.counter(kName, "x", {{"t", std::to_string(t)}}).increment();
                    if (i % 50 == 0) (void)registry.text();
                }
            });
        }
    }
    EXPECT_EQ(calls.value(), 800);
}

TEST(MetricNames, FollowOneScheme) {
    EXPECT_FALSE(fault_of_name("evalfleet_coordinator_queue_jobs", Type::gauge));
    EXPECT_FALSE(fault_of_name("evalfleet_worker_latency_seconds", Type::histogram));
    EXPECT_FALSE(fault_of_name("evalfleet_worker_calls_total", Type::counter));
    for (const std::string_view bad :
         {"worker_calls_total", "evalfleet_total", "evalfleet_calls_total",
          "evalfleet_Worker_calls_total", "evalfleet__calls_total", ""}) {
        EXPECT_TRUE(fault_of_name(bad, Type::counter)) << bad;
    }
    EXPECT_TRUE(fault_of_label("le"));
    EXPECT_TRUE(fault_of_label("sample_id"));
    EXPECT_FALSE(fault_of_label("provider"));
}

TEST(ProcessStat, SurvivesBracketsInTheProgramName) {
    const auto stat = parse_process_stat(
        "42 (a) b (c)) S 1 42 42 0 -1 4194560 1000 0 0 0 250 50 0 0 20 0 7 0 12345 1000000 321 "
        "18446744073709551615");
    ASSERT_TRUE(stat);
    EXPECT_EQ(stat->user_ticks, 250U);
    EXPECT_EQ(stat->system_ticks, 50U);
    EXPECT_EQ(stat->threads, 7U);
    EXPECT_EQ(stat->start_ticks, 12345U);
    EXPECT_EQ(stat->resident_pages, 321U);
    EXPECT_FALSE(parse_process_stat("nonsense"));
    EXPECT_FALSE(parse_process_stat("1 (x) S 1"));
}

}  // namespace
}  // namespace evalfleet::metrics
