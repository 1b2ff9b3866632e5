#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Csv, HasAColumnForEachHeader) {
    job::TrialRecord record = ExampleRun::failed_trial(0);
    record.answer = "plain";
    record.rationale = "plain";
    record.tags = {{"lang", "en"}, {"topic", "x"}};
    const std::string header = csv_header();
    const std::string row = csv_row(record);
    EXPECT_EQ(std::count(header.begin(), header.end(), ','),
              std::count(row.begin(), row.end(), ','));
    EXPECT_THAT(header, StartsWith("sample_id,sample_index,repeat,task_type,tags,"));
    EXPECT_THAT(
        row,
        StartsWith("s0,0,1,default,lang=en;topic=x,answered,false,false,incorrect_answer,,0,"));
    EXPECT_THAT(row, EndsWith(",plain,plain\r\n"));
}

TEST(Csv, SaysHowATrialEnded) {
    job::TrialRecord record;
    EXPECT_THAT(csv_row(record), HasSubstr(",non_responsive,"));
    record.answer = "x";
    record.latency_model_source = job::LatencySource::wire_estimate;
    EXPECT_THAT(csv_row(record), HasSubstr(",answered,"));
    EXPECT_THAT(csv_row(record), HasSubstr(",wire_estimate,"));
    record.timed_out = true;
    EXPECT_THAT(csv_row(record), HasSubstr(",timed_out,"));
}

TEST(Csv, DisarmsWhatModelsWrote) {
    job::TrialRecord record;
    record.answer = "=HYPERLINK(\"http://x\",\"y\")";
    EXPECT_THAT(csv_row(record), HasSubstr("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""));
}

}  // namespace
}  // namespace evalfleet::report
