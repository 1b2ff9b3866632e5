#include "coordinator/records/record_search.hpp"

#include "common/files/atomic_file.hpp"
#include "common/redaction/redactor.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::records {
namespace {

using ::testing::HasSubstr;

constexpr std::uint8_t kIncorrect = 0;

class RecordSearchTest : public ::testing::Test {
  protected:
    // Every third fails, every other is of type "code", every tenth speaks German.
    void write(int count) {
        std::string text;
        for (int i = 0; i < count; ++i) {
            const bool passed = i % 3 != 0;
            text += fmt::format(
                R"({{"sample_id":"s{}","task_type":"{}","tags":{{"lang":"{}"}},"answer":"say \"{}\"",)"
                R"("rubric_passed":{},"failure_label":{}}})"
                "\n",
                i, i % 2 == 0 ? "qa" : "code", i % 10 == 0 ? "de" : "en", i, passed,
                passed ? "null" : "\"incorrect_answer\"");
        }
        files::blocking_write_atomically(records_, text).value();
    }
    RecordPage find(const PageRequest& request) {
        const auto index = RecordIndex::blocking_open(records_, index_);
        EXPECT_TRUE(index) << index.error().message;
        return blocking_search(records_, *index, request).value();
    }
    static std::vector<std::string> ids(const RecordPage& page) {
        std::vector<std::string> all;
        for (const std::string& record : page.records)
            all.push_back(record.substr(14, record.find('"', 14) - 14));
        return all;
    }

    testing::TemporaryFolder folder_;
    std::filesystem::path records_ = folder_ / "records.jsonl";
    std::filesystem::path index_ = folder_ / "records.index";
};

using Ids = std::vector<std::string>;

TEST_F(RecordSearchTest, PagesThroughAllRecordsInTheirOrder) {
    write(7);
    const RecordPage first = find({.limit = 3});
    EXPECT_EQ(ids(first), (Ids{"s0", "s1", "s2"}));
    EXPECT_EQ(first.total, 7U);
    ASSERT_EQ(first.next, 3U);
    EXPECT_EQ(ids(find({.first = *first.next, .limit = 3})), (Ids{"s3", "s4", "s5"}));
    const RecordPage last = find({.offset = 6, .limit = 3});
    EXPECT_EQ(ids(last), (Ids{"s6"}));
    EXPECT_FALSE(last.next);
    EXPECT_TRUE(find({.offset = 100}).records.empty());
}

TEST_F(RecordSearchTest, CountsEveryMatchOfWhatTheIndexKnows) {
    write(1000);
    EXPECT_EQ(find({.filter = {.passed = false}}).total, 334U);
    EXPECT_EQ(find({.filter = {.label = kIncorrect}}).total, 334U);
    EXPECT_EQ(find({.filter = {.label = RecordKey::kNoLabel}}).total, 666U);
    EXPECT_EQ(find({.filter = {.task_type = "code"}}).total, 500U);
    EXPECT_EQ(find({.filter = {.task_type = "other"}}).total, 0U);
    const RecordPage page =
        find({.filter = {.task_type = "code", .passed = false}, .offset = 2, .limit = 2});
    EXPECT_EQ(ids(page), (Ids{"s15", "s21"}));
    EXPECT_EQ(page.total, 167U);
}

TEST_F(RecordSearchTest, FindsWhatWasRedactedByItsName) {
    const redaction::Redactor redactor;
    const std::string id = redactor.redact_name("jane@example.org").text;
    const std::string type = redactor.redact_name("mail of bob@example.org").text;
    files::blocking_write_atomically(
        records_, fmt::format(R"({{"sample_id":"{}","task_type":"{}","tags":{{"by":"{}"}},)"
                              R"("rubric_passed":true,"failure_label":null}})"
                              "\n",
                              id, type, id))
        .value();
    EXPECT_EQ(find({.filter = {.sample_id = "jane@example.org"}}).records.size(), 1U);
    EXPECT_EQ(find({.filter = {.sample_id = id}}).records.size(), 1U);
    EXPECT_EQ(find({.filter = {.task_type = "mail of bob@example.org"}}).records.size(), 1U);
    EXPECT_EQ(find({.filter = {.tags = {{"by", "jane@example.org"}}}}).records.size(), 1U);
    EXPECT_TRUE(find({.filter = {.sample_id = "john@example.org"}}).records.empty());
}

TEST_F(RecordSearchTest, ReadsTheRecordsForWhatItDoesNotKnow) {
    write(100);
    EXPECT_EQ(ids(find({.filter = {.sample_id = "s42"}})), (Ids{"s42"}));
    EXPECT_EQ(find({.filter = {.tags = {{"lang", "de"}}}}).records.size(), 10U);
    EXPECT_EQ(ids(find({.filter = {.text = "say \"7\""}})), (Ids{"s7"}))
        << "as people write it, not as JSON does";
    const RecordPage both = find({.filter = {.passed = false, .tags = {{"lang", "de"}}}});
    EXPECT_EQ(ids(both), (Ids{"s0", "s30", "s60", "s90"}));
    EXPECT_FALSE(both.total);
}

TEST_F(RecordSearchTest, ReadsOnlySoMuchAtATimeAndSaysWhereToGoOn) {
    write(1000);
    Ids found;
    std::optional<std::uint64_t> next = 0;
    int pages = 0;
    for (; next && pages < 100; ++pages) {
        const RecordPage page = find(
            {.filter = {.tags = {{"lang", "de"}}}, .first = *next, .max_read_bytes = 8 * 1024});
        for (const std::string& id : ids(page))
            found.push_back(id);
        next = page.next;
    }
    EXPECT_EQ(found.size(), 100U);
    EXPECT_GT(pages, 5);
}

TEST_F(RecordSearchTest, MakesTheIndexAgainWhenTheRecordsChangedOrItIsBroken) {
    write(10);
    EXPECT_EQ(find({}).total, 10U);
    write(20);
    EXPECT_EQ(find({}).total, 20U);
    files::blocking_write_atomically(index_, "EFINDEX1 broken").value();
    EXPECT_EQ(find({}).total, 20U);
    files::blocking_write_atomically(index_, std::string(200, '\xFF')).value();
    EXPECT_EQ(find({}).total, 20U);
}

TEST_F(RecordSearchTest, NamesTheFileOfALineThatIsNoRecord) {
    files::blocking_write_atomically(records_, "{}\nnonsense\n").value();
    const auto index = RecordIndex::blocking_open(records_, index_);
    ASSERT_FALSE(index);
    EXPECT_THAT(index.error().message, HasSubstr("records.jsonl"));
    EXPECT_FALSE(RecordIndex::blocking_open(folder_ / "none.jsonl", index_));
}

TEST_F(RecordSearchTest, FindsNothingInAnEmptyFile) {
    files::blocking_write_atomically(records_, "").value();
    const RecordPage page = find({});
    EXPECT_EQ(page.total, 0U);
    EXPECT_FALSE(page.next);
}

}  // namespace
}  // namespace evalfleet::records
