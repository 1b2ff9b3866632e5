#include "common/runfile/labels_file.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/manifest.hpp"
#include "common/json/document.hpp"
#include "common/redaction/redactor.hpp"
#include "common/runfile/run_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::runfile {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kGood = R"({"sample_id":"a","accuracy_score":2,"faithfulness_score":2}
{"sample_id":"b","repeat":1,"accuracy_score":0,"faithfulness_score":1}

{"sample_id":"b","repeat":2,"accuracy_score":1,"faithfulness_score":1}
)";

class LabelsFileTest : public ::testing::Test {
  protected:
    std::filesystem::path write(const char* name, std::string_view content) {
        const auto path = folder_ / name;
        EXPECT_TRUE(files::blocking_write_atomically(path, content));
        return path;
    }
    LabelsFile labels(std::string_view content) {
        return std::move(LabelsFile::blocking_read(write("l.jsonl", content)).value());
    }
    std::string faults(std::string_view content) {
        const auto read = LabelsFile::blocking_read(write("l.jsonl", content));
        return read ? "" : read.error().text();
    }
    Dataset dataset(std::string_view content) {
        return std::move(Dataset::blocking_validate(write("d.jsonl", content)).value());
    }

    ::evalfleet::testing::TemporaryFolder folder_;
};

TEST_F(LabelsFileTest, FindsTheLabelsOfASample) {
    const LabelsFile file = labels(kGood);
    EXPECT_EQ(file.size(), 3U);
    EXPECT_EQ(file.of("a").size(), 1U);
    EXPECT_EQ(file.of("b").size(), 2U);
    EXPECT_TRUE(file.of("c").empty());
    EXPECT_EQ(file.sha256(), job::sha256_hex(kGood));
}

TEST_F(LabelsFileTest, FindsASampleByTheIdThatItsRecordsHave) {
    const std::string id = redaction::Redactor().redact_name("q-jane@example.org").text;
    const LabelsFile file =
        labels(R"({"sample_id":")" + id + R"(","accuracy_score":2,"faithfulness_score":2})");
    EXPECT_EQ(file.of("q-jane@example.org").size(), 1U);
    EXPECT_TRUE(file.of("q-john@example.org").empty());
}

TEST_F(LabelsFileTest, NamesFileLineAndFieldOfEveryFault) {
    const std::string text = faults(
        "{\"sample_id\":\"a\",\"accuracy_score\":2,\"faithfulness_score\":2}\n"
        "nonsense\n"
        "{\"sample_id\":\"b\",\"accuracy_score\":5,\"faithfulness_score\":2}\n"
        "{\"sample_id\":\"a\",\"accuracy_score\":1,\"faithfulness_score\":2}\n");
    EXPECT_THAT(text, HasSubstr("l.jsonl:2: "));
    EXPECT_THAT(text, HasSubstr("l.jsonl:3: accuracy_score: expected a number from 0 to 2"));
    EXPECT_THAT(text, HasSubstr("l.jsonl:4: sample_id: all repeats of \"a\" has a label already"));
}

TEST_F(LabelsFileTest, RefusesAnEmptyAndAMissingFile) {
    EXPECT_THAT(faults("\n\n"), HasSubstr("is empty"));
    EXPECT_FALSE(LabelsFile::blocking_read(folder_ / "none.jsonl"));
}

TEST_F(LabelsFileTest, CountsSamplesWithoutAndLabelsWithoutUse) {
    const LabelsFile file = labels(kGood);
    const Dataset samples = dataset(
        "{\"id\":\"a\",\"task\":\"x\"}\n{\"id\":\"b\",\"task\":\"y\"}\n"
        "{\"id\":\"c\",\"task\":\"z\"}\n");
    const auto twice = file.blocking_cover(samples, 2);
    ASSERT_TRUE(twice) << twice.error().message;
    EXPECT_EQ(twice->samples, 3U);
    EXPECT_EQ(twice->without_label, 1U);
    EXPECT_EQ(twice->first_without, "c");
    EXPECT_EQ(twice->unused, 0U);
    const auto thrice = file.blocking_cover(samples, 3);
    EXPECT_EQ(thrice->without_label, 2U);
    EXPECT_EQ(thrice->first_without, "b");
    EXPECT_EQ(file.blocking_cover(samples, 1)->unused, 1U);
}

TEST_F(LabelsFileTest, PutsTheLabelsOfASampleIntoItsLine) {
    const LabelsFile file = labels(kGood);
    const Dataset samples =
        dataset("{\"id\":\"b\",\"task\":\"x\",\"manual_labels\":\"not ours\"}\n{\"task\":\"y\"}\n");
    const auto out = folder_ / "joined.jsonl";
    ASSERT_TRUE(blocking_join_labels(samples, file, out));
    const Dataset joined = std::move(Dataset::blocking_validate(out).value());
    ASSERT_EQ(joined.size(), 2U);
    const auto first = json::Document::parse(joined.blocking_read_line(0).value()).value();
    EXPECT_EQ(job::read_sample(first.root(), 1)->id, "b");
    const auto items = first.root().find(scoring::kLabelsMember)->as_array();
    ASSERT_TRUE(items);
    EXPECT_EQ(items->size(), 2U);
    EXPECT_EQ(scoring::read_manual_label(*items->begin()).value(), file.of("b")[0]);
    const auto second = json::Document::parse(joined.blocking_read_line(1).value()).value();
    EXPECT_EQ(job::read_sample(second.root(), 2)->id, "2");
    EXPECT_EQ(second.root().find(scoring::kLabelsMember)->as_array()->size(), 0U);
}

}  // namespace
}  // namespace evalfleet::runfile
