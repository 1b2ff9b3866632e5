#include "coordinator/report/rows.hpp"

#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace evalfleet::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const RowRun kRun{"r-1", "nightly", "main/m@1", "qa@2"};

// The columns of one table of the DDL, with their types.
std::map<std::string, std::string> columns_of(const std::string& table) {
    const std::string ddl = duckdb_ddl();
    const auto begin = ddl.find("CREATE TABLE IF NOT EXISTS " + table + " (\n");
    const std::string body = ddl.substr(begin, ddl.find(";\n", begin) - begin);
    std::map<std::string, std::string> columns;
    for (auto at = body.find("  \""); at != std::string::npos; at = body.find("\n  \"", at)) {
        at = body.find('"', at) + 1;
        const auto end = body.find('"', at);
        columns[body.substr(at, end - at)] = body.substr(end + 2, body.find('\n', end) - end - 2);
    }
    return columns;
}

// Members that stand in a record only where they say something, and one that others add.
std::string a_record_with_all() {
    job::TrialRecord record;
    record.answer_original = "x";
    record.judged_answer = job::JudgedAnswer::redacted;
    record.prompt_cut = true;
    return job::to_json(record);
}

TEST(DuckDb, HasAColumnForEachMemberOfARecord) {
    auto columns = columns_of("records");
    const auto document = json::Document::parse(a_record_with_all());
    ASSERT_TRUE(document);
    for (const auto& [name, value] : *document->root().as_object())
        EXPECT_EQ(columns.erase(std::string(name)), 1U) << name << " has no column";
    EXPECT_EQ(columns.size(), 1U);
    EXPECT_TRUE(columns.contains("taken_over_from"));
}

TEST(DuckDb, KnowsTypesWhateverIsNull) {
    const auto records = columns_of("records");
    EXPECT_THAT(records.at("error_kind"), HasSubstr("VARCHAR"));
    EXPECT_THAT(records.at("cost_usd"), HasSubstr("DOUBLE"));
    EXPECT_THAT(records.at("rubric_passed"), HasSubstr("BOOLEAN"));
    const auto trials = columns_of("trials");
    EXPECT_THAT(trials.at("error_kind"), HasSubstr("VARCHAR"));
    EXPECT_THAT(trials.at("latency_e2e_ms"), HasSubstr("DOUBLE"));
    EXPECT_THAT(trials.at("attempts"), HasSubstr("BIGINT"));
    EXPECT_THAT(trials.at("accuracy_score"), HasSubstr("INTEGER"));
    EXPECT_EQ(trials.size(), csv_columns().size());
}

TEST(SliceRows, HaveTheWholeRunAndEachSliceWithTheColumnsOfTheTable) {
    job::Summary summary;
    summary.all.rubric.total_count = 7;
    summary.all.rubric.pass_rate = {0.5, statistics::Interval{0.4, 0.6}};
    summary.task_types["qa"].rubric.total_count = 3;
    summary.tags["lang"]["en"].rubric.total_count = 4;
    const std::string rows = slice_rows(summary, kRun);
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3);
    EXPECT_THAT(rows, AllOf(HasSubstr(R"("dimension":"all","value":"","trials":7)"),
                            HasSubstr(R"("pass_rate":0.5,"pass_rate_ci95_lower":0.4)"),
                            HasSubstr(R"("dimension":"task_type","value":"qa","trials":3)"),
                            HasSubstr(R"("dimension":"tag:lang","value":"en","trials":4)"),
                            HasSubstr(R"("model":"main/m@1","prompt_template":"qa@2")")));
    auto columns = columns_of("slices");
    const auto first = json::Document::parse(rows.substr(0, rows.find('\n')));
    ASSERT_TRUE(first);
    for (const auto& [name, value] : *first->root().as_object())
        EXPECT_EQ(columns.erase(std::string(name)), 1U) << name << " has no column";
    EXPECT_TRUE(columns.empty());
}

}  // namespace
}  // namespace evalfleet::report
