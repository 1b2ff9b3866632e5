#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "coordinator/store/run_folder.hpp"
#include "tests/support/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace evalfleet {
namespace {

using ::testing::AllOf;
using testing::Fleet;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string member(const std::string& json, const std::string& name) {
    return json::Document::parse(json).value().root().get<std::string>(name).value();
}

std::vector<std::string> records(const std::filesystem::path& folder) {
    std::ifstream file(folder / "records.jsonl");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        lines.push_back(line);
    return lines;
}

std::string field(const std::string& record, const std::string& name) {
    const std::string key = "\"" + name + "\":";
    const std::size_t begin = record.find(key) + key.size();
    return record.substr(begin, record.find_first_of(",}", begin) - begin);
}

constexpr int kRepeats = 16;

// A run that paused itself since its provider has no such model.
void submit_in_vain(Fleet& fleet) {
    fleet.submit(kRepeats);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "paused"; }, 60))
        << fleet.coordinator_log();
    EXPECT_THAT(fleet.progress()->note.value(),
                AllOf(HasSubstr("could not measure"), HasSubstr("404"), HasSubstr("in a row")));
}

TEST(FatalFailures, PauseTheRunWithTheReasonAndAreTriedAgainWhenItIsResumed) {
    Fleet fleet({.provider_path = "/nowhere"});
    ASSERT_NO_FATAL_FAILURE(submit_in_vain(fleet));
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await(
        [](const auto& now) { return now.state == "paused" && now.note.has_value(); }, 30))
        << "a restart forgot why";
    EXPECT_LT(fleet.progress()->done, Fleet::kSamples * kRepeats / 2) << "it was burnt";
    fleet.write_providers("/v1");
    fleet.restart_workers();
    ASSERT_TRUE(fleet.steer("resume"));
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->errors, 0U) << "failures were kept";
    EXPECT_EQ(fleet.progress()->measured, "complete");
    EXPECT_EQ(fleet.read_ledger().size(), Fleet::kSamples * kRepeats);
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_EQ(fleet.ask("POST", "/api/v1/runs/" + fleet.run_id() + "/retry").status, 422)
        << "there is nothing left to try again";
}

TEST(FatalFailures, OfARunThatWasCancelledAreRunAgainByRetry) {
    Fleet fleet({.provider_path = "/nowhere"});
    ASSERT_NO_FATAL_FAILURE(submit_in_vain(fleet));
    ASSERT_TRUE(fleet.steer("cancel"));
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->measured, "not_measured");
    EXPECT_EQ(fleet.progress()->errors, 0U) << "a refused call is not the model's";
    fleet.write_providers("/v1");
    fleet.restart_workers();
    const auto made = fleet.ask("POST", "/api/v1/runs/" + fleet.run_id() + "/retry");
    ASSERT_EQ(made.status, 201) << made.body;
    const std::string source = fleet.run_id();
    fleet.watch(member(made.body, "run_id"));
    ASSERT_TRUE(fleet.await_end(120)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->errors, 0U);
    EXPECT_EQ(fleet.read_ledger().size(), Fleet::kSamples * kRepeats);
    EXPECT_EQ(fleet.verify(), 0);
    EXPECT_EQ(fleet.ask_for("/api/v1/runs/" + fleet.run_id() + "/metadata", "retried_from"),
              source);
}

TEST(Rejudging, AsksTheNewJudgeAndNoModel) {
    Fleet fleet;
    fleet.submit(2);
    ASSERT_TRUE(fleet.await_end(60));
    const std::string source = fleet.run_id();
    const auto before = records(fleet.run_folder());
    const auto made =
        fleet.ask("POST", "/api/v1/runs/" + source + "/rejudge",
                  R"({"judge":{"provider":"sim","name":"other","version":"2"},"name":"again"})");
    ASSERT_EQ(made.status, 201) << made.body;
    fleet.watch(member(made.body, "run_id"));
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->state, "done");
    const auto after = records(fleet.run_folder());
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_EQ(field(after[i], "rejudged_from"), "\"" + source + "\"");
        for (const char* measured : {"answer", "latency_e2e_ms", "input_tokens", "output_tokens",
                                     "started_at_utc", "provider_request_id"})
            EXPECT_EQ(field(after[i], measured), field(before[i], measured)) << measured;
        EXPECT_NE(field(after[i], "evaluator_latency_ms"),
                  field(before[i], "evaluator_latency_ms"));
    }
    EXPECT_EQ(fleet.verify(), 0);
}

TEST(Rejudging, AppliesANewPolicyWithoutAnyCall) {
    Fleet fleet;
    fleet.submit(1);
    ASSERT_TRUE(fleet.await_end(60));
    const std::string source = fleet.run_id();
    fleet.end_worker(0);
    fleet.end_worker(1);
    fleet.end_worker(2);
    const auto made = fleet.ask("POST", "/api/v1/runs/" + source + "/rejudge",
                                R"({"policy":{"pass":{"max_latency_e2e_ms":0.001}}})");
    ASSERT_EQ(made.status, 201) << made.body;
    fleet.watch(member(made.body, "run_id"));
    ASSERT_TRUE(fleet.await_end(60)) << fleet.coordinator_log();
    EXPECT_EQ(fleet.progress()->state, "done");
    for (const std::string& record : records(fleet.run_folder()))
        EXPECT_EQ(field(record, "rubric_passed"), "false");
    EXPECT_EQ(fleet.verify(), 0);
}

TEST(Groups, AreSummarisedWhenTheLastRunIsDoneAndFoundByTheirKey) {
    Fleet fleet;
    const std::string spec =
        R"({"version":1,"name":"pair","dataset":{"path":"qa.jsonl"},)"
        R"("models":[{"provider":"sim","name":"m","version":"1"},{"provider":"sim","name":"n","version":"1"}],)"
        R"("judge":{"provider":"sim","name":"j","version":"1"}})";
    const auto first = fleet.ask("POST", "/api/v1/runs", spec, "key-1");
    ASSERT_EQ(first.status, 201) << first.body;
    const auto again = fleet.ask("POST", "/api/v1/runs", spec, "key-1");
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, first.body);
    fleet.kill_coordinator();
    for (int i = 0; i < 100 && fleet.ask("GET", "/readyz").status != 200; ++i)
        usleep(100'000);
    EXPECT_EQ(fleet.ask("POST", "/api/v1/runs", spec, "key-1").body, first.body)
        << "a restart forgot the key";
    EXPECT_EQ(fleet.ask("POST", "/api/v1/runs", spec + " ", "key-1").status, 422);
    const std::string group = member(first.body, "group_id");
    const auto file = fleet.store() / "groups" / group / "group.json";
    for (int i = 0; i < 600 && !std::filesystem::exists(file); ++i)
        usleep(100'000);
    const auto summary = files::blocking_read_file(file, 1 << 24);
    ASSERT_TRUE(summary) << fleet.coordinator_log();
    EXPECT_THAT(*summary, HasSubstr("\"ranking\""));
    EXPECT_EQ(fleet.ask_for("/api/v1/groups/" + group, "state"), "done");
    // As if it had been killed between the last run's end and the summary.
    std::filesystem::remove(file);
    fleet.kill_coordinator();
    for (int i = 0; i < 600 && !std::filesystem::exists(file); ++i)
        usleep(100'000);
    EXPECT_EQ(files::blocking_read_file(file, 1 << 24).value(), *summary);
}

// A policy that only a baseline can fail.
const std::string kLowGates = R"(,"policy":{"gates":{"min_aggregate_score":0,"min_pass_rate":0,)"
                              R"("max_faithfulness_failure_rate":1}})";

std::string read(const std::filesystem::path& file) {
    return files::blocking_read_file(file, 1 << 24).value();
}

// The exit code of `evalfleet report` for the run's folder.
int report(Fleet& fleet) {
    return testing::Process({EVALFLEET_BIN_DIR "/evalfleet", "report", fleet.run_folder().string()},
                            fleet.store() / "report.log")
        .wait();
}

std::string id_of_end(Fleet& fleet) {
    const std::string events = fleet.ask("GET", "/api/v1/runs/" + fleet.run_id() + "/events").body;
    const std::size_t begin = events.find("id:");
    return begin == std::string::npos ? events
                                      : events.substr(begin, events.find('\n', begin) - begin);
}

// All gates passed, and yet it is not ready, whoever is asked.
void expect_fallen_behind(Fleet& fleet) {
    EXPECT_EQ(fleet.progress()->state, "done");
    EXPECT_EQ(fleet.progress()->release_ready, false);
    EXPECT_THAT(fleet.progress()->note.value_or(""),
                HasSubstr("significantly worse than the baseline main"));
    const auto folder = fleet.run_folder();
    EXPECT_THAT(read(folder / "summary.json"), HasSubstr("\"release_ready\": true"));
    EXPECT_THAT(read(folder / "regression.json"), HasSubstr("\"passed\": false"));
    EXPECT_THAT(read(folder / "report.md"), HasSubstr("**NOT READY**"));
    EXPECT_THAT(read(folder / "report.html"), HasSubstr("<strong>NOT READY</strong>"));
    EXPECT_THAT(read(folder / "junit.xml"), HasSubstr("<failure type=\"baseline\""));
    EXPECT_THAT(fleet.ask("GET", "/api/v1/runs/" + fleet.run_id() + "/report.txt").body,
                StartsWith("NOT READY"));
    EXPECT_EQ(report(fleet), 1);
    EXPECT_EQ(fleet.verify(), 0);
}

TEST(Baselines, FailARunThatFallsBehindAndAreNeverRemoved) {
    Fleet fleet({.coordinator = {"--retention", "1"}, .latency_ms = "100"});
    fleet.submit(3, kLowGates);
    ASSERT_TRUE(fleet.await_end(60));
    const std::string base = fleet.run_id();
    EXPECT_THROW(fleet.submit(1, R"(,"baseline":"main")"), std::runtime_error)
        << "there is no such baseline";
    ASSERT_EQ(fleet.ask("PUT", "/api/v1/baselines/main", R"({"run_id":")" + base + R"("})").status,
              200);
    // A busy machine makes the second of two equal runs slower now and then; so much it cannot.
    fleet.change_latency("5");
    fleet.submit(3, kLowGates + R"(,"baseline":"main")");
    ASSERT_TRUE(fleet.await_end(60));
    const auto regression =
        files::blocking_read_file(fleet.run_folder() / "regression.json", 1 << 24);
    ASSERT_TRUE(regression) << fleet.coordinator_log();
    EXPECT_THAT(*regression, HasSubstr("\"baseline_run_id\": \"" + base + "\""));
    EXPECT_EQ(fleet.verify(), 0);
    const std::string second = fleet.run_id();
    EXPECT_EQ(fleet.progress()->release_ready, true);
    EXPECT_EQ(report(fleet), 0);
    // Answers that are cut after a word.
    fleet.submit(3, kLowGates + R"(,"generation":{"max_tokens":1},"baseline":"main")");
    ASSERT_TRUE(fleet.await_end(60));
    expect_fallen_behind(fleet);
    const std::string end = id_of_end(fleet);
    EXPECT_THAT(end, HasSubstr("-done-"));
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.is_over(); }, 30));
    expect_fallen_behind(fleet);
    EXPECT_EQ(id_of_end(fleet), end) << "who saw the end would be told again";
    EXPECT_THAT(fleet.ask("GET", "/metrics").body,
                HasSubstr("run_release_ready{name=\"test\",run=\"" + fleet.run_id() + "\"} 0"));
    for (int i = 0; i < 100 && fleet.ask("GET", "/api/v1/runs/" + second).status != 404; ++i)
        usleep(100'000);
    EXPECT_EQ(fleet.ask("GET", "/api/v1/runs/" + second).status, 404) << "it was kept too long";
    EXPECT_FALSE(std::filesystem::exists(fleet.store() / "runs" / second));
    EXPECT_EQ(fleet.ask("GET", "/api/v1/runs/" + base).status, 200) << "a baseline was removed";
    EXPECT_EQ(fleet.ask("DELETE", "/api/v1/runs/" + base).status, 409);
}

TEST(FailedRuns, StayFailedWithTheReasonAndCanBeRemoved) {
    Fleet fleet({.workers = 0});
    fleet.submit(1);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "running"; }, 30));
    const auto spec = store::RunFolder(fleet.run_folder()).spec();
    const std::string good = read(spec);
    files::blocking_write_atomically(spec, "broken").value();
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "failed"; }, 30));
    const std::string why = fleet.progress()->note.value_or("");
    EXPECT_NE(why, "");
    files::blocking_write_atomically(spec, good).value();
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "failed"; }, 30));
    EXPECT_EQ(fleet.progress()->note.value_or(""), why);
    EXPECT_THAT(fleet.ask("GET", "/metrics").body,
                HasSubstr("run_release_ready{name=\"test\",run=\"" + fleet.run_id() + "\"} 0"));
    const auto folder = fleet.run_folder();
    EXPECT_EQ(fleet.ask("DELETE", "/api/v1/runs/" + fleet.run_id()).status, 204);
    EXPECT_EQ(fleet.ask("GET", "/api/v1/runs/" + fleet.run_id()).status, 404);
    EXPECT_FALSE(std::filesystem::exists(folder));
    EXPECT_FALSE(fleet.steer("resume"));
}

TEST(FailedRuns, AreRemovedWhenTheyWereKeptLongEnough) {
    Fleet fleet({.workers = 0, .coordinator = {"--retention", "1d"}});
    fleet.submit(1);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "running"; }, 30));
    const auto folder = fleet.run_folder();
    const auto spec = store::RunFolder(folder).spec();
    const std::string good = read(spec);
    files::blocking_write_atomically(spec, "broken").value();
    fleet.kill_coordinator();
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "failed"; }, 30));
    files::blocking_write_atomically(spec, good).value();
    const auto phase = folder / "work" / "phase";
    std::filesystem::last_write_time(
        phase, std::filesystem::last_write_time(phase) - std::chrono::hours(25));
    fleet.kill_coordinator();
    // It goes when the coordinator looks next: when it starts, or when another run is over.
    for (int i = 0; i < 600 && std::filesystem::exists(folder) &&
                    fleet.ask_for("/api/v1/runs/" + fleet.run_id(), "state") != "failed";
         ++i)
        usleep(100'000);
    fleet.submit(1);
    ASSERT_TRUE(fleet.await([](const auto& now) { return now.state == "running"; }, 30));
    ASSERT_TRUE(fleet.steer("cancel"));
    for (int i = 0; i < 600 && std::filesystem::exists(folder); ++i)
        usleep(100'000);
    EXPECT_FALSE(std::filesystem::exists(folder)) << fleet.coordinator_log();
}

}  // namespace
}  // namespace evalfleet
