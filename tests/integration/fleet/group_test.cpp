#include "tests/integration/fleet/evalfleet_process.hpp"

/// Runs of several models and prompts, and what they say of themselves.
namespace evalfleet {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

// Two models with two prompts each; the name of one model pins it.
std::string put_group_file(const testing::TemporaryFolder& home) {
    std::string lines;
    for (int i = 0; i < 8; ++i)
        lines += "{\"task\":\"question " + std::to_string(i) + "\"}\n";
    EXPECT_TRUE(files::blocking_write_atomically(home / "qa.jsonl", lines));
    EXPECT_TRUE(files::blocking_write_atomically(
        home / "run.yaml",
        "version: 1\nname: matrix\ndataset: {path: qa.jsonl}\n"
        "models: [{provider: sim, name: gpt-4o-2024-08-06}, {provider: sim, name: o3-2025-04-16}]\n"
        "prompts: [{id: p, version: \"1\", template: \"{{task}}\"},\n"
        "          {id: p, version: \"2\", template: \"Answer: {{task}}\"}]\n"
        "judge: {provider: sim, name: gpt-4.1-2025-04-14}\n"
        "providers:\n  sim: {type: openai, base_url: \"http://127.0.0.1:1/v1\"}\n"));
    return (home / "run.yaml").string();
}

json::Document read_json(const fs::path& file) {
    return json::Document::parse(files::blocking_read_file(file, 1 << 22).value()).value();
}

TEST(EvalfleetRun, SummarisesAGroupBesideItsRuns) {
    const testing::TemporaryFolder home;
    const fs::path out = home / "out";
    Process process(home.path(),
                    {"run", put_group_file(home), "--simulate", "--out", out.string()});
    const int code = process.wait();
    EXPECT_TRUE(code == 0 || code == 1) << process.err();
    EXPECT_THAT(process.out(), HasSubstr("The group's summary: " + (out / "group.json").string()));
    EXPECT_THAT(process.out(), HasSubstr("rank"));
    const auto group = read_json(out / "group.json");
    const auto ranking = group.root().get<json::Array>("ranking").value();
    ASSERT_EQ(ranking.size(), 4U);
    std::vector<std::string> folders;
    bool all_ready = true;
    for (const json::Value ranked : ranking) {
        all_ready = all_ready && ranked.get<bool>("release_ready").value();
        folders.push_back((out / ranked.get<std::string>("run_id").value()).string());
        expect_every_trial_once(folders.back(), 8, 1);
    }
    EXPECT_EQ(code, all_ready ? 0 : 1) << "the worst of the runs";
    const json::Value slices = group.root().find("slices").value();
    EXPECT_TRUE(slices.find("model")->find("sim/o3-2025-04-16@2025-04-16"));
    EXPECT_TRUE(slices.find("prompt_template_version")->find("p@2"));

    // The same as offline, run by run in the order of the submission.
    std::sort(folders.begin(), folders.end());
    std::vector<std::string> words{"reduce", "--group", "--out", (home / "again.json").string()};
    words.insert(words.end(), folders.begin(), folders.end());
    run(home, words);
    const std::string stored = files::blocking_read_file(out / "group.json", 1 << 22).value();
    EXPECT_EQ(files::blocking_read_file(home / "again.json", 1 << 22).value(), stored);

    // And the folder can be asked for its report and verified like that of a run.
    const auto report = [&](const char* format) {
        Process command(home.path(), {"report", out.string(), "--format", format});
        EXPECT_NE(command.wait(), 2) << command.err();
        return command.out();
    };
    EXPECT_EQ(report("json"), stored);
    EXPECT_THAT(report("text"), AllOf(HasSubstr("4 runs"), HasSubstr("model, prompt"),
                                      HasSubstr("prompt template version")));
    EXPECT_THAT(report("md"), AllOf(HasSubstr("| rank | model, prompt |"), HasSubstr("| p\\@2 |")));
    Process refused(home.path(), {"report", out.string(), "--format", "junit"});
    EXPECT_EQ(refused.wait(), 2);
    EXPECT_THAT(refused.err(), HasSubstr("a group has reports as text, json, md and html"));

    Process verified(home.path(), {"verify", out.string()});
    EXPECT_EQ(verified.wait(), 0) << verified.out();
    for (const std::string& folder : folders)
        EXPECT_THAT(verified.out(), HasSubstr(folder + ": hashes and summary are as recorded"));
    std::ofstream(fs::path(folders.back()) / "records.jsonl", std::ios::app) << " ";
    Process changed(home.path(), {"verify", out.string()});
    EXPECT_EQ(changed.wait(), 1);
    EXPECT_THAT(changed.out(), HasSubstr(folders.back() + ": 1 difference"));
}

TEST(EvalfleetRun, TellsTheGroupInJson) {
    const testing::TemporaryFolder home;
    const fs::path out = home / "out";
    Process process(home.path(),
                    {"run", put_group_file(home), "--simulate", "--json", "--out", out.string()});
    process.wait();
    const auto document = json::Document::parse(process.out());
    ASSERT_TRUE(document) << process.out() << process.err();
    const json::Value group = document->root().find("group").value();
    EXPECT_EQ(group.get<std::string>("file").value(), (out / "group.json").string());
    EXPECT_EQ(group.get<json::Array>("ranking").value().size(), 4U);
}

// Rubric 4.3 and Specification 5, as a real run leaves them.
TEST(EvalfleetRun, LeavesNoNameOfTheMetadataNull) {
    const testing::TemporaryFolder home;
    const fs::path out = home / "out";
    run(home, {"run", put_group_file(home), "--simulate", "--out", out.string(), "--environment",
               "region=eu-west-1,deployment=test"});
    const auto group = read_json(out / "group.json");
    const auto ranking = group.root().get<json::Array>("ranking").value();
    for (const json::Value ranked : ranking) {
        const std::string run_id = ranked.get<std::string>("run_id").value();
        const auto document = read_json(out / run_id / "run.json");
        const json::Value root = document.root();
        for (const char* name : {"run_id",
                                 "timestamp_utc",
                                 "dataset_id",
                                 "dataset_version",
                                 "dataset_version_or_hash",
                                 "model",
                                 "model_id",
                                 "model_version",
                                 "evaluator_model_id",
                                 "evaluator_model_version",
                                 "evaluator_version",
                                 "prompt_template",
                                 "prompt_template_id",
                                 "prompt_template_version_or_hash",
                                 "evaluator_prompt_template_version_or_hash",
                                 "generation_params",
                                 "params",
                                 "generation_params_requested",
                                 "api_key_id",
                                 "code_version",
                                 "environment"}) {
            const auto value = root.find(name);
            EXPECT_TRUE(value && !value->is_null()) << name;
        }
        const bool reasons = root.get<std::string>("model_id").value() == "sim/o3-2025-04-16";
        EXPECT_EQ(root.get<std::string>("model_version").value(),
                  reasons ? "2025-04-16" : "2024-08-06");
        EXPECT_EQ(root.get<std::string>("evaluator_model_version").value(), "2025-04-14");
        const json::Value sent = root.find("generation_params").value();
        for (const char* name : {"temperature", "top_p"})
            EXPECT_EQ(sent.find(name)->is_null(), reasons) << name;
        EXPECT_FALSE(sent.find("seed")->is_null());
        const json::Value environment = root.find("environment").value();
        EXPECT_EQ(environment.get<std::string>("region").value(), "eu-west-1");
        EXPECT_EQ(environment.get<std::string>("deployment").value(), "test");
        const auto workers = root.get<json::Object>("worker_environments").value();
        for (const auto [place, trials] : workers) {
            EXPECT_THAT(std::string(place), HasSubstr("region=eu-west-1,deployment=test,runtime="));
            EXPECT_EQ(trials.as_int64().value(), 8);
        }
        EXPECT_EQ(root.get<json::Object>("model_versions_reported").value().size(), 1U);
    }
}

TEST(EvalfleetRun, RefusesAnEnvironmentThatItDoesNotKnow) {
    const testing::TemporaryFolder home;
    Process process(home.path(), {"run", put_group_file(home), "--simulate", "--out",
                                  (home / "out").string(), "--environment", "regoin=eu"});
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.err(), HasSubstr("--environment: found 'regoin=eu', allowed: "));
    EXPECT_FALSE(fs::exists(home / "out"));
}

}  // namespace
}  // namespace evalfleet
