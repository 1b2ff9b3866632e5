#include "coordinator/store/store_lock.hpp"

#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace evalfleet::store {
namespace {

using testing::TemporaryFolder;

std::optional<StoreLock> take(const TemporaryFolder& folder) {
    return StoreLock::blocking_try_take(folder.path(), "127.0.0.1:1").value();
}

TEST(StoreLock, IsHeldByOneAtATimeAndCountsItsHolders) {
    const TemporaryFolder folder;
    auto first = take(folder);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->card().epoch, 1U);
    EXPECT_FALSE(take(folder));
    first.reset();
    const auto second = take(folder);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->card().epoch, 2U);
}

TEST(StoreLock, TellsAStandbyWhoLeadsAndThatItLives) {
    const TemporaryFolder folder;
    auto lock = take(folder);
    const auto before = StoreLock::blocking_look(folder.path()).value();
    EXPECT_EQ(before.card, lock->card());
    EXPECT_EQ(before.card->process.pid, ::getpid());
    std::int64_t beat = before.beat;
    // The clock of the file system may be coarse.
    for (int i = 0; i < 1000 && beat == before.beat; ++i) {
        ASSERT_TRUE(lock->blocking_beat());
        beat = StoreLock::blocking_look(folder.path()).value().beat;
        ::usleep(1000);
    }
    EXPECT_NE(beat, before.beat);
}

// A leader of another machine, whose lock is not seen here.
void write_foreign_card(const TemporaryFolder& folder) {
    LeaderCard card;
    card.epoch = 7;
    card.process = {1, "far-away", "another world", "1"};
    std::ofstream(folder.path() / "lock") << to_json(card);
}

TEST(StoreLock, IsRefusedWhereTheLeaderOfAnotherMachineLivesInSpiteOfIt) {
    const TemporaryFolder folder;
    write_foreign_card(folder);
    std::atomic<bool> is_over = false;
    std::thread leader([&] {
        for (auto beat = std::filesystem::file_time_type::clock::now(); !is_over;
             beat += std::chrono::seconds(1)) {
            std::filesystem::last_write_time(folder.path() / "lock", beat);
            ::usleep(1000);
        }
    });
    const auto taken =
        StoreLock::blocking_try_take(folder.path(), "127.0.0.1:1", std::chrono::seconds(20));
    is_over = true;
    leader.join();
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, ErrorKind::denied);
    EXPECT_NE(taken.error().message.find("far-away"), std::string::npos) << taken.error().message;
    EXPECT_EQ(StoreLock::blocking_look(folder.path())->card->epoch, 7U) << "it was written over";
}

TEST(StoreLock, IsTakenFromALeaderOfAnotherMachineThatIsGone) {
    const TemporaryFolder folder;
    write_foreign_card(folder);
    const auto taken =
        StoreLock::blocking_try_take(folder.path(), "127.0.0.1:1", std::chrono::milliseconds(300));
    ASSERT_TRUE(taken) << taken.error().message;
    ASSERT_TRUE(*taken);
    EXPECT_EQ((*taken)->card().epoch, 8U);
}

TEST(StoreLock, IsLostWhenItsFileIsRemovedOrReplaced) {
    const TemporaryFolder folder;
    auto lock = take(folder);
    std::filesystem::remove(folder.path() / "lock");
    const Status alone = lock->blocking_beat();
    ASSERT_FALSE(alone);
    EXPECT_EQ(alone.error().kind, ErrorKind::lease_lost);
    const auto other = take(folder);
    ASSERT_TRUE(other) << "a lock on a removed file holds nobody off";
    EXPECT_EQ(lock->blocking_beat().error().kind, ErrorKind::lease_lost);
}

TEST(StoreLock, IsFreeWhenItsHolderIsKilled) {
    const TemporaryFolder folder;
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto lock = take(folder);
        const char byte = lock ? 'y' : 'n';
        (void)!::write(ready[1], &byte, 1);
        for (;;)
            ::pause();
    }
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    EXPECT_FALSE(take(folder));
    const auto sighting = StoreLock::blocking_look(folder.path()).value();
    ::kill(child, SIGSTOP);
    EXPECT_FALSE(take(folder)) << "a stopped process keeps its lock";
    ASSERT_TRUE(blocking_end(sighting.card->process));
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    const auto lock = take(folder);
    ASSERT_TRUE(lock);
    EXPECT_EQ(lock->card().epoch, 2U);
}

TEST(LeaderCard, ReadsBackWhatItWrites) {
    const LeaderCard card{7, "[::1]:80", ProcessIdentity::blocking_own()};
    EXPECT_EQ(parse_leader_card(to_json(card)).value(), card);
    EXPECT_FALSE(parse_leader_card("{}"));
    EXPECT_FALSE(parse_leader_card(""));
}

TEST(ProcessIdentity, EndsNothingButTheProcessItNames) {
    const pid_t child = ::fork();
    if (child == 0)
        for (;;)
            ::pause();
    ProcessIdentity other = ProcessIdentity::blocking_own();
    other.pid = child;
    other.start_time = "1";  // an older process that had the same number
    EXPECT_TRUE(blocking_end(other));
    EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it was ended";
    other.world = "elsewhere";
    const Status refused = blocking_end(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::denied);
    EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    other = ProcessIdentity::blocking_own();
    other.pid = child;
    EXPECT_TRUE(blocking_end(other)) << "it is gone already";
}

}  // namespace
}  // namespace evalfleet::store
