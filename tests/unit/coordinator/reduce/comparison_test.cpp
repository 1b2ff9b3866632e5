#include "coordinator/reduce/comparison.hpp"

#include "common/job/run_metadata.hpp"
#include "common/json/document.hpp"
#include "tests/unit/coordinator/reduce/scratch_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

namespace evalfleet::reduce {
namespace {

struct Trial {
    bool passed = true;
    double score = 0.9;
    double latency = 1000;
};

job::RunMetadata metadata() {
    job::RunMetadata run;
    run.run_id = "r";
    run.timestamp_utc = "2026-01-01T00:00:00Z";
    run.dataset_hash = "abc";
    run.model = {"p", "m", "1"};
    run.evaluator_model = job::ModelRef{"p", "judge", "1"};
    run.prompt_template.id = "t";
    return run;
}

class Comparison : public testing::Test {
  protected:
    void write(const ScratchFolder& folder, const std::function<Trial(int)>& trial_of,
               int samples = 200, const job::RunMetadata& run = metadata()) {
        std::string text;
        for (int i = 0; i < samples; ++i) {
            const Trial trial = trial_of(i);
            text += fmt::format(
                R"({{"sample_id":"q{}","sample_index":{},"repeat":1,"answer":"x","sample_score":{},"latency_e2e_ms":{},)"
                R"("rubric_passed":{},"spec_passed":true,"failure_label":{}}})"
                "\n",
                i, i, trial.score, trial.latency, trial.passed,
                trial.passed ? "null" : "\"other\"");
        }
        folder.write("records.jsonl", text);
        folder.write("run.json", job::to_json(run));
    }

    Result<RunComparison> compare(bool force = false) {
        return compare_runs(base_.path(), candidate_.path(),
                            {.force = force, .replicates = 300, .threads = 2});
    }

    static const MetricDifference& metric(const RunComparison& comparison, std::string_view name) {
        for (const auto& metric : comparison.metrics) {
            if (metric.name == name) return metric;
        }
        throw std::logic_error("no such metric");
    }

    ScratchFolder base_;
    ScratchFolder candidate_;
};

TEST_F(Comparison, OfARunWithItselfFindsNothing) {
    const auto trial = [](int i) {
        return Trial{i % 4 != 0, 0.5 + (i % 7) * 0.05, 100.0 * (i % 9)};
    };
    write(base_, trial);
    write(candidate_, trial);
    const auto result = compare();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->decision(), Decision::nothing_found);
    EXPECT_EQ(result->shared_trials, 200U);
    EXPECT_TRUE(result->flipped.empty());
    EXPECT_EQ(metric(*result, "rubric_pass_rate").p_value, 1.0);
    EXPECT_EQ(metric(*result, "aggregate_score").difference, 0.0);
}

TEST_F(Comparison, FindsLostPassesAndListsThem) {
    write(base_, [](int) { return Trial{}; });
    write(candidate_, [](int i) { return Trial{i % 10 != 0, 0.9, 1000}; });
    const auto result = compare();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->decision(), Decision::worse);
    const auto& passes = metric(*result, "rubric_pass_rate");
    EXPECT_EQ(passes.verdict, Finding::worse);
    EXPECT_NEAR(*passes.difference, -0.1, 1e-12);
    EXPECT_EQ(passes.samples, 200U);
    EXPECT_EQ(passes.lost_samples, 20U);
    EXPECT_EQ(passes.won_samples, 0U);
    EXPECT_NEAR(*passes.mcnemar_p_value, 2 * std::pow(0.5, 20), 1e-15);
    // Score, both pass rates and latency are tested; the records have nothing else.
    EXPECT_EQ(passes.p_value_holm, 4 * *passes.p_value);
    ASSERT_EQ(result->flipped.size(), 20U);
    EXPECT_EQ(result->flipped[1].sample_index, 10U);
    EXPECT_EQ(result->flipped[1].sample_id, "q10");
    EXPECT_FALSE(result->flipped[1].now_passes);
    EXPECT_EQ(metric(*result, "spec_pass_rate").verdict, Finding::cannot_tell);
}

TEST_F(Comparison, DoesNotMindAnImprovement) {
    write(base_, [](int i) { return Trial{true, 0.5 + (i % 5) * 0.01, 2000.0 + i}; });
    write(candidate_, [](int i) { return Trial{true, 0.6 + (i % 5) * 0.01, 1500.0 + i}; });
    const auto result = compare();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->decision(), Decision::nothing_found);
    EXPECT_EQ(metric(*result, "aggregate_score").verdict, Finding::better);
    EXPECT_EQ(metric(*result, "latency_e2e_ms").verdict, Finding::better);
    EXPECT_EQ(metric(*result, "latency_e2e_p95_ms").verdict, Finding::cannot_tell);
    EXPECT_NEAR(metric(*result, "latency_e2e_p95_ms").ci95->upper, -500, 1e-9);
}

TEST_F(Comparison, FindsASlowerCandidate) {
    write(base_, [](int i) { return Trial{true, 0.9, 1000.0 + i}; });
    write(candidate_, [](int i) { return Trial{true, 0.9, 1100.0 + i}; });
    const auto result = compare();
    ASSERT_TRUE(result) << result.error().message;
    const auto& latency = metric(*result, "latency_e2e_ms");
    EXPECT_EQ(latency.verdict, Finding::worse);
    EXPECT_EQ(latency.scale, Scale::ratio);
    EXPECT_NEAR(*latency.difference, 0.092, 0.002) << "a tenth, less for the slower ones";
    EXPECT_EQ(result->decision(), Decision::worse);
}

TEST_F(Comparison, PairsOnlyWhatBothHave) {
    write(
        base_, [](int) { return Trial{}; }, 50);
    write(
        candidate_, [](int) { return Trial{}; }, 80);
    const auto result = compare();
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->base_trials, 50U);
    EXPECT_EQ(result->candidate_trials, 80U);
    EXPECT_EQ(result->shared_trials, 50U);
    EXPECT_EQ(result->shared_samples, 50U);
}

TEST_F(Comparison, RefusesOtherDataJudgeOrPolicyUnlessForced) {
    job::RunMetadata other = metadata();
    other.dataset_hash = "def";
    other.evaluator_model->version = "2";
    other.policy.pass.min_accuracy = 2;
    write(base_, [](int) { return Trial{}; });
    write(
        candidate_, [](int) { return Trial{}; }, 200, other);
    const auto refused = compare();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid);
    EXPECT_THAT(
        refused.error().message,
        testing::AllOf(testing::HasSubstr("dataset_hash differs: abc and def"),
                       testing::HasSubstr("evaluator_model differs: p/judge@1 and p/judge@2"),
                       testing::HasSubstr("policy differs")));
    const auto forced = compare(true);
    ASSERT_TRUE(forced) << forced.error().message;
    EXPECT_EQ(forced->incomparable.size(), 3U);
    EXPECT_THAT(to_text(*forced), testing::HasSubstr("NOT COMPARABLE: dataset_hash differs"));
}

TEST_F(Comparison, TakesAJudgeWhoseVersionAnEarlierRunDidNotTellForTheSame) {
    job::RunMetadata earlier = metadata();
    earlier.evaluator_model->version.reset();
    earlier.evaluator_version = "p/judge";
    job::RunMetadata later = metadata();
    later.evaluator_version = "p/judge@1";
    write(
        base_, [](int) { return Trial{}; }, 200, earlier);
    write(
        candidate_, [](int) { return Trial{}; }, 200, later);
    EXPECT_TRUE(compare());
    later.evaluator_model->name = "other";
    write(
        candidate_, [](int) { return Trial{}; }, 200, later);
    EXPECT_FALSE(compare());
}

TEST_F(Comparison, AnotherModelOrPromptIsWhatComparingIsFor) {
    job::RunMetadata other = metadata();
    other.model = {"p", "n", "2"};
    other.prompt_template.version = "2";
    write(base_, [](int) { return Trial{}; });
    write(
        candidate_, [](int) { return Trial{}; }, 200, other);
    EXPECT_TRUE(compare());
}

TEST_F(Comparison, ReportsAsJsonAndText) {
    write(base_, [](int) { return Trial{}; });
    write(candidate_, [](int i) { return Trial{i % 4 != 0, 0.9, 1000}; });
    const auto result = compare();
    ASSERT_TRUE(result) << result.error().message;
    const auto document = json::Document::parse(to_json(*result));
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(*document->root().get<bool>("significant_regression"), true);
    EXPECT_EQ(document->root().get<std::vector<json::Value>>("flipped")->size(), 50U);
    const std::string text = to_text(*result);
    EXPECT_THAT(text, testing::HasSubstr("WORSE"));
    EXPECT_THAT(text, testing::HasSubstr("... and 30 more"));
    EXPECT_THAT(text,
                testing::HasSubstr("sample q4 (index 4) repeat 1: rubric condition now fails"));
    EXPECT_THAT(text, testing::HasSubstr("Flipped by the rubric condition:\n"
                                         "  now fail: 50 samples (50 trials)\n"
                                         "  now pass: 0 samples (0 trials)\n"));
    EXPECT_THAT(text, testing::HasSubstr("p < 0.001 (Holm < 0.001)"));
    std::istringstream lines(text.substr(0, text.rfind("\n\n")));  // but the sentence
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(Comparison, IsReadBackFromItsJsonAsItWas) {
    write(base_, [](int) { return Trial{}; });
    write(candidate_, [](int i) { return Trial{i % 4 != 0, 0.9, 1000}; });
    const auto result = compare();
    ASSERT_TRUE(result) << result.error().message;
    const auto again = read_comparison(to_json(*result));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_json(*again), to_json(*result));
    EXPECT_EQ(to_text(*again), to_text(*result));
    EXPECT_FALSE(read_comparison("{}"));
    EXPECT_FALSE(read_comparison("no JSON"));
}

TEST_F(Comparison, SaysWhichFolderHasNoRun) {
    write(base_, [](int) { return Trial{}; });
    const auto result = compare();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::not_found);
    EXPECT_THAT(result.error().message, testing::HasSubstr(candidate_.path().string()));
}

}  // namespace
}  // namespace evalfleet::reduce
