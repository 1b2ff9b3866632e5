#include "coordinator/runs/regression.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/baseline_verdict.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kSamples = 100;

// A store with the run "base" of 100 trials that all pass.
class Regression : public ::testing::Test {
  protected:
    Regression() {
        metadata_.dataset_hash = "abc";
        metadata_.model = {"p", "m", "1"};
        metadata_.evaluator_model = job::ModelRef{"p", "judge", "1"};
        metadata_.sample_count = kSamples;
        metadata_.policy.bootstrap.replicates = 200;
        write("base", kSamples);
        metadata_.baseline = "main";
        metadata_.baseline_run_id = "base";
    }

    store::RunFolder write(const std::string& id, int passed) {
        const store::RunFolder folder(home_ / "runs" / id);
        std::filesystem::create_directories(folder.path());
        std::string records;
        for (int i = 0; i < kSamples; ++i) {
            const bool passes = i < passed;
            records += R"({"sample_index":)" + std::to_string(i) +
                       R"(,"repeat":1,"answer":"x","latency_e2e_ms":10,"sample_score":)" +
                       (passes ? "1" : "0") + R"(,"rubric_passed":)" + (passes ? "true" : "false") +
                       R"(,"spec_passed":true,"failure_label":)" + (passes ? "null" : "\"other\"") +
                       "}\n";
        }
        files::blocking_write_atomically(folder.file("records.jsonl"), records).value();
        metadata_.run_id = id;
        files::blocking_write_atomically(folder.file("run.json"), job::to_json(metadata_)).value();
        return folder;
    }

    testing::TemporaryFolder home_;
    job::RunMetadata metadata_;
};

TEST_F(Regression, IsLookedForOnlyWhereARunNamesABaseline) {
    const auto folder = write("next", 0);
    metadata_.baseline.reset();
    EXPECT_FALSE(blocking_check_regression(folder, metadata_));
}

TEST_F(Regression, IsNotFoundInARunAsGoodAsItsBaseline) {
    const auto check = blocking_check_regression(write("next", kSamples), metadata_);
    ASSERT_TRUE(check);
    EXPECT_TRUE(check->passed());
    EXPECT_EQ(check->verdict(), "not significantly worse than the baseline main (base)");
    EXPECT_EQ(job::parse_baseline_verdict(to_json(*check)).value(),
              (job::BaselineVerdict{true, check->verdict()}));
}

TEST_F(Regression, FailsARunThatIsClearlyWorse) {
    const auto check = blocking_check_regression(write("next", kSamples / 2), metadata_);
    ASSERT_TRUE(check);
    EXPECT_FALSE(check->passed());
    EXPECT_EQ(check->verdict(), "significantly worse than the baseline main (base)");
    EXPECT_EQ(job::parse_baseline_verdict(to_json(*check)).value(),
              (job::BaselineVerdict{false, check->verdict()}));
    EXPECT_THAT(to_json(*check), HasSubstr("rubric_pass_rate"));
    EXPECT_THAT(to_markdown(*check), HasSubstr("This run is significantly worse than"));
    EXPECT_THAT(to_html(*check), HasSubstr("This run is significantly worse than"));
}

TEST_F(Regression, FailsARunOfWhichItCannotBeTold) {
    metadata_.policy.bootstrap.replicates = 0;
    write("base", kSamples);
    const auto check = blocking_check_regression(write("next", 30), metadata_);
    ASSERT_TRUE(check);
    EXPECT_FALSE(check->passed());
    EXPECT_THAT(check->verdict(), HasSubstr("not known to be as good as the baseline main (base): "
                                            "rubric_pass_rate: 0 bootstrap replicates"));
    EXPECT_FALSE(check->is_known());
    EXPECT_EQ(job::parse_baseline_verdict(to_json(*check)).value(),
              (job::BaselineVerdict{false, check->verdict(), false}));
}

TEST_F(Regression, HoldsARunAgainstItsMargins) {
    metadata_.baseline_margin = {{"rubric_pass_rate", 0.2}};
    const auto near = blocking_check_regression(write("near", kSamples - 5), metadata_);
    EXPECT_TRUE(near->passed()) << near->verdict();
    EXPECT_THAT(near->verdict(), HasSubstr("no worse than the baseline main (base) by more than"));
    metadata_.baseline_margin = {{"rubric_pass_rate", 0.05}};
    const auto open = blocking_check_regression(write("open", kSamples - 1), metadata_);
    EXPECT_FALSE(open->passed());
    EXPECT_THAT(open->verdict(), HasSubstr("not known to be as good"));
}

TEST_F(Regression, FailsARunThatCannotBeCompared) {
    metadata_.dataset_hash = "<other>";
    const auto other = blocking_check_regression(write("next", kSamples), metadata_);
    ASSERT_TRUE(other);
    EXPECT_FALSE(other->passed());
    EXPECT_FALSE(other->is_known());
    EXPECT_THAT(other->verdict(), HasSubstr("not comparable with the baseline main (base): "));
    EXPECT_THAT(to_json(*other), HasSubstr("\"comparison\": null"));
    EXPECT_THAT(to_html(*other), Not(HasSubstr("<other>")));
    metadata_.baseline_run_id = "gone";
    const auto gone = blocking_check_regression(write("next", kSamples), metadata_);
    EXPECT_FALSE(gone->passed());
    EXPECT_THAT(gone->verdict(), HasSubstr("not comparable with the baseline main (gone): "));
}

}  // namespace
}  // namespace evalfleet::runs
