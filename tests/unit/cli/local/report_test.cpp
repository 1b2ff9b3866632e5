#include "cli/commands/local.hpp"
#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/run_metadata.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint64_t kMaxBytes = 64 << 20;

class ReportTest : public ::testing::Test {
  protected:
    ReportTest() {
        const std::filesystem::path vector =
            std::filesystem::path(EVALFLEET_TEST_DATA_DIR) / "conformance/reduce/09-repeats-3";
        std::filesystem::copy_file(vector / "expected-records.jsonl", folder_ / "records.jsonl");
        metadata_.run_id = "r-1";
        metadata_.name = "example";
        write_metadata();
    }

    void write_metadata() {
        EXPECT_TRUE(
            files::blocking_write_atomically(folder_ / "run.json", job::to_json(metadata_)));
    }

    // Lets the records of the folder pass every gate.
    void lower_the_gates() {
        metadata_.policy.gates.min_aggregate_score = 0;
        metadata_.policy.gates.min_pass_rate = 0;
        metadata_.policy.gates.max_faithfulness_failure_rate = 1;
        metadata_.policy.gates.max_latency_e2e_p95_ms = 1e9;
        write_metadata();
    }

    ExitCode exit_code() {
        ReportOptions options{folder_.path().string(), {}, ReportFormat::text, folder_ / "out"};
        options.exit_verdict = true;
        return run_report(options).value();
    }

    std::string report(ReportFormat format) {
        const std::string out = folder_ / "out";
        EXPECT_TRUE(run_report({folder_.path().string(), {}, format, out}));
        return files::blocking_read_file(out, kMaxBytes).value();
    }

    ::evalfleet::testing::TemporaryFolder folder_;
    job::RunMetadata metadata_;
};

TEST_F(ReportTest, IsWrittenInEveryFormat) {
    EXPECT_THAT(report(ReportFormat::text), HasSubstr("example\n"));
    EXPECT_THAT(report(ReportFormat::json), StartsWith("{\n  \"evaluation_schema_version\""));
    EXPECT_THAT(report(ReportFormat::markdown), StartsWith("# example: "));
    EXPECT_THAT(report(ReportFormat::html), StartsWith("<!doctype html>"));
    EXPECT_THAT(report(ReportFormat::junit), StartsWith("<?xml"));
    EXPECT_THAT(report(ReportFormat::csv), StartsWith("run_id,run_name,"));
}

TEST_F(ReportTest, SaysWhatIsMissingInTheFolder) {
    std::filesystem::remove(folder_ / "records.jsonl");
    const auto outcome = run_report({folder_.path().string(), {}, ReportFormat::text, {}});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(exit_code_of(outcome.error()), ExitCode::wrong_input);
    EXPECT_THAT(outcome.error().message, HasSubstr("records.jsonl"));
}

TEST_F(ReportTest, EndsWithZeroWhereItWroteAFileUnlessTheVerdictIsAskedFor) {
    metadata_.baseline = "main";
    metadata_.baseline_run_id = "r-0";
    write_metadata();
    const std::string out = folder_ / "out";
    ReportOptions options{folder_.path().string(), {}, ReportFormat::markdown, out};
    EXPECT_EQ(run_report(options).value(), ExitCode::done);
    options.exit_verdict = true;
    EXPECT_EQ(run_report(options).value(), ExitCode::unfinished) << "the comparison is lost";
}

TEST_F(ReportTest, FailsForARunThatFellBehindItsBaseline) {
    lower_the_gates();
    EXPECT_EQ(exit_code(), ExitCode::done);
    metadata_.baseline = "main";
    metadata_.baseline_run_id = "r-0";
    write_metadata();
    EXPECT_EQ(exit_code(), ExitCode::unfinished) << "the comparison is lost";
    const auto compared = [this](const char* passed) {
        const std::string json = std::string(R"({"passed":)") + passed + R"(,"verdict":"so-so"})";
        ASSERT_TRUE(files::blocking_write_atomically(folder_ / "regression.json", json));
    };
    compared("true");
    EXPECT_EQ(exit_code(), ExitCode::done);
    compared("false");
    EXPECT_EQ(exit_code(), ExitCode::failed);
    EXPECT_THAT(report(ReportFormat::text), StartsWith("NOT READY"));
    EXPECT_THAT(report(ReportFormat::junit), HasSubstr("The run is so-so."));
}

TEST_F(ReportTest, TellsARunThatEndedEarlyFromOneThatWasStopped) {
    lower_the_gates();
    metadata_.sample_count = 1000;
    write_metadata();
    EXPECT_EQ(exit_code(), ExitCode::unfinished);
    EXPECT_THAT(report(ReportFormat::text), StartsWith("INCOMPLETE"));
    metadata_.saved_calls = 2000;
    write_metadata();
    EXPECT_EQ(exit_code(), ExitCode::done);
    EXPECT_THAT(report(ReportFormat::text), StartsWith("RELEASE READY"));
}

}  // namespace
}  // namespace evalfleet::cli
