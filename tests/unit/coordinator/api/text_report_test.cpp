#include "coordinator/api/text_report.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/run_metadata.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A folder with one trial, which passes.
class TextReportOfAFolder : public ::testing::Test {
  protected:
    TextReportOfAFolder() {
        metadata_.run_id = "r-1";
        metadata_.sample_count = 1;
        write("records.jsonl",
              R"({"sample_index":0,"repeat":1,"answer":"x","sample_score":1,"latency_e2e_ms":1,)"
              R"("correctness_score":2,"faithfulness_score":2,"rubric_passed":true,)"
              R"("spec_passed":true,"failure_label":null})"
              "\n");
    }

    void write(const char* name, const std::string& text) {
        files::blocking_write_atomically(folder_ / name, text).value();
    }
    std::string report() {
        write("run.json", job::to_json(metadata_));
        return blocking_text_report(folder_.path()).value();
    }

    testing::TemporaryFolder folder_;
    job::RunMetadata metadata_;
};

TEST_F(TextReportOfAFolder, TellsARunThatEndedEarlyFromOneThatWasStopped) {
    EXPECT_THAT(report(), StartsWith("RELEASE READY"));
    metadata_.sample_count = 2;
    EXPECT_THAT(report(), StartsWith("INCOMPLETE"));
    metadata_.saved_calls = 2;
    EXPECT_THAT(report(), StartsWith("RELEASE READY"));
}

TEST_F(TextReportOfAFolder, SaysThatTheRunFellBehindItsBaseline) {
    metadata_.baseline = "main";
    metadata_.baseline_run_id = "r-0";
    EXPECT_THAT(report(), StartsWith("NOT READY")) << "the check is lost";
    write("regression.json", R"({"passed":true,"verdict":"no worse"})");
    EXPECT_THAT(report(), StartsWith("RELEASE READY"));
    write("regression.json", R"({"passed":false,"verdict":"significantly worse"})");
    EXPECT_THAT(report(), StartsWith("NOT READY"));
    EXPECT_THAT(report(), HasSubstr("The run is significantly worse."));
}

}  // namespace
}  // namespace evalfleet::api
