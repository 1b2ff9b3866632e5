#include "coordinator/store/durable_log.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <map>
#include <random>

namespace evalfleet::store {
namespace {

using Records = std::map<std::uint64_t, std::string>;

class DurableLogTest : public ::testing::Test {
  protected:
    Result<DurableLog> open() {
        found.clear();
        return DurableLog::blocking_open(path, [this](const Entry& record, std::uint64_t offset) {
            found[record.number] = record.bytes;
            offsets[record.number] = offset;
        });
    }

    static std::vector<std::uint64_t> append(DurableLog& log, const Records& records) {
        std::vector<Entry> entries;
        for (const auto& [index, bytes] : records)
            entries.push_back({EntryKind::record, index, bytes});
        auto result = log.blocking_append(entries);
        EXPECT_TRUE(result) << result.error().message;
        return *result;
    }

    testing::TemporaryFolder folder;
    std::filesystem::path path = folder / "run.log";
    Records found;
    std::map<std::uint64_t, std::uint64_t> offsets;
};

TEST_F(DurableLogTest, FindsEveryRecordAgain) {
    const Records records{{0, "zero"}, {1, std::string(100'000, 'x')}, {9, ""}};
    {
        auto log = open();
        append(*log, records);
    }
    ASSERT_TRUE(open());
    EXPECT_EQ(found, records);
}

TEST_F(DurableLogTest, TellsOfReopenedTrialsInTheirPlace) {
    {
        auto log = open();
        const std::vector<Entry> entries{{EntryKind::record, 7, "first"},
                                         {EntryKind::reopened, 7, ""},
                                         {EntryKind::record, 7, "second"}};
        ASSERT_TRUE(log->blocking_append(entries));
    }
    std::vector<std::pair<EntryKind, std::string>> seen;
    ASSERT_TRUE(DurableLog::blocking_open(path, [&](const Entry& entry, std::uint64_t) {
        EXPECT_EQ(entry.number, 7U);
        seen.emplace_back(entry.kind, entry.bytes);
    }));
    const std::vector<std::pair<EntryKind, std::string>> expected{
        {EntryKind::record, "first"}, {EntryKind::reopened, ""}, {EntryKind::record, "second"}};
    EXPECT_EQ(seen, expected);
}

TEST_F(DurableLogTest, ReadsARecordByItsOffset) {
    auto log = open();
    append(*log, {{0, "zero"}});
    const auto places = append(*log, {{1, "one"}, {2, "two"}});
    EXPECT_EQ(*log->blocking_read(places[0]), "one");
    EXPECT_EQ(*log->blocking_read(places[1]), "two");
    EXPECT_FALSE(log->blocking_read(places[1] + 1));
}

TEST_F(DurableLogTest, OffsetsFoundOnOpeningAreThoseOfAppending) {
    std::vector<std::uint64_t> places;
    {
        auto log = open();
        places = append(*log, {{1, "one"}, {2, "two"}});
    }
    const auto log = open();
    EXPECT_EQ(offsets[1], places[0]);
    EXPECT_EQ(*log->blocking_read(offsets[2]), "two");
}

TEST_F(DurableLogTest, EveryOpeningBeginsAHigherEpoch) {
    EXPECT_EQ(open()->epoch(), 1U);
    EXPECT_EQ(open()->epoch(), 2U);
    EXPECT_EQ(open()->epoch(), 3U);
}

TEST_F(DurableLogTest, ASecondOneIsHeldOffWhileTheFirstLives) {
    const auto first = open();
    const auto second = open();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, ErrorKind::transient);
    EXPECT_THAT(second.error().message, ::testing::HasSubstr("another coordinator holds this log"));
}

TEST_F(DurableLogTest, AppendsNothingAfterSomebodyElseWrote) {
    auto log = open();
    append(*log, {{0, "zero"}});
    std::ofstream(path, std::ios::app) << "intruder";
    const std::vector<Entry> more{{EntryKind::record, 1, "one"}};
    const auto appended = log->blocking_append(more);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().kind, ErrorKind::lease_lost);
}

TEST_F(DurableLogTest, CutsATornTailAtEveryLengthAndGoesOn) {
    {
        auto log = open();
        append(*log, {{0, "zero"}, {1, "one"}});
    }
    const auto sound = std::filesystem::file_size(path);
    std::string next;
    append_frame(next, {EntryKind::record, 2, "two, which is torn"});
    for (std::size_t torn = 0; torn < next.size(); ++torn) {
        std::filesystem::resize_file(path, sound);
        std::ofstream(path, std::ios::app | std::ios::binary) << next.substr(0, torn);
        auto log = open();
        ASSERT_TRUE(log);
        EXPECT_EQ(log->recovery().cut_bytes, torn);
        EXPECT_EQ(found.size(), 2U);
        append(*log, {{2, "again"}});
        log = Error{};
        ASSERT_TRUE(open());
        EXPECT_EQ(found[2], "again");
    }
}

TEST_F(DurableLogTest, RefusesAFileThatIsNoLog) {
    std::ofstream(path) << "{\"id\": 1}\n";
    const auto log = open();
    ASSERT_FALSE(log);
    EXPECT_EQ(log.error().kind, ErrorKind::invalid);
    EXPECT_EQ(*files::blocking_read_file(path, 100), "{\"id\": 1}\n") << "it was changed";
}

TEST_F(DurableLogTest, ManyRecordsOfRandomSizesSurviveReopening) {
    std::mt19937 random(7);
    Records expected;
    for (int round = 0; round < 5; ++round) {
        auto log = open();
        EXPECT_EQ(found, expected);
        for (int batch = 0; batch < 20; ++batch) {
            Records records;
            for (int i = 0; i < 20; ++i) {
                const std::uint64_t index = expected.size() + records.size();
                records[index] = std::string(random() % 20'000, static_cast<char>('a' + i));
            }
            append(*log, records);
            expected.merge(records);
        }
    }
    ASSERT_TRUE(open());
    EXPECT_EQ(found, expected);
}

// A limit on the size of files is to the log what a full disk is.
TEST_F(DurableLogTest, KeepsNothingOfABatchThatDoesNotFitAndGoesOnWhenThereIsRoom) {
    auto log = open();
    append(*log, {{0, "zero"}});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit tight = before;
    tight.rlim_cur = std::filesystem::file_size(path) + 50'000;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    const std::string large(30'000, 'x');
    const std::vector<Entry> batch{{EntryKind::record, 1, large}, {EntryKind::record, 2, large}};
    const auto refused = log->blocking_append(batch);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::transient);
    append(*log, {{3, "three"}});
    log = Error{};
    ASSERT_TRUE(open());
    EXPECT_EQ(found, (Records{{0, "zero"}, {3, "three"}}));
}

}  // namespace
}  // namespace evalfleet::store
