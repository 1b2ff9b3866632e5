#include "cli/run_views.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kRun = R"({"run_id": "r1", "name": "nightly", "group_id": null,
    "state": "done", "submitted_at": "2026-11-16T02:00:00.123Z", "model": "main/m@1",
    "prompt": "p@1", "judge": "main/j@1", "dataset_id": "qa", "dataset_hash": "9f86",
    "total": 180, "done": 180, "passed": 150, "failed": 30, "errors": 2, "pass_rate": 0.8333,
    "pass_rate_ci95_lower": 0.77, "pass_rate_ci95_upper": 0.88, "in_flight": 0, "workers": 2,
    "trials_per_s": null, "eta_s": null, "elapsed_s": 75.5, "note": "a\u001b[2Jb",
    "release_ready": false, "folder": "f"})";

TEST(RunsTable, ShowsARunInALine) {
    const auto document = json::Document::parse("[" + std::string(kRun) + "]").value();
    const std::string table = runs_table(document.root().as<json::Array>().value(), std::nullopt);
    EXPECT_THAT(table, HasSubstr("180/180"));
    EXPECT_THAT(table, HasSubstr("83.3 %"));
    EXPECT_THAT(table, HasSubstr("not ready"));
    EXPECT_THAT(table, HasSubstr("2026-11-16 02:00:00"));
    EXPECT_THAT(table, Not(HasSubstr("\033"))) << "a note must not steer the terminal";
}

TEST(RunDetails, TellWhatCouldNotBeMeasuredFromWhatIsNotReady) {
    const auto verdict = [](std::string_view measured) {
        std::string run(kRun);
        run.insert(run.rfind('}'), std::string(", \"measured\": ").append(measured));
        return run_details(json::Document::parse(run).value().root());
    };
    EXPECT_THAT(verdict("\"not_measured\""), HasSubstr("not measured"));
    EXPECT_THAT(verdict("\"partial\""), HasSubstr("partly measured"));
    EXPECT_THAT(verdict("\"complete\""), HasSubstr("not ready"));
}

TEST(RunDetails, TellLabelsAndDescription) {
    std::string run(kRun);
    run.insert(run.rfind('}'),
               R"(, "description": "why", "run_labels": {"branch": "main", "pr": "7"})");
    const std::string details = run_details(json::Document::parse(run).value().root());
    EXPECT_THAT(details, HasSubstr("about      why\n"));
    EXPECT_THAT(details, HasSubstr("labels     branch=main, pr=7\n"));
}

TEST(RunDetails, LeavesOutWhatIsUnknown) {
    const auto document = json::Document::parse(kRun).value();
    const std::string details = run_details(document.root());
    EXPECT_THAT(details, AllOf(HasSubstr("95 % CI [77.0, 88.0]"), HasSubstr("1 min 16 s")));
    EXPECT_THAT(details, Not(HasSubstr("ends in")));
    EXPECT_THAT(details, Not(HasSubstr("group")));
}

TEST(Tables, SayWhatIsWrongWithAnAnswer) {
    EXPECT_FALSE(workers_table("{}", std::nullopt));
    EXPECT_FALSE(queues_table("[", std::nullopt));
    EXPECT_FALSE(baselines_table(R"({"baselines": 7})", std::nullopt));
}

TEST(QueuesTable, TellsOfARedisThatIsAwayOrFull) {
    const auto of = [](std::string_view redis) {
        return queues_table(
                   R"({"pool": "main", "leased": 1, "delayed": 0, "workers": 2, "redis": )" +
                       std::string(redis) + R"(, "runs": []})",
                   std::nullopt)
            .value();
    };
    EXPECT_THAT(of(R"({"reachable": false})"), HasSubstr("not reachable"));
    EXPECT_THAT(of(R"({"reachable": true, "used_bytes": 1048576, "memory_full": true})"),
                HasSubstr("1.0 MiB used, its memory is full"));
}

}  // namespace
}  // namespace evalfleet::cli
