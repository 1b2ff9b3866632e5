#include "coordinator/runs/reported_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

job::TrialRecord reported(const char* model, const char* fingerprint) {
    job::TrialRecord record;
    record.model_reported = model;
    record.system_fingerprint = fingerprint;
    return record;
}

job::RunMetadata make_run() {
    job::RunMetadata run;
    run.model = {"main", "gpt-4o", std::nullopt};
    run.generation_params = job::SentParams::of({});
    return run;
}

job::RunMetadata entered(const std::vector<job::TrialRecord>& records,
                         job::RunMetadata run = make_run()) {
    ReportedFacts facts;
    for (const job::TrialRecord& record : records)
        facts.add(record);
    facts.enter(run);
    return run;
}

TEST(ReportedFacts, CountsModelsAndBuilds) {
    const auto run = entered({reported("m-1", "fp_a"), reported("m-1", "fp_a"), {}});
    EXPECT_THAT(run.model_versions_reported, ElementsAre(Pair("m-1", 2)));
    EXPECT_THAT(run.system_fingerprints_reported, ElementsAre(Pair("fp_a", 2)));
    EXPECT_FALSE(run.model_version_drift);
}

TEST(ReportedFacts, CallMoreThanOneOfEitherDrift) {
    EXPECT_TRUE(entered({reported("m-1", "fp"), reported("m-2", "fp")}).model_version_drift);
    const auto builds = entered({reported("m", "fp_a"), reported("m", "fp_b")});
    EXPECT_TRUE(builds.model_version_drift);
    EXPECT_THAT(builds.system_fingerprints_reported, ElementsAre(Pair("fp_a", 1), Pair("fp_b", 1)));
    EXPECT_FALSE(entered({}).model_version_drift);
}

TEST(ReportedFacts, AreBoundedWhateverTheProviderMakesUp) {
    std::vector<job::TrialRecord> records;
    for (int i = 0; i < 1000; ++i)
        records.push_back(reported("m", ("fp" + std::to_string(i)).c_str()));
    const auto run = entered(records);
    EXPECT_EQ(run.system_fingerprints_reported.size(), 65U);
    EXPECT_EQ(run.system_fingerprints_reported.at("other"), 1000 - 64);
}

TEST(ReportedFacts, GiveTheVersionOfAModelThatNobodyPinned) {
    EXPECT_EQ(entered({reported("gpt-4o-2024-08-06", "")}).model.version, "2024-08-06");
    EXPECT_EQ(entered({reported("gpt-4o", "")}).model.version, "gpt-4o");
    EXPECT_EQ(entered({}).model.version, std::nullopt);
    EXPECT_EQ(entered({reported("a", ""), reported("b", "")}).model.version, std::nullopt);
    job::RunMetadata pinned = make_run();
    pinned.model.version = "1";
    EXPECT_EQ(entered({reported("gpt-4o-2024-08-06", "")}, pinned).model.version, "1");
}

TEST(ReportedFacts, GiveTheVersionOfAJudgeThatNobodyPinned) {
    job::RunMetadata run = make_run();
    run.evaluator_model = job::ModelRef{"main", "gpt-4o", std::nullopt};
    job::TrialRecord record;
    record.evaluator_model_reported = "gpt-4o-2024-08-06";
    run = entered({record}, run);
    EXPECT_EQ(run.evaluator_model->version, "2024-08-06");
    EXPECT_EQ(run.evaluator_version, "main/gpt-4o@2024-08-06");
}

TEST(ReportedFacts, TellWhichParametersWereReallySent) {
    EXPECT_EQ(entered({{}}).generation_params, job::SentParams::of({}));
    job::TrialRecord record;
    record.refused_parameters = {"temperature", "seed"};
    const auto run = entered({record, record, {}});
    EXPECT_EQ(run.generation_params, (job::SentParams{std::nullopt, 1, 1024, std::nullopt}));
    EXPECT_EQ(run.generation_params_requested, job::GenerationParams{});
}

TEST(ReportedFacts, TellWhereTheCallsWereMadeFrom) {
    job::TrialRecord here;
    here.worker_environment = "region=eu,deployment=unknown,runtime=evalfleet-worker 1";
    job::RunMetadata run = make_run();
    run.environment = {{"runtime", "evalfleet 1"}};
    const auto one = entered({here, here}, run);
    EXPECT_THAT(one.worker_environments, ElementsAre(Pair(*here.worker_environment, 2)));
    EXPECT_THAT(one.environment, ElementsAre(Pair("region", "eu"), Pair("runtime", "evalfleet 1")));
    job::TrialRecord there;
    there.worker_environment = "region=us,deployment=unknown,runtime=evalfleet-worker 1";
    EXPECT_FALSE(entered({here, there}, run).environment.contains("region"));
    run.environment.emplace("region", "ap");
    EXPECT_EQ(entered({here}, run).environment.at("region"), "ap") << "its operator said so";
    EXPECT_THAT(entered({}).worker_environments, IsEmpty());
}

}  // namespace
}  // namespace evalfleet::runs
