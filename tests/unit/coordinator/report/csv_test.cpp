#include "common/json/document.hpp"
#include "coordinator/report/rows.hpp"
#include "tests/unit/coordinator/report/example_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace evalfleet::report {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const RowRun kRun{"r-1", "nightly", "main/m@1", "qa@2"};

TEST(Csv, HasAColumnForEachHeader) {
    job::TrialRecord record = ExampleRun::failed_trial(0);
    record.answer = "plain";
    record.rationale = "plain";
    record.tags = {{"lang", "en"}, {"topic", "x"}};
    const std::string header = csv_header();
    const std::string row = csv_row(record, kRun);
    EXPECT_EQ(std::count(header.begin(), header.end(), ','),
              std::count(row.begin(), row.end(), ','));
    EXPECT_THAT(header,
                StartsWith("run_id,run_name,model,prompt_template,sample_id,sample_index,repeat,"
                           "task_type,tags,"));
    EXPECT_THAT(
        row, StartsWith("r-1,nightly,main/m@1,qa@2,s0,0,1,default,lang=en;topic=x,answered,false,"
                        "false,incorrect_answer,,0,"));
    EXPECT_THAT(row, EndsWith(",plain,plain\r\n"));
}

TEST(Csv, SaysHowATrialEnded) {
    job::TrialRecord record;
    EXPECT_THAT(csv_row(record, kRun), HasSubstr(",non_responsive,"));
    record.answer = "x";
    record.latency_model_source = job::LatencySource::wire_estimate;
    EXPECT_THAT(csv_row(record, kRun), HasSubstr(",answered,"));
    EXPECT_THAT(csv_row(record, kRun), HasSubstr(",wire_estimate,"));
    record.timed_out = true;
    EXPECT_THAT(csv_row(record, kRun), HasSubstr(",timed_out,"));
}

TEST(Csv, HasWhatWasAskedBesideTheAnswer) {
    job::TrialRecord record = ExampleRun::failed_trial(0);
    record.answer = "plain";
    record.rationale = "why";
    EXPECT_THAT(csv_header(),
                EndsWith(",question,context,reference_answer,prompt,answer,rationale\r\n"));
    EXPECT_THAT(csv_row(record, kRun, {"q", "c", "r", "c\nq"}),
                EndsWith(",q,c,r,\"c\nq\",plain,why\r\n"));
    EXPECT_THAT(csv_row(record, kRun, {"=1+1", "", "", ""}), HasSubstr(",'=1+1,"));
}

TEST(TrialTexts, RenderThePromptAsItWasSent) {
    job::PromptTemplateInfo prompt;
    prompt.system = "Be brief.";
    prompt.text = "{{context}}\n{{task}}";
    job::Sample sample;
    sample.task = "When?";
    sample.context = "In 1889.";
    sample.reference_answer = "1889";
    const TrialTexts texts = texts_of(prompt, sample);
    EXPECT_EQ(texts, (TrialTexts{"When?", "In 1889.", "1889",
                                 "system: Be brief.\n\nuser: In 1889.\nWhen?"}));
    prompt.system.reset();
    EXPECT_EQ(texts_of(prompt, sample).prompt, "In 1889.\nWhen?");
    std::string text;
    json::Writer writer(text);
    write(writer, texts);
    EXPECT_EQ(read_trial_texts(json::Document::parse(text)->root()).value(), texts);
}

TEST(Csv, DisarmsWhatModelsWrote) {
    job::TrialRecord record;
    record.answer = "=HYPERLINK(\"http://x\",\"y\")";
    EXPECT_THAT(csv_row(record, kRun), HasSubstr("\"'=HYPERLINK(\"\"http://x\"\",\"\"y\"\")\""));
}

}  // namespace
}  // namespace evalfleet::report
