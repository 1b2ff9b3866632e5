#include "common/runfile/dataset.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/manifest.hpp"
#include "common/runfile/run_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace evalfleet::runfile {
namespace {

using ::testing::HasSubstr;

class DatasetTest : public ::testing::Test {
  protected:
    std::filesystem::path write(std::string_view content) {
        const auto path = folder_ / "d.jsonl";
        EXPECT_TRUE(files::blocking_write_atomically(path, content));
        return path;
    }
    /// What is wrong with a dataset of that content, without the folder's name.
    std::string faults(std::string_view content) {
        const auto path = write(content);
        const auto dataset = Dataset::blocking_validate(path);
        if (dataset) return "";
        std::string text = dataset.error().text();
        const std::string prefix = folder_.path().string() + "/";
        for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
            text.erase(at, prefix.size());
        return text;
    }
    Dataset valid(std::string_view content) {
        auto dataset = Dataset::blocking_validate(write(content));
        return std::move(dataset.value());
    }

    ::evalfleet::testing::TemporaryFolder folder_;
};

TEST_F(DatasetTest, NeverGivesALineThatWasChanged) {
    const Dataset dataset = valid("{\"task\":\"one\"}\n{\"task\":\"two\"}\r\n{\"task\":\"six\"}");
    EXPECT_EQ(dataset.blocking_read_line(1).value(), R"({"task":"two"})");
    std::fstream(folder_ / "d.jsonl", std::ios::in | std::ios::out).seekp(26) << "TWO";
    const auto changed = dataset.blocking_read_line(1);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().kind, ErrorKind::invalid);
    EXPECT_THAT(changed.error().message, HasSubstr("d.jsonl: line 2 was changed"));
    EXPECT_EQ(dataset.blocking_read_line(0).value(), R"({"task":"one"})");
    EXPECT_EQ(dataset.blocking_read_line(2).value(), R"({"task":"six"})");
}

TEST_F(DatasetTest, TellsWhatIsWrongWithALine) {
    struct Case {
        std::string content;
        std::string message;
    };
    const std::vector<Case> cases{
        {"", "d.jsonl: is empty, allowed: at least one sample"},
        {"\n",
         "d.jsonl:1: found an empty line, allowed: one sample a line, since lines number the "
         "samples"},
        {"{\"task\":\"a\"}\n\n{\"task\":\"b\"}\n",
         "d.jsonl:2: found an empty line, allowed: one sample a line, since lines number the "
         "samples"},
        {"{\"task\":\"a\"}\n{}\n", "d.jsonl:2: \"task\" or \"messages\" is required but missing"},
        {"{\"task\":7}\n", "d.jsonl:1: task: expected a string, found 7"},
        {"{\"task\":\"\"}\n",
         "d.jsonl:1: task: expected something that is not empty, found string \"\""},
        {"[]\n",
         "d.jsonl:1: found the beginning of a list, allowed: JSON Lines, which is one object a "
         "line, without brackets around or commas behind them"},
        {"{\"task\":\"a\",\"tags\":{\"lang\":3}}\n",
         "d.jsonl:1: tags.lang: expected a string, found 3"},
        {"{\"task\":\"a\",\"expected_format\":\"xml\"}\n",
         "d.jsonl:1: expected_format: expected \"json\", {\"json_schema\": ...} or {\"regex\": "
         "\"...\"}, found string \"xml\""},
        {"{\"task\":\"a\",\"messages\":[{\"role\":\"user\",\"content\":\"b\"}]}\n",
         "d.jsonl:1: has both \"task\" and \"messages\"; give one"},
        {"{\"messages\":[{\"role\":\"robot\",\"content\":\"b\"}]}\n",
         "d.jsonl:1: messages[0].role: expected one of system, user, assistant, developer, tool, "
         "found string "
         "\"robot\""},
        {"{\"id\":\"x\",\"task\":\"a\"}\n{\"task\":\"b\"}\n{\"id\":\"x\",\"task\":\"c\"}\n",
         "d.jsonl:3: id: found \"x\", which line 1 has already, allowed: an id of its own"},
        {"{\"task\":\"a\"}\n{\"id\":\"1\",\"task\":\"b\"}\n",
         "d.jsonl:2: id: found \"1\", which line 1 has already, allowed: an id of its own"},
    };
    for (const Case& one : cases)
        EXPECT_EQ(faults(one.content), one.message);
}

TEST_F(DatasetTest, PointsAtTheColumnOfMalformedJson) {
    EXPECT_THAT(faults("{\"task\":\"a\"}\n{\"task\" \"b\"}\n"), HasSubstr("d.jsonl:2:9: "));
    EXPECT_THAT(faults("{\"task\":\"a\"}}\n"), HasSubstr("d.jsonl:1:13: "));
    EXPECT_THAT(faults("{\"task\":\"\xFF\"}\n"), HasSubstr("d.jsonl:1:10: "));
    EXPECT_THAT(faults("{\"task\":\"a\",\"task\":\"b\"}\n"), HasSubstr("task"));
}

TEST_F(DatasetTest, RefusesFormatsThatDoNotCompile) {
    EXPECT_THAT(faults("{\"task\":\"a\",\"expected_format\":{\"regex\":\"(\"}}\n"),
                HasSubstr("d.jsonl:1: expected_format: "));
    EXPECT_THAT(faults("{\"task\":\"a\",\"expected_format\":{\"json_schema\":{\"typ\":1}}}\n"),
                HasSubstr("d.jsonl:1: expected_format: "));
}

TEST_F(DatasetTest, ReportsEveryBadLineUpToALimit) {
    std::string content;
    for (int i = 0; i < 30; ++i)
        content += "{}\n";
    const auto dataset = Dataset::blocking_validate(write(content));
    ASSERT_FALSE(dataset);
    EXPECT_EQ(dataset.error().total(), 30U);
    EXPECT_EQ(dataset.error().kept().size(), FaultList::kDefaultKept);
}

TEST_F(DatasetTest, FindsDuplicatesBesideOtherFaults) {
    EXPECT_EQ(faults("{\"id\":\"x\",\"task\":\"a\"}\n{}\n{\"id\":\"x\",\"task\":\"c\"}\n"),
              "d.jsonl:2: \"task\" or \"messages\" is required but missing\n"
              "d.jsonl:3: id: found \"x\", which line 1 has already, allowed: an id of its own");
}

TEST_F(DatasetTest, AcceptsEveryLineEndAndAByteOrderMark) {
    for (const std::string_view content :
         {"{\"task\":\"a\"}\n{\"task\":\"b\"}\n", "{\"task\":\"a\"}\n{\"task\":\"b\"}",
          "{\"task\":\"a\"}\r\n{\"task\":\"b\"}\r\n", "{\"task\":\"a\"}\r\n{\"task\":\"b\"}",
          "\xEF\xBB\xBF{\"task\":\"a\"}\n{\"task\":\"b\"}\n"}) {
        const Dataset dataset = valid(content);
        ASSERT_EQ(dataset.size(), 2U);
        EXPECT_EQ(dataset.blocking_read_line(0).value(), "{\"task\":\"a\"}");
        EXPECT_EQ(dataset.blocking_read_line(1).value(), "{\"task\":\"b\"}");
        EXPECT_EQ(dataset.sha256(), job::sha256_hex(content));
        EXPECT_FALSE(dataset.blocking_read_line(2));
    }
}

TEST_F(DatasetTest, SaysThatUtf16IsNotUtf8) {
    EXPECT_EQ(faults(std::string_view("\xFF\xFE{\0", 4)),
              "d.jsonl:1: found UTF-16, allowed: UTF-8");
}

TEST_F(DatasetTest, RefusesLinesOverTheLimitAndReadsOnBehindThem) {
    const std::string frame = "{\"task\":\"\"}";
    const std::string largest =
        "{\"task\":\"" + std::string(Dataset::kMaxLineBytes - frame.size(), 'x') + "\"}";
    EXPECT_EQ(faults(largest + "\r\n{\"task\":\"b\"}\n"), "");
    EXPECT_EQ(faults(largest + " \n{}\n"),
              "d.jsonl:1: found a line of more than 8388608 bytes, allowed: at most that\n"
              "d.jsonl:2: \"task\" or \"messages\" is required but missing");
    EXPECT_EQ(faults(largest + largest + largest + "\n{\"task\":\"b\"}\n"),
              "d.jsonl:1: found a line of more than 8388608 bytes, allowed: at most that");
}

TEST_F(DatasetTest, ReadsAnyLineOfALargeFile) {
    std::string content;
    for (int i = 0; i < 30'000; ++i)
        content += fmt::format("{{\"id\":\"s{}\",\"task\":\"{:*>{}}\"}}\n", i, i, 1 + i % 200);
    const Dataset dataset = valid(content);
    ASSERT_EQ(dataset.size(), 30'000U);
    EXPECT_EQ(dataset.bytes(), content.size());
    for (const int i : {0, 1, 999, 1000, 1001, 15'000, 29'999}) {
        EXPECT_EQ(dataset.blocking_read_line(static_cast<std::size_t>(i)).value(),
                  fmt::format("{{\"id\":\"s{}\",\"task\":\"{:*>{}}\"}}", i, i, 1 + i % 200));
    }
    const auto opened = Dataset::blocking_open(dataset.path());
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->sha256(), dataset.sha256());
    EXPECT_EQ(opened->size(), dataset.size());
}

TEST_F(DatasetTest, CountsWhatSamplesHave) {
    const Dataset dataset = valid(
        "{\"task\":\"a\",\"context\":\"c\",\"task_type\":\"qa\",\"refrence\":1}\n"
        "{\"messages\":[{\"role\":\"user\",\"content\":\"b\"}],\"reference_answer\":\"r\"}\n"
        "{\"task\":\"a\",\"expected_format\":\"json\",\"refrence\":1}\n");
    const DatasetContent& content = dataset.content();
    EXPECT_EQ(content.with_context, 1U);
    EXPECT_EQ(content.with_reference, 1U);
    EXPECT_EQ(content.with_format, 1U);
    EXPECT_EQ(content.chats, 1U);
    EXPECT_EQ(content.task_types.at("qa"), 1U);
    EXPECT_EQ(content.task_types.at("default"), 2U);
    EXPECT_EQ(content.unknown_members.at("refrence").count, 2U);
    EXPECT_EQ(content.unknown_members.at("refrence").first_line, 1U);
}

TEST_F(DatasetTest, SaysThatAFileIsNotThere) {
    const auto dataset = Dataset::blocking_validate(folder_ / "none.jsonl");
    ASSERT_FALSE(dataset);
    EXPECT_THAT(dataset.error().text(), HasSubstr("none.jsonl"));
    EXPECT_FALSE(Dataset::blocking_open(folder_ / "none.jsonl"));
}

TEST_F(DatasetTest, HasABoundOnTheCombinationsOfTags) {
    std::string content;
    for (std::size_t i = 0; i <= job::kMostTagCombinations; ++i)
        content += fmt::format("{{\"task\":\"t\",\"tags\":{{\"n\":\"{}\"}}}}\n", i);
    const std::string text = faults(content);
    EXPECT_THAT(text, HasSubstr("d.jsonl:262145: tags: found more than 262144 different"));
}

}  // namespace
}  // namespace evalfleet::runfile
