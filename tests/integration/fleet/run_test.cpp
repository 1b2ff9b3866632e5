#include "tests/integration/fleet/evalfleet_process.hpp"

/// Whole runs: from start to report, killed, interrupted.
namespace evalfleet {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(EvalfleetRun, EvaluatesTheDemoAndLeavesAFolderThatVerifies) {
    const testing::TemporaryFolder home;
    const std::string out = (home / "out").string();
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", out});
    const int code = process.wait();
    EXPECT_TRUE(code == 0 || code == 1) << process.err();
    EXPECT_THAT(process.out(), HasSubstr("aggregate"));
    EXPECT_THAT(process.err(), HasSubstr("186/186 trials"));
    for (const char* name : {"run.json", "records.jsonl", "summary.json", "report.md",
                             "report.html", "junit.xml", "manifest.json"})
        EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
    EXPECT_FALSE(fs::exists(fs::path(out) / ".fleet"));
    expect_every_trial_once(out, 62, 3);
    for (const auto& [trial, record] : read_records(out)) {
        EXPECT_EQ(record.evaluation_schema_version, job::SchemaVersion::v1_1) << trial.first;
        EXPECT_TRUE(record.error_kind || !record.answer.value_or("").empty()) << trial.first;
    }
    EXPECT_THAT(files::blocking_read_file(fs::path(out) / "summary.json", 1 << 24).value(),
                HasSubstr(R"("evaluation_schema_version": "1.1")"));
    EXPECT_EQ(run(home, {"verify", out}), 0);
}

TEST(EvalfleetRun, IsScoredFromManualLabelsWithoutAJudge) {
    const testing::TemporaryFolder home;
    const auto put = [&](const char* name, std::string_view content) {
        ASSERT_TRUE(files::blocking_write_atomically(home / name, content));
    };
    put("qa.jsonl",
        "{\"id\":\"a\",\"task\":\"one?\"}\n{\"id\":\"b\",\"task\":\"two?\"}\n"
        "{\"id\":\"c\",\"task\":\"three?\"}\n");
    fs::create_directory(home / "people");
    put("people/labels.jsonl",
        "{\"sample_id\":\"a\",\"accuracy_score\":2,\"faithfulness_score\":2,"
        "\"hallucination_score\":0,\"rationale\":\"as it should be\"}\n"
        "{\"sample_id\":\"b\",\"repeat\":1,\"accuracy_score\":1,\"faithfulness_score\":1}\n"
        "{\"sample_id\":\"b\",\"repeat\":2,\"accuracy_score\":0,\"faithfulness_score\":2,"
        "\"failure_label\":\"tool_or_retrieval_misuse\"}\n");
    put("run.yaml",
        "version: 1\nname: by hand\ndataset: {path: qa.jsonl}\n"
        "model: {provider: sim, name: m, version: \"1\"}\nrepeats: 2\n"
        "labels: {path: people/labels.jsonl, version: hand-v3}\n"
        "providers:\n  sim: {type: openai, base_url: \"http://127.0.0.1:1/v1\"}\n");
    const fs::path out = home / "out";
    Process process(home.path(),
                    {"run", (home / "run.yaml").string(), "--simulate", "--out", out.string()});
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("1 of 3 samples lack a label"));
    EXPECT_THAT(process.err(), HasSubstr("could not measure: 2 of 6 answers not scored (no label)"))
        << "with good scores for them the aggregate score would do";

    const auto records = read_records(out);
    ASSERT_EQ(records.size(), 6U);
    for (const std::int64_t repeat : {1, 2}) {
        const job::TrialRecord& labelled = records.at({"a", repeat});
        EXPECT_EQ(labelled.correctness_score, 2);
        EXPECT_EQ(labelled.hallucination_source, job::HallucinationSource::judge);
        EXPECT_EQ(labelled.rationale, "as it should be");
        EXPECT_FALSE(labelled.evaluator_attempts);
        EXPECT_EQ(records.at({"c", repeat}).evaluator_error, job::EvaluatorError::missing_label);
    }
    EXPECT_EQ(records.at({"b", 1}).correctness_score, 1);
    EXPECT_EQ(records.at({"b", 1}).hallucination_source, job::HallucinationSource::derived);
    EXPECT_EQ(records.at({"b", 2}).judge_failure_label, "tool_or_retrieval_misuse");
    const std::string metadata = files::blocking_read_file(out / "run.json", 1 << 20).value();
    EXPECT_THAT(metadata, HasSubstr("\"evaluator_version\": \"hand-v3\""));
    EXPECT_THAT(metadata, HasSubstr("\"evaluator_labels_hash\": \""));
    EXPECT_EQ(run(home, {"verify", out.string()}), 0);
}

TEST(EvalfleetRun, PrintsOnlyJsonWhenAsked) {
    const testing::TemporaryFolder home;
    Process process(home.path(),
                    {"run", kDemo, "--simulate", "--json", "--out", (home / "out").string()});
    process.wait();
    const auto document = json::Document::parse(process.out());
    ASSERT_TRUE(document) << process.out() << process.err();
    const auto runs = document->root().get<json::Array>("runs").value();
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ((*runs.begin()).get<std::string>("state").value(), "done");
}

TEST(EvalfleetRun, LosesNothingWhenEveryPartIsKilledOnce) {
    const testing::TemporaryFolder home;
    const std::string out = (home / "out").string();
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", out, "--concurrency", "4"});
    std::size_t killed = 0;
    for (const char* program : {"evalfleet-worker", "evalfleet-coordinator", "redis-server"}) {
        ASSERT_TRUE(eventually([&] { return !children_named(process.pid(), program).empty(); }));
        kill(*children_named(process.pid(), program).begin(), SIGKILL);
        ++killed;
        ASSERT_TRUE(eventually([&] {
            return count_of("ended (signal 9)", process.err()) >= killed;
        })) << program;
    }
    const int code = process.wait();
    EXPECT_TRUE(code == 0 || code == 1) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("starting it again"));
    expect_every_trial_once(out, 62, 3);
    EXPECT_EQ(run(home, {"verify", out}), 0);
}

TEST(EvalfleetRun, GoesOnAfterAnInterruptionWithNothingCountedTwice) {
    const testing::TemporaryFolder home;
    const std::string out = (home / "out").string();
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", out, "--concurrency", "2"});
    ASSERT_TRUE(
        eventually([&] { return !children_named(process.pid(), "evalfleet-worker").empty(); }));
    process.signal(SIGINT);
    EXPECT_EQ(process.wait(), 130) << process.err();
    EXPECT_THAT(process.err(), HasSubstr("evalfleet run --resume " + out));
    Process resumed(home.path(), {"run", "--resume", out});
    const int code = resumed.wait();
    EXPECT_TRUE(code == 0 || code == 1) << resumed.err();
    expect_every_trial_once(out, 62, 3);
    EXPECT_EQ(run(home, {"verify", out}), 0);
}

TEST(EvalfleetRun, LeavesNoChildBehindWhenItIsKilled) {
    const testing::TemporaryFolder home;
    Process process(home.path(), {"run", kDemo, "--simulate", "--out", (home / "out").string()});
    std::set<pid_t> children;
    ASSERT_TRUE(eventually([&] {
        children = children_named(process.pid(), "");
        return children.size() >= 5;
    }));
    process.signal(SIGKILL);
    process.wait();
    EXPECT_TRUE(eventually([&] {
        return std::all_of(children.begin(), children.end(),
                           [](pid_t pid) { return kill(pid, 0) != 0; });
    }));
}

}  // namespace
}  // namespace evalfleet
