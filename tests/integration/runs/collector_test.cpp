#include "common/job/trial_record_json.hpp"
#include "tests/integration/runs/run_stage.hpp"

#include <gmock/gmock.h>

#include <atomic>

namespace evalfleet::runs {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

constexpr std::size_t kKiB = 1024;

TEST(Collector, BringsHomeResultsThatAreTooLargeToBeReadTogether) {
    constexpr std::uint64_t kSmall = 300;
    constexpr std::uint64_t kLarge = 40;
    RunStage stage(kSmall + kLarge, {.max_bytes = 1024 * kKiB});
    Collector collector = stage.collector();
    stage.with(collector.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        for (std::uint64_t index = 0; index < kSmall; ++index)
            co_await stage.deliver(index);
        co_await stage.until([&] { return stage.book.ledger.count_done() == kSmall; });
        // Now many are asked for at a time. The next look finds all of these.
        auto turn = co_await stage.book.log_turn.acquire();
        for (std::uint64_t index = kSmall; index < kSmall + kLarge; ++index)
            co_await stage.deliver(index, 60 * kKiB);
        turn = {};
        co_await stage.until([&] { return stage.book.ledger.is_complete(); });
        co_await stage.until([&] { return stage.book.looks_completed > 0; });
    });
    EXPECT_TRUE(stage.book.repeated_offsets.empty());
}

TEST(Collector, GivesUpAResultThatCanNeverBeRead) {
    RunStage stage(2, {.max_bytes = 40 * 1024 * kKiB});
    Collector collector = stage.collector();
    stage.with(collector.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.deliver(0, 41 * 1024 * kKiB);
        co_await stage.deliver(1);
        co_await stage.until([&] { return stage.book.ledger.is_complete(); });
    });
    const auto record = stage.durable.blocking_read(stage.book.ledger.offset(0).value()).value();
    EXPECT_THAT(record, HasSubstr("worker_lost"));
    EXPECT_THAT(record, HasSubstr("at most 33554432 can be read"));
}

TEST(Collector, GivesTheWindowsRoomBackForARepeatThatItDrops) {
    RunStage stage(1);
    Collector collector = stage.collector();
    stage.with(collector.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.deliver(0);
        co_await stage.until([&] { return stage.book.ledger.is_complete(); });
        // It went out once more before that result came.
        stage.book.window.issue(0, 10);
        stage.book.ages.issue(0, stage.clock.now());
        co_await stage.deliver(0);
        co_await stage.until([&] { return stage.book.window.count_jobs() == 0; });
    });
    EXPECT_FALSE(stage.book.ages.oldest());
}

// As when a run ends early: a result that was read before, but not written yet.
TEST(Collector, DropsAResultWhoseTrialIsTakenOutWhileItIsOnItsWayIntoTheLog) {
    RunStage stage(2);
    std::atomic<bool> is_judged = false;
    Collector collector = stage.collector([&](std::uint64_t) {
        is_judged = true;
        return std::optional<job::Sample>();
    });
    stage.with(collector.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.issue(1);
        const std::vector<std::string> providers;
        (void)(co_await stage.worker.take(1, std::chrono::seconds(30), providers, soon())).value();
        auto turn = co_await stage.book.log_turn.acquire();
        const queue::JobRef job{"r", 0, 1};
        const std::chrono::milliseconds no_delay{0};
        (void)(co_await stage.worker.fail(job, no_delay, 1, "dead", soon())).value();
        co_await stage.until([&] { return is_judged.load(); });
        stage.book.ledger.exclude_open();
        turn = {};
        // It is not written, but Redis may forget it.
        while (co_await stage.count_results() > 0)
            co_await stage.clock.wait_for(std::chrono::milliseconds(1));
    });
    EXPECT_EQ(stage.book.ledger.count_done(), 0U);
    EXPECT_EQ(stage.book.ledger.count_excluded(), 2U);
    EXPECT_TRUE(stage.book.repeated_offsets.empty());
}

}  // namespace
}  // namespace evalfleet::runs
