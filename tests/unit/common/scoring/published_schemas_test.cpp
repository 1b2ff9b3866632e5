#include "common/job/policy_json.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/scoring/derive.hpp"
#include "common/scoring/json_schema.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace evalfleet::scoring {
namespace {

std::string read_schema(const std::string& name) {
    const auto folder = std::filesystem::path(EVALFLEET_TEST_DATA_DIR).parent_path();
    std::ifstream in(folder / "docs" / "schemas" / (name + ".schema.json"));
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What the published schema has against a text; empty if it follows it.
std::string violation(const std::string& name, const std::string& json) {
    const auto schema = JsonSchema::compile(read_schema(name));
    if (!schema) return schema.error().message;
    const auto value = parse_json_tree(json);
    if (!value) return "not JSON";
    return schema->violation(*value).value_or("");
}

/// The members of an object that the schema says nothing about.
std::vector<std::string> undescribed(const std::string& name, const std::string& json) {
    const JsonNode schema = parse_json_tree(read_schema(name)).value();
    const JsonNode* const described = schema.find("properties");
    const JsonNode value = parse_json_tree(json).value();
    std::vector<std::string> names;
    for (const std::string& key : value.keys) {
        if (described->find(key) == nullptr) names.push_back(key);
    }
    return names;
}

job::RunMetadata example_run() {
    job::RunMetadata run;
    run.run_id = "r1";
    run.timestamp_utc = "2026-01-02T03:04:05Z";
    run.dataset_hash = std::string(64, 'a');
    run.model = {"main", "m", "1"};
    run.evaluator_profile = job::EvaluatorProfile::rubric_v1;
    run.environment = {{"region", "eu"}};
    run.description = "why";
    run.run_labels = {{"commit", "41ed580"}};
    run.policy.bootstrap.seed = 18446744073709551615U;
    return run;
}

job::RunSpec example_spec() {
    return job::parse_run_spec(R"({"version": 1, "name": "n", "dataset": {"path": "d.jsonl"},
        "model": {"provider": "p", "name": "m", "version": "1"},
        "judge": {"provider": "p", "name": "j", "version": "1"}, "repeats": 3,
        "description": "why", "run_labels": {"commit": "41ed580"}})")
        .value();
}

std::string to_text(const job::RunSpec& spec) {
    std::string out;
    json::Writer writer(out);
    job::write(writer, spec);
    return out;
}

TEST(PublishedSchemas, DescribeEveryKindOfRecord) {
    job::TrialRecord answered;
    answered.answer = "a";
    answered.latency_e2e_ms = 9000;
    answered.input_tokens = 1;
    answered.output_tokens = 1;
    answered.correctness_score = 1;
    answered.faithfulness_score = 0;
    answered.tags = {{"lang", "en"}};
    answered.deliveries = 2;
    answered.setbacks = {{"http_429", 1}};
    job::TrialRecord failed;
    failed.error_kind = job::CallError::worker_lost;
    job::TrialRecord unscored = answered;
    unscored.evaluator_error = job::EvaluatorError::parse_error;
    for (job::TrialRecord record : {answered, failed, unscored}) {
        derive(record, {});
        EXPECT_EQ(violation("record", job::to_json(record)), "");
        EXPECT_TRUE(undescribed("record", job::to_json(record)).empty());
    }
}

TEST(PublishedSchemas, RefuseWrongRecords) {
    const std::string json = job::to_json(job::TrialRecord{});
    std::string wrong = json;
    wrong.replace(wrong.find("\"repeat\":1"), 10, "\"repeat\":0");
    EXPECT_EQ(violation("record", wrong), "$.repeat: is too small");
    EXPECT_EQ(violation("record", "{}"), "$: lacks the member \"evaluation_schema_version\"");
}

TEST(PublishedSchemas, DescribeRunMetadata) {
    EXPECT_EQ(violation("run", job::to_json(example_run())), "");
    EXPECT_TRUE(undescribed("run", job::to_json(example_run())).empty());
}

TEST(PublishedSchemas, DescribeRunFiles) {
    EXPECT_EQ(violation("runfile", to_text(example_spec())), "");
    EXPECT_TRUE(undescribed("runfile", to_text(example_spec())).empty());
}

TEST(PublishedSchemas, DescribeNothingThatRunFilesDoNotHave) {
    const JsonNode schema = parse_json_tree(read_schema("runfile")).value();
    const std::string good = to_text(example_spec());
    for (const std::string& key : schema.find("properties")->keys) {
        // Given twice it is another fault.
        std::string given = good;
        given.replace(given.rfind('}'), 1, ",\"" + key + "\":[]}");
        const std::string json = good.find('"' + key + "\":") == std::string::npos ? given : good;
        const auto read = job::parse_run_spec(json);
        EXPECT_TRUE(read || read.error().message.find("unknown key") == std::string::npos) << key;
    }
}

TEST(PublishedSchemas, AgreeWithTheReaderOfRunFilesOnWhatIsWrong) {
    const std::string good = to_text(example_spec());
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {"\"repeats\":3", "\"repeats\":0"},
             {"\"repeats\":3", "\"repeat\":3"},
             {"\"priority\":5", "\"priority\":10"},
             {"\"profile\":\"rubric-v1\"", "\"profile\":\"rubric\""},
             {"\"min_pass_rate\":0.85", "\"min_pass_rate\":85"},
             {"\"models\":[", "\"models\":[],\"x\":["},
             {"\"version\":1,", "\"version\":2,"},
             {"\"timeout_ms\":120000", "\"timeout_ms\":\"120s\""}}) {
        std::string bad = good;
        bad.replace(bad.find(from), from.size(), to);
        EXPECT_NE(violation("runfile", bad), "") << to;
        EXPECT_FALSE(job::parse_run_spec(bad)) << to;
    }
}

}  // namespace
}  // namespace evalfleet::scoring
