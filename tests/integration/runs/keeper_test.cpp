#include "common/async/task_group.hpp"
#include "common/files/atomic_file.hpp"
#include "common/job/sha256.hpp"
#include "common/json/writer.hpp"
#include "tests/integration/runs/pool_stage.hpp"

#include <boost/asio/error.hpp>
#include <gmock/gmock.h>

#include <new>

namespace evalfleet::runs {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;

constexpr std::string_view kLines = "{\"id\":\"a\",\"task\":\"?\"}\n";

/// A clock that fails once, when it is told to: where a run waits, anything may go wrong.
class FaultyClock final : public async::Clock {
  public:
    [[nodiscard]] async::TimePoint now() const noexcept override { return clock_.now(); }
    [[nodiscard]] std::chrono::system_clock::time_point utc_now() const noexcept override {
        return clock_.utc_now();
    }
    [[nodiscard]] asio::awaitable<void> wait_until(async::TimePoint when) override {
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
        return clock_.wait_until(when);
    }
    void fail_with(std::exception_ptr failure) { failure_ = std::move(failure); }

  private:
    async::SystemClock clock_;
    std::exception_ptr failure_;
};

class KeeperTest : public ::testing::Test {
  protected:
    store::RunFolder make_run() {
        files::blocking_write_atomically(stage.folder / "qa.jsonl", kLines).value();
        job::Sha256 hash;
        hash.add(kLines);
        job::RunSpec spec;
        spec.name = "run";
        spec.dataset.path = (stage.folder / "qa.jsonl").string();
        spec.models = {{"p", "m", "1"}};
        spec.judge = job::JudgeSpec{{"p", "j", "1"}};
        job::RunMetadata metadata;
        metadata.run_id = "run";
        metadata.timestamp_utc = "t";
        metadata.dataset_hash = hash.hex();
        metadata.sample_count = 1;
        metadata.model = spec.models.front();
        std::string spec_json;
        json::Writer writer(spec_json);
        job::write(writer, spec);
        return store::RunFolder::blocking_create(stage.folder.path(), "run", job::to_json(metadata),
                                                 spec_json, stage.folder / "qa.jsonl")
            .value();
    }

    asio::awaitable<void> await_phase(const RunKeeper& keeper, RunPhase phase) {
        co_await stage.until([&keeper, phase] { return keeper.phase() == phase; });
    }

    /// Until the run is opened and waits for workers.
    asio::awaitable<void> await_work(const RunKeeper& keeper) {
        co_await stage.until([&keeper] {
            const auto stats = keeper.stats();
            return keeper.phase() == RunPhase::running && stats && stats->out == 1;
        });
    }

    /// The run fails by it; then it is resumed, fails again, and is cancelled.
    void expect_failure(std::exception_ptr thrown, const std::string& reason) {
        const auto play = [&]() -> asio::awaitable<void> {
            co_await fail_and_go_on(thrown, reason);
        };
        stage.act(play);
    }

    asio::awaitable<void> fail_and_go_on(std::exception_ptr thrown, std::string reason) {
        const store::RunFolder folder = make_run();
        int failures = 0;
        RunKeeper keeper(stage.deps(clock), folder, [&failures] { ++failures; });
        std::exception_ptr escaped;
        async::TaskGroup group(co_await asio::this_coro::executor,
                               [&escaped](std::exception_ptr failure) { escaped = failure; });
        group.spawn(keeper.run());
        for (int round = 1; round <= 2; ++round) {
            co_await await_work(keeper);
            clock.fail_with(thrown);
            co_await stage.until([&failures, round] { return failures == round; });
            EXPECT_EQ(keeper.phase(), RunPhase::failed);
            EXPECT_TRUE(keeper.is_settled());
            EXPECT_THAT(keeper.progress()->note.value_or(""), HasSubstr(reason));
            EXPECT_EQ(keeper.progress()->total, 1U) << "how far it came is still told";
            EXPECT_EQ(folder.blocking_read_phase().value(), "failed");
            EXPECT_THAT(folder.blocking_read_phase_note().value(), HasSubstr(reason));
            if (round == 2) break;
            EXPECT_TRUE(co_await keeper.resume());
        }
        EXPECT_TRUE(co_await keeper.cancel());
        co_await await_phase(keeper, RunPhase::cancelled);
        co_await group.join();
        EXPECT_FALSE(escaped);
    }

    PoolStage stage;
    FaultyClock clock;
};

TEST_F(KeeperTest, AnOrdinaryExceptionFailsTheRun) {
    expect_failure(std::make_exception_ptr(std::runtime_error("the moon is full")),
                   "the moon is full");
}

TEST_F(KeeperTest, MemoryThatIsNotThereFailsTheRun) {
    expect_failure(std::make_exception_ptr(std::bad_alloc()), "memory");
}

TEST_F(KeeperTest, AnySystemErrorFailsTheRun) {
    const boost::system::system_error error(
        make_error_code(boost::system::errc::too_many_files_open), "open");
    expect_failure(std::make_exception_ptr(error), "Too many open files");
}

// Nobody cancelled the coordinator: then it is an error as any other.
TEST_F(KeeperTest, AnAbortedOperationFailsTheRun) {
    const boost::system::system_error error(asio::error::operation_aborted);
    expect_failure(std::make_exception_ptr(error), "cancel");
}

TEST_F(KeeperTest, WhatIsNoExceptionAtAllFailsTheRun) {
    expect_failure(std::make_exception_ptr(7), "unknown");
}

TEST_F(KeeperTest, ACoordinatorThatStopsLeavesTheRunAsItIs) {
    const auto play = [this]() -> asio::awaitable<void> {
        const store::RunFolder folder = make_run();
        RunKeeper keeper(stage.deps(clock), folder);
        std::exception_ptr escaped;
        async::TaskGroup group(co_await asio::this_coro::executor,
                               [&escaped](std::exception_ptr failure) { escaped = failure; });
        group.spawn(keeper.run());
        co_await await_work(keeper);
        group.cancel();
        co_await group.join();
        EXPECT_FALSE(escaped);
        EXPECT_EQ(folder.blocking_read_phase().value(), "running");
    };
    stage.act(play);
}

TEST_F(KeeperTest, ARunThatCouldNotBeRemovedCanBeResumed) {
    const auto play = [this]() -> asio::awaitable<void> {
        RunKeeper keeper(stage.deps(clock), make_run());
        async::TaskGroup group(co_await asio::this_coro::executor, [](std::exception_ptr) {});
        group.spawn(keeper.run());
        co_await await_work(keeper);
        clock.fail_with(std::make_exception_ptr(std::runtime_error("once")));
        co_await stage.until([&keeper] { return keeper.is_settled(); });
        EXPECT_TRUE(co_await keeper.retire());
        EXPECT_FALSE(co_await keeper.resume()) << "it is being removed";
        keeper.stay();
        EXPECT_TRUE(co_await keeper.resume());
        co_await await_work(keeper);
        group.cancel();
        co_await group.join();
    };
    stage.act(play);
}

}  // namespace
}  // namespace evalfleet::runs
