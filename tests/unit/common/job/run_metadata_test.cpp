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
    run.model_versions_reported = {"gpt-1"};
    run.evaluator_model = ModelRef{"main", "judge", "2"};
    run.evaluator_version = "main/judge@2";
    run.evaluator_profile = EvaluatorProfile::spec_v1;
    run.prompt_template = {"p", "3", "sys", "{{task}}", std::string(64, 'b')};
    run.generation_params.temperature = 0.5;
    run.environment = {{"region", "eu"}};
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
        EXPECT_TRUE(document->root().find(name)) << name;
    }
    EXPECT_EQ(document->root().get<std::string>("model").value(), "main/vendor/gpt@1");
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
