#include "coordinator/webhooks/run_watch.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/run_metadata.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace evalfleet::webhooks {
namespace {

using ::testing::IsEmpty;
namespace fs = std::filesystem;

constexpr const char* kRun = "20261116-020000-3f9a2c-nightly";

WebhooksConfig one_webhook() {
    WebhooksConfig config;
    config.webhooks.push_back({.name = "ops", .url = "http://127.0.0.1:1/"});
    return config;
}

// A store with one run, whose phase the test sets.
class RunWatchTest : public ::testing::Test {
  protected:
    RunWatchTest() {
        job::RunMetadata metadata;
        metadata.run_id = kRun;
        metadata.name = "nightly";
        metadata.timestamp_utc = "2026-11-16T02:00:00Z";
        metadata.dataset_hash = std::string(64, 'a');
        metadata.model = {"main", "m", "1"};
        fs::create_directories(folder_.path() / "work");
        EXPECT_TRUE(
            files::blocking_write_atomically(folder_.file("run.json"), job::to_json(metadata)));
        set_phase("running");
    }

    void set_phase(const char* phase, const char* note = "") {
        EXPECT_TRUE(folder_.blocking_write_phase(phase, note));
    }

    [[nodiscard]] RunWatch watch() const { return {store_.path(), one_webhook(), {}}; }

    [[nodiscard]] std::vector<std::string> waiting() const {
        std::vector<std::string> events;
        for (const auto& letter : Outbox(store_.path()).blocking_list("ops").value())
            events.push_back(letter.event);
        return events;
    }

    // A second before: phases are written with the time of the machine.
    static std::chrono::system_clock::time_point before() {
        return std::chrono::system_clock::now() - std::chrono::seconds(1);
    }

    testing::TemporaryFolder store_;
    store::RunFolder folder_{store_.path() / "runs" / kRun};
};

TEST_F(RunWatchTest, TellsEachThingOnce) {
    RunWatch runs = watch();
    EXPECT_EQ(runs.blocking_look(before()).value(), 0U);
    set_phase("paused", "a key is refused");
    EXPECT_EQ(runs.blocking_look(before()).value(), 1U);
    EXPECT_EQ(runs.blocking_look(before()).value(), 0U);
    set_phase("cancelled");
    EXPECT_EQ(runs.blocking_look(before()).value(), 1U);
    EXPECT_EQ(runs.blocking_look(before()).value(), 0U);
    EXPECT_EQ(waiting(), (std::vector<std::string>{"run.paused", "run.ended"}));
}

TEST_F(RunWatchTest, TellsAfterARestartWhatWasNotToldAndNothingTwice) {
    EXPECT_EQ(watch().blocking_look(before()).value(), 0U);
    set_phase("cancelled");
    EXPECT_EQ(watch().blocking_look(before()).value(), 1U);
    EXPECT_EQ(watch().blocking_look(before()).value(), 0U) << "it stands in the run's folder";
    fs::remove(folder_.path() / "work" / "notified");
    EXPECT_EQ(watch().blocking_look(before()).value(), 1U)
        << "whoever died before it stood there tells it again";
    EXPECT_EQ(waiting().size(), 1U) << "under the same id";
}

TEST_F(RunWatchTest, LeavesAloneWhatWasOverBeforeThereWasAWebhook) {
    set_phase("cancelled");
    RunWatch runs = watch();
    EXPECT_EQ(runs.blocking_look(std::chrono::system_clock::now() + std::chrono::hours(1)).value(),
              0U);
    EXPECT_THAT(waiting(), IsEmpty());
}

}  // namespace
}  // namespace evalfleet::webhooks
