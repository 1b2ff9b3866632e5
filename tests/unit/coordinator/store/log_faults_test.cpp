#include "coordinator/store/durable_log.hpp"
#include "tests/support/disk/faulty_disk.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <fstream>
#include <map>

namespace evalfleet::store {
namespace {

using testing::DiskCall;
using testing::FaultyDisk;

/// A log on a disk that fails when told.
class LogFaultsTest : public ::testing::Test {
  protected:
    Result<DurableLog> open() {
        found.clear();
        return DurableLog::blocking_open(path, [this](const Entry& entry, std::uint64_t) {
            found[entry.number] = entry.bytes;
            ++count;
        });
    }

    static Result<std::vector<std::uint64_t>> append(DurableLog& log, std::uint64_t index) {
        const std::string bytes = "record " + std::to_string(index);
        const std::vector<Entry> batch{{EntryKind::record, index, bytes}};
        return log.blocking_append(batch);
    }

    // Exactly these are in the log when it is opened again.
    void expect_records(const std::vector<std::uint64_t>& indexes) {
        count = 0;
        ASSERT_TRUE(open());
        EXPECT_EQ(count, indexes.size()) << "something is there twice, or not at all";
        for (const std::uint64_t index : indexes)
            EXPECT_EQ(found[index], "record " + std::to_string(index));
    }

    testing::TemporaryFolder folder;
    std::filesystem::path path = folder / "trials.log";
    std::map<std::uint64_t, std::string> found;
    std::size_t count = 0;
    FaultyDisk disk;
};

TEST_F(LogFaultsTest, ABatchWhoseSyncFailsIsNotInTheLogAndMayBeTriedAgain) {
    {
        auto log = open();
        ASSERT_TRUE(append(*log, 0));
        disk.add({.call = DiskCall::sync, .error = EIO, .path_part = "trials.log"});
        const auto failed = append(*log, 1);
        ASSERT_FALSE(failed);
        EXPECT_THAT(failed.error().message, ::testing::HasSubstr("Input/output error"));
        const auto again = append(*log, 1);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(log->blocking_read(again->front()).value(), "record 1");
        ASSERT_TRUE(append(*log, 2));
    }
    expect_records({0, 1, 2});
}

// After a failed sync the kernel may say that pages are clean which never reached the disk.
TEST_F(LogFaultsTest, AfterAFailedSyncTheFileIsOpenedAndReadAgain) {
    auto log = open();
    ASSERT_TRUE(append(*log, 0));
    disk.add({.call = DiskCall::sync, .error = EIO, .path_part = "trials.log"});
    ASSERT_FALSE(append(*log, 1));
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(40) << "lost";
    const auto next = append(*log, 1);
    ASSERT_FALSE(next) << "it was trusted";
    EXPECT_TRUE(log->is_broken());
    EXPECT_FALSE(append(*log, 2)) << "it goes on as if nothing had been lost";
    log = Error{};
    auto anew = open();
    ASSERT_TRUE(anew);
    EXPECT_TRUE(anew->recovery().is_damaged());
    EXPECT_TRUE(append(*anew, 0));
}

TEST_F(LogFaultsTest, ADiskThatGoesOnFailingKeepsTheLogAsItWas) {
    {
        auto log = open();
        ASSERT_TRUE(append(*log, 0));
        disk.add({.call = DiskCall::sync, .error = EIO, .times = 5, .path_part = "trials.log"});
        for (int attempt = 0; attempt < 5; ++attempt)
            EXPECT_FALSE(append(*log, 1)) << attempt;
        EXPECT_FALSE(log->is_broken());
        EXPECT_TRUE(append(*log, 1));
    }
    expect_records({0, 1});
}

TEST_F(LogFaultsTest, AWriteThatIsCutShortLeavesNothing) {
    for (const int error : {EIO, ENOSPC, EDQUOT}) {
        testing::TemporaryFolder other;
        path = other / "trials.log";
        {
            auto log = open();
            ASSERT_TRUE(append(*log, 0));
            disk.add({.call = DiskCall::write, .at_most = 7, .path_part = "trials.log"});
            disk.add({.call = DiskCall::write, .error = error, .path_part = "trials.log"});
            EXPECT_FALSE(append(*log, 1));
            EXPECT_TRUE(append(*log, 2));
        }
        expect_records({0, 2});
    }
}

TEST_F(LogFaultsTest, AShortWriteIsCompleted) {
    {
        auto log = open();
        disk.add({.call = DiskCall::write, .times = 4, .at_most = 3, .path_part = "trials.log"});
        ASSERT_TRUE(append(*log, 0));
    }
    expect_records({0});
}

// What is left of a failed batch is ours, not another coordinator's.
TEST_F(LogFaultsTest, ATailThatCannotBeCutIsCutLater) {
    {
        auto log = open();
        ASSERT_TRUE(append(*log, 0));
        disk.add({.call = DiskCall::write, .at_most = 7, .path_part = "trials.log"});
        disk.add({.call = DiskCall::write, .error = EIO, .path_part = "trials.log"});
        disk.add({.call = DiskCall::cut, .error = EIO, .times = 2, .path_part = "trials.log"});
        EXPECT_FALSE(append(*log, 1));
        const auto second = append(*log, 1);
        ASSERT_FALSE(second);
        EXPECT_NE(second.error().kind, ErrorKind::lease_lost);
        ASSERT_TRUE(append(*log, 1));
    }
    expect_records({0, 1});
}

TEST_F(LogFaultsTest, StillNoticesSomebodyElseAfterAFailedSync) {
    auto log = open();
    disk.add({.call = DiskCall::sync, .error = EIO, .path_part = "trials.log"});
    ASSERT_FALSE(append(*log, 1));
    std::string theirs;
    append_frame(theirs, {EntryKind::epoch, 9, {}});
    std::ofstream(path, std::ios::app | std::ios::binary) << theirs;
    const auto next = append(*log, 1);
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().kind, ErrorKind::lease_lost);
}

TEST_F(LogFaultsTest, StillNoticesThatTheFileWasReplacedAfterAFailedSync) {
    auto log = open();
    disk.add({.call = DiskCall::sync, .error = EIO, .path_part = "trials.log"});
    ASSERT_FALSE(append(*log, 1));
    std::filesystem::remove(path);
    const auto next = append(*log, 1);
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().kind, ErrorKind::lease_lost);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(LogFaultsTest, PagesThatCannotBeReadLoseTheirRecordsOnly) {
    const std::string large(3000, 'x');
    {
        auto log = open();
        for (std::uint64_t index = 0; index < 10; ++index) {
            const std::vector<Entry> batch{{EntryKind::record, index, large}};
            ASSERT_TRUE(log->blocking_append(batch));
        }
    }
    // The magic is read first, then everything at once, then page by page.
    disk.add({.call = DiskCall::read, .error = EIO, .skip = 1, .path_part = "/trials.log"});
    disk.add({.call = DiskCall::read, .error = EIO, .skip = 3, .path_part = "/trials.log"});
    const auto log = open();
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_TRUE(log->recovery().is_damaged());
    EXPECT_GE(found.size(), 7U);
    EXPECT_LT(found.size(), 10U);
}

TEST_F(LogFaultsTest, ADiskThatGivesNothingIsNoDamagedLog) {
    {
        auto log = open();
        ASSERT_TRUE(append(*log, 0));
    }
    disk.add({.call = DiskCall::read, .error = EIO, .times = 1000, .path_part = "/trials.log"});
    const auto log = open();
    ASSERT_FALSE(log);
    EXPECT_THAT(log.error().message, ::testing::HasSubstr("Input/output error"));
    EXPECT_FALSE(std::filesystem::exists(folder / "damaged"));
}

TEST_F(LogFaultsTest, ALogThatCannotBeginItsEpochIsNotOpen) {
    {
        auto log = open();
        ASSERT_TRUE(append(*log, 0));
    }
    disk.add({.call = DiskCall::sync, .error = EIO, .path_part = "trials.log"});
    EXPECT_FALSE(open());
    expect_records({0});
}

TEST_F(LogFaultsTest, TellsAHeldLogThatLostSomethingFromASoundOne) {
    auto log = open();
    const auto place = append(*log, 0).value().front();
    EXPECT_TRUE(log->blocking_is_sound().value());
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary)
            .seekp(static_cast<std::streamoff>(place) + 20)
        << "?";
    EXPECT_FALSE(log->blocking_is_sound().value());
}

}  // namespace
}  // namespace evalfleet::store
