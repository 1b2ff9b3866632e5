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
        job::RunMetadata metadata;
        metadata.run_id = "r-1";
        metadata.name = "example";
        EXPECT_TRUE(files::blocking_write_atomically(folder_ / "run.json", job::to_json(metadata)));
    }

    std::string report(ReportFormat format) {
        const std::string out = folder_ / "out";
        EXPECT_TRUE(run_report({folder_.path().string(), format, out}));
        return files::blocking_read_file(out, kMaxBytes).value();
    }

    ::evalfleet::testing::TemporaryFolder folder_;
};

TEST_F(ReportTest, IsWrittenInEveryFormat) {
    EXPECT_THAT(report(ReportFormat::text), HasSubstr("example\n"));
    EXPECT_THAT(report(ReportFormat::json), StartsWith("{\n  \"evaluation_schema_version\""));
    EXPECT_THAT(report(ReportFormat::markdown), StartsWith("# example: "));
    EXPECT_THAT(report(ReportFormat::html), StartsWith("<!doctype html>"));
    EXPECT_THAT(report(ReportFormat::junit), StartsWith("<?xml"));
    EXPECT_THAT(report(ReportFormat::csv), StartsWith("sample_id,"));
}

TEST_F(ReportTest, SaysWhatIsMissingInTheFolder) {
    std::filesystem::remove(folder_ / "records.jsonl");
    const auto outcome = run_report({folder_.path().string(), ReportFormat::text, {}});
    ASSERT_FALSE(outcome);
    EXPECT_EQ(exit_code_of(outcome.error()), ExitCode::wrong_input);
    EXPECT_THAT(outcome.error().message, HasSubstr("records.jsonl"));
}

}  // namespace
}  // namespace evalfleet::cli
