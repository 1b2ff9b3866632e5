#include "tests/integration/runs/run_stage.hpp"

#include <gmock/gmock.h>

namespace evalfleet::runs {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> audit(Auditor& auditor, std::optional<AuditFindings>& findings) {
    findings = (co_await auditor.run_once()).value();
    for (;;)
        co_await asio::post(asio::use_awaitable);
}

TEST(Auditor, MakesReadyWhatNobodyWouldBeHandedHoweverMuchItIs) {
    constexpr std::uint64_t kJobs = 2'500;
    RunStage stage(kJobs);
    Collector collector = stage.collector();
    Auditor auditor = stage.auditor();
    stage.with(collector.run());
    stage.act([&]() -> asio::awaitable<void> {
        const queue::RunTerms terms;
        (co_await stage.run.own(terms, soon())).value();
        co_await stage.issue(kJobs);
        EXPECT_EQ((co_await auditor.run_once()).value().orphaned, 0U) << "all is well";
        const std::vector<std::string> providers;
        (void)(co_await stage.worker.take(10, std::chrono::seconds(30), providers, soon())).value();
        const redis::Command forget("DEL", stage.keys.ready("r"));
        (co_await stage.client.execute(forget, soon())).value();
        EXPECT_EQ((co_await auditor.run_once()).value().orphaned, kJobs - 10);
        EXPECT_EQ((co_await stage.run.ready(soon())).value().size(), kJobs - 10);
        EXPECT_EQ((co_await auditor.run_once()).value().orphaned, 0U);
    });
}

TEST(Auditor, SettlesWhatIsOutAlthoughItsResultIsInTheLog) {
    RunStage stage(2);
    Collector collector = stage.collector();
    Auditor auditor = stage.auditor();
    stage.with(collector.run());
    stage.act([&]() -> asio::awaitable<void> {
        stage.book.window.issue(0, 10);
        stage.book.ages.issue(0, stage.clock.now());
        stage.book.ledger.mark(0, 8);
        EXPECT_EQ((co_await auditor.run_once()).value().vanished, 0U);
    });
    EXPECT_EQ(stage.book.window.count_jobs(), 0U);
    EXPECT_FALSE(stage.book.ages.oldest());
}

// After a reconnect all runs want an audit. Each is put back at once, and compared when its turn
// comes.
TEST(Auditor, WaitsForItsTurnToCompareButNotToTakeTheRunOver) {
    RunStage stage(1);
    Auditor::Config config;
    config.turns = std::make_shared<async::Semaphore>(1);
    Collector collector = stage.collector();
    Auditor auditor = stage.auditor(config);
    std::optional<AuditFindings> findings;
    stage.with(collector.run());
    stage.with(audit(auditor, findings));
    auto others = config.turns->try_acquire();
    stage.book.window.issue(0, 10);
    stage.act([&]() -> asio::awaitable<void> {
        const redis::Command is_owned("EXISTS", stage.keys.run("r"));
        while (!(co_await stage.client.execute_as<bool>(is_owned, soon())).value())
            co_await stage.clock.wait_for(std::chrono::milliseconds(1));
        co_await stage.clock.wait_for(std::chrono::milliseconds(50));
        EXPECT_FALSE(findings);
        others.reset();
        co_await stage.until([&] { return findings.has_value(); });
        EXPECT_EQ(findings->vanished, 1U);
    });
}

}  // namespace
}  // namespace evalfleet::runs
