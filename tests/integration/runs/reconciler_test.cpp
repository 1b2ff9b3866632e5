#include "coordinator/runs/reconciler.hpp"

#include "common/files/atomic_file.hpp"
#include "common/queue/run_claim.hpp"
#include "tests/integration/runs/pool_stage.hpp"

#include <fstream>

namespace evalfleet::runs {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

class ReconcilerTest : public ::testing::Test {
  protected:
    ReconcilerTest() {
        std::ofstream(stage.folder / "id") << std::string(32, 'a') << "\n";
        stage.with(reconciler.run());
    }

    /// Redis has a run of this owner that is going on.
    asio::awaitable<void> put(std::string id, std::string owner) {
        queue::RunTerms terms;
        terms.owner = std::move(owner);
        queue::RunQueue run(stage.client, stage.functions, stage.keys, std::move(id), 3);
        (co_await run.own(std::move(terms), soon())).value();
    }
    asio::awaitable<std::string> state_of(std::string id) {
        const auto claim =
            co_await queue::read_claim(stage.client, stage.keys, std::move(id), soon());
        co_return claim.value().state;
    }
    asio::awaitable<void> await_state(std::string id, std::string state) {
        const async::TimePoint deadline = soon();
        while (co_await state_of(id) != state) {
            if (stage.clock.now() > deadline) throw std::runtime_error(id + ": waited in vain");
            co_await stage.clock.wait_for(std::chrono::milliseconds(20));
        }
    }
    /// The store has a run in this phase, which nobody keeps.
    void store_run(const std::string& id, const std::string& phase) const {
        const fs::path work = stage.folder / "runs" / id / "work";
        fs::create_directories(work);
        files::blocking_write_atomically(work / "phase", phase + "\n").value();
    }

    PoolStage stage;
    std::map<std::string, Standing> kept;
    Reconciler reconciler{
        stage.deps(stage.clock), stage.folder.path(), [this](const std::string& id) {
            const auto found = kept.find(id);
            return found == kept.end() ? std::nullopt : std::optional(found->second);
        }};
    const std::string ours = std::string(32, 'a');
};

TEST_F(ReconcilerTest, StopsInRedisWhatWasStoppedHere) {
    const auto play = [this]() -> asio::awaitable<void> {
        kept["r"] = Standing::going;
        co_await put("r", ours);
        co_await stage.until([this] { return stage.watch.view().stats.runs.size() == 1; });
        kept["r"] = Standing::waiting;
        co_await await_state("r", "pause");
        kept["r"] = Standing::stopping;
        co_await await_state("r", "cancel");
        kept["r"] = Standing::over;
        co_await await_state("r", "done");
        const redis::Command ttl("PTTL", stage.keys.run("r"));
        EXPECT_GT((co_await stage.client.execute_as<std::int64_t>(ttl, soon())).value(), 0);
    };
    stage.act(play);
}

TEST_F(ReconcilerTest, EndsWhatIsOverInTheStoreAlthoughNobodyKeepsIt) {
    const auto play = [this]() -> asio::awaitable<void> {
        store_run("done", "done");
        store_run("cancelled", "cancelled");
        store_run("failed", "failed");
        store_run("running", "running");
        // Also those that an earlier version put there.
        for (const char* id : {"done", "cancelled", "failed", "running"})
            co_await put(id, "");
        co_await await_state("done", "done");
        co_await await_state("cancelled", "done");
        co_await await_state("failed", "pause");
        EXPECT_EQ(co_await state_of("running"), "run");
    };
    stage.act(play);
}

TEST_F(ReconcilerTest, LeavesTheRunsOfOtherStoresAlone) {
    const auto play = [this]() -> asio::awaitable<void> {
        co_await put("theirs", std::string(32, 'b'));
        co_await put("nobodys", "");
        co_await put("lost", ours);
        co_await await_state("lost", "done");  // by then the others were seen as well
        EXPECT_EQ(co_await state_of("theirs"), "run");
        EXPECT_EQ(co_await state_of("nobodys"), "run");
    };
    stage.act(play);
}

TEST_F(ReconcilerTest, EndsNothingForAStoreThatIsNotTheOneItWas) {
    const auto play = [this]() -> asio::awaitable<void> {
        fs::remove(stage.folder / "id");  // its volume is gone: an empty folder is there instead
        co_await put("lost", ours);
        kept["r"] = Standing::over;
        const async::TimePoint end = stage.clock.now() + MissingRuns::kGrace;
        while (stage.clock.now() < end + std::chrono::seconds(3))
            co_await stage.clock.wait_for(std::chrono::milliseconds(100));
        co_await put("r", ours);
        co_await await_state("r", "done");
        EXPECT_EQ(co_await state_of("lost"), "run");
    };
    stage.act(play);
}

TEST_F(ReconcilerTest, EndsWhatWasRemovedWhoeverPutItThere) {
    const auto play = [this]() -> asio::awaitable<void> {
        co_await put("r", "");
        co_await stage.until([this] { return stage.watch.view().stats.runs.size() == 1; });
        reconciler.note_removed("r");
        co_await await_state("r", "done");
    };
    stage.act(play);
}

}  // namespace
}  // namespace evalfleet::runs
