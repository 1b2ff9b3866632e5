#include "tests/integration/runs/run_stage.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

namespace evalfleet::runs {
namespace {

namespace asio = boost::asio;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::uint64_t kOffset = 8;  // of a record in some log

/// Reads a line no sooner than it is told to.
class SlowReader {
  public:
    Feeder::ReadPayload reader() {
        return [this](std::uint64_t) -> Result<std::string> {
            is_reading = true;
            while (!may_end)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return std::string("{}");
        };
    }

    std::atomic<bool> is_reading = false;
    std::atomic<bool> may_end = false;
};

TEST(Feeder, DoesNotSendATrialWhoseLateResultCameWhileItWasRead) {
    RunStage stage(2);
    SlowReader slow;
    Feeder feeder = stage.feeder(slow.reader());
    stage.with(feeder.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.until([&] { return slow.is_reading.load(); });
        EXPECT_TRUE(stage.book.ledger.mark(0, kOffset));
        slow.may_end = true;
        co_await stage.until([&] { return stage.book.cursor == 2; });
        EXPECT_THAT((co_await stage.run.present(soon())).value(), UnorderedElementsAre(1U));
    });
    EXPECT_THAT(stage.book.window.issued(), ElementsAre(1U));
}

TEST(Feeder, SendsNothingForARunThatWasStoppedWhileItRead) {
    RunStage stage(1);
    SlowReader slow;
    Feeder feeder = stage.feeder(slow.reader());
    stage.with(feeder.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.until([&] { return slow.is_reading.load(); });
        stage.book.phase = RunPhase::paused;
        slow.is_reading = false;
        slow.may_end = true;
        co_await stage.clock.wait_for(std::chrono::milliseconds(50));
        EXPECT_THAT((co_await stage.run.present(soon())).value(), IsEmpty());
        EXPECT_EQ(stage.book.cursor, 0U);
        stage.book.phase = RunPhase::running;
        stage.book.changed.notify_all();
        co_await stage.until([&] { return stage.book.cursor == 1; });
        EXPECT_THAT((co_await stage.run.present(soon())).value(), UnorderedElementsAre(0U));
    });
}

TEST(Feeder, SendsATrialAgainThatWasReopenedWhileItRead) {
    RunStage stage(3);
    SlowReader slow;
    Feeder feeder = stage.feeder(slow.reader());
    stage.book.ledger.mark(0, kOffset);
    stage.book.retries.set(0, Tally::Retry::unmeasured);
    stage.book.cursor = 1;
    stage.with(feeder.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.until([&] { return slow.is_reading.load(); });
        stage.book.reopen(0);
        slow.may_end = true;
        co_await stage.until([&] { return stage.book.window.count_jobs() == 3; });
    });
}

TEST(Feeder, SendsAFewWhenNothingIsOutAlthoughRedisIsFull) {
    RunStage stage(100);
    Feeder feeder = stage.feeder([](std::uint64_t) -> Result<std::string> { return "{}"; });
    stage.book.redis_memory_full = true;
    stage.with(feeder.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.until([&] { return stage.book.cursor > 0; });
        stage.book.changed.notify_all();
        co_await stage.clock.wait_for(std::chrono::milliseconds(20));
        EXPECT_EQ((co_await stage.run.present(soon())).value().size(), 8U);
    });
}

}  // namespace
}  // namespace evalfleet::runs
