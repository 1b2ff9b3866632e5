#include "common/job/run_metadata.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

RunMetadata example() {
    RunMetadata run;
    run.run_id = "r1";
    run.timestamp_utc = "2026-01-02T03:04:05Z";
    run.dataset_id = "qa";
    run.dataset_version = "7";
    run.dataset_hash = std::string(64, 'a');
    run.sample_count = 3;
    run.repeats = 2;
    run.model = {"main", "vendor/gpt", "1"};
    run.model_versions_reported = {{"gpt-1", 5}};
    run.system_fingerprints_reported = {{"fp", 5}};
    run.evaluator_model = ModelRef{"main", "judge", "2"};
    run.evaluator_version = "main/judge@2";
    run.evaluator_profile = EvaluatorProfile::spec_v1;
    run.prompt_template = {"p", "3", "sys", "{{task}}", std::string(64, 'b')};
    run.generation_params = {0.5, std::nullopt, 1024, std::nullopt};
    run.generation_params_requested.temperature = 0.5;
    run.generation_params_requested.seed.reset();
    run.environment = {{"region", "eu"}};
    run.worker_environments = {{"region=eu,deployment=unknown,runtime=w", 5}};
    run.policy.gates.min_pass_rate = 0.5;
    return run;
}

TEST(RunMetadata, ReadsBackWhatItWrites) {
    EXPECT_EQ(parse_run_metadata(to_json(example())).value(), example());
    RunMetadata manual = example();
    manual.evaluator_model.reset();
    manual.evaluator_version = "people-2";
    EXPECT_EQ(parse_run_metadata(to_json(manual)).value(), manual);
}

TEST(RunMetadata, HasLabelsAndADescriptionOnlyWhereThereAreSome) {
    EXPECT_EQ(to_json(example()).find("run_labels"), std::string::npos);
    EXPECT_EQ(to_json(example()).find("description"), std::string::npos);
    RunMetadata noted = example();
    noted.description = "why";
    noted.run_labels = {{"commit", "41ed580"}};
    EXPECT_EQ(parse_run_metadata(to_json(noted)).value(), noted);
}

TEST(RunMetadata, HasEveryNameOfBothDocuments) {
    const auto document = json::Document::parse(to_json(example()));
    for (const char* const name : {"run_id",
                                   "timestamp_utc",
                                   "dataset_id",
                                   "dataset_version_or_hash",
                                   "model_id",
                                   "model_version",
                                   "evaluator_model_id",
                                   "evaluator_model_version",
                                   "prompt_template_id",
                                   "prompt_template_version_or_hash",
                                   "evaluator_prompt_template_version_or_hash",
                                   "generation_params",
                                   "code_version",
                                   "environment",
                                   "model",
                                   "params",
                                   "prompt_template",
                                   "api_key_id",
                                   "dataset_version",
                                   "evaluator_version"}) {
        const auto value = document->root().find(name);
        ASSERT_TRUE(value) << name;
        EXPECT_FALSE(value->is_null()) << name;
    }
    EXPECT_EQ(document->root().get<std::string>("model").value(), "main/vendor/gpt@1");
}

/// Those of Rubric 4.3 and Specification 5 that may be null in memory.
TEST(RunMetadata, LeavesNoNameOfTheDocumentsNull) {
    RunMetadata bare;
    bare.run_id = "r";
    bare.timestamp_utc = "t";
    bare.dataset_hash = std::string(64, 'a');
    bare.model = {"main", "m", std::nullopt};
    const auto document = json::Document::parse(to_json(bare));
    const json::Value root = document->root();
    const auto text = [&](const char* name) { return root.get<std::string>(name).value(); };
    EXPECT_EQ(text("dataset_id"), "unknown");
    EXPECT_EQ(text("dataset_version"), bare.dataset_hash);
    EXPECT_EQ(text("dataset_version_or_hash"), bare.dataset_hash);
    EXPECT_EQ(text("model"), "main/m@unknown");
    EXPECT_EQ(text("model_version"), "unknown");
    EXPECT_EQ(text("evaluator_model_id"), "manual");
    EXPECT_EQ(text("evaluator_model_version"), "unknown");
    EXPECT_EQ(text("evaluator_version"), "unknown");
    EXPECT_EQ(text("evaluator_prompt_template_version_or_hash"), "unknown");
    EXPECT_EQ(text("api_key_id"), "unknown");
    EXPECT_EQ(text("code_version"), "unknown");
    const json::Value environment = root.find("environment").value();
    for (const char* name : {"region", "deployment", "runtime"})
        EXPECT_EQ(environment.get<std::string>(name).value(), "unknown") << name;
    EXPECT_EQ(parse_run_metadata(to_json(bare)).value(), bare);
}

TEST(RunMetadata, NamesTheRubricOfPeopleInAllPlacesOfTheEvaluator) {
    RunMetadata manual = example();
    manual.evaluator_model.reset();
    manual.evaluator_prompt_template_hash.reset();
    manual.evaluator_version = "people-2";
    const auto document = json::Document::parse(to_json(manual));
    for (const char* name : {"evaluator_model_version", "evaluator_version",
                             "evaluator_prompt_template_version_or_hash"})
        EXPECT_EQ(document->root().get<std::string>(name).value(), "people-2") << name;
}

TEST(RunMetadata, WritesParametersThatWereNotSentAsNullBesideThoseThatWereWanted) {
    const auto document = json::Document::parse(to_json(example()));
    for (const char* name : {"generation_params", "params"}) {
        const json::Value sent = document->root().find(name).value();
        EXPECT_EQ(sent.get<double>("temperature").value(), 0.5);
        EXPECT_TRUE(sent.find("top_p")->is_null() && sent.find("seed")->is_null());
    }
    const json::Value wanted = document->root().find("generation_params_requested").value();
    EXPECT_EQ(wanted.get<double>("top_p").value(), 1);
}

TEST(RunMetadata, ReadsWhatEarlierVersionsWrote) {
    const auto run = parse_run_metadata(R"({"run_id": "r", "timestamp_utc": "t",
        "dataset_id": null, "dataset_version": null, "dataset_hash": "h", "model_id": "p/m",
        "model_version": null, "model_versions_reported": ["a", "b"], "evaluator_model_id": null,
        "evaluator_model_version": null, "api_key_id": null, "environment": {"runtime": "e"},
        "generation_params": {"temperature": 0.5, "top_p": 1, "max_tokens": 7, "seed": null}})");
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->model_versions_reported, (NameCounts{{"a", 0}, {"b", 0}}));
    EXPECT_EQ(run->model.version, std::nullopt);
    EXPECT_EQ(run->evaluator_model, std::nullopt);
    EXPECT_EQ(run->generation_params_requested, (GenerationParams{0.5, 1, 7, std::nullopt}));
}

TEST(RunMetadata, SkipsUnknownMembersAndNamesWrongOnes) {
    std::string json = to_json(example());
    json.insert(1, "\"later\": {},");
    EXPECT_TRUE(parse_run_metadata(json));
    EXPECT_THAT(parse_run_metadata(R"({"run_id": 1})").error().message,
                testing::HasSubstr("run_id: expected a string, found 1"));
}

}  // namespace
}  // namespace evalfleet::job
