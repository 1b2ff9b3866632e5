#include "tests/integration/permits/office.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Several workers of one fleet in one thread, and the calls they make.
struct Fleet {
    Fleet(redis::Client& client_, const asio::any_io_executor& executor, std::size_t workers,
          const providers::ProviderConfig& provider, queue::WindowTerms terms)
        : client(client_), tasks(executor, [this](const std::exception_ptr&) { ++failures; }) {
        for (std::size_t i = 0; i < workers; ++i) {
            clerks.push_back(
                std::make_unique<Clerk>(client, clock, "w" + std::to_string(i), provider, terms));
            tasks.spawn(clerks.back()->keeper().run());
        }
    }

    redis::Client& client;
    async::SystemClock clock;
    async::TaskGroup tasks;
    std::vector<std::unique_ptr<Clerk>> clerks;
    bool is_open = true;
    int failures = 0;
};

/// Calls the provider again and again for as long as the fleet is open.
asio::awaitable<void> keep_calling(Fleet& fleet, Clerk& clerk, Counter& provider,
                                   milliseconds latency) {
    while (fleet.is_open) {
        Permit permit = co_await clerk.keeper().acquire("main", "m", CallNeeds{});
        CallEnd end;
        end.sent = fleet.clock.now();
        if (provider.enter(*end.sent)) {
            co_await fleet.clock.wait_for(latency);
            provider.leave();
            end.service = latency;
        } else {
            end.kind = CallEnd::Kind::throttled;
            end.rest = milliseconds(20);
        }
        permit.settle(end);
    }
}

asio::awaitable<void> close(Fleet& fleet) {
    fleet.is_open = false;
    for (const auto& clerk : fleet.clerks)
        co_await clerk->keeper().close(soon());
    fleet.tasks.cancel();
    co_await fleet.tasks.join();
}

using Scene = std::function<asio::awaitable<void>(redis::Client&)>;

void play(const testing::RedisServer& server, const Scene& scene) {
    redis::with_client(redis::quick_config(server.url()), scene);
}

TEST(PermitKeeper, KeepsAllWorkersBelowTheLimitInEveryRollingWindowAndUsesIt) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const queue::WindowTerms terms{milliseconds(4'000), milliseconds(1'000),
                                       milliseconds(30'000)};
        const auto limits = with_limits({.rpm = 120});
        Fleet fleet(client, executor, 8, limits, terms);
        Counter provider;
        for (const auto& clerk : fleet.clerks)
            for (int i = 0; i < 6; ++i)
                fleet.tasks.spawn(keep_calling(fleet, *clerk, provider, milliseconds(15)));
        co_await fleet.clock.wait_for(milliseconds(12'500));
        EXPECT_LE(provider.most_within(terms.window), 120U);
        // With this wide a margin a window's worth of requests needs five seconds.
        EXPECT_GE(provider.count_until(milliseconds(10'000)), 2U * 120U * 95U / 100U);
        co_await close(fleet);
        EXPECT_EQ(fleet.failures, 0);
    });
}

TEST(PermitKeeper, KeepsCallsAtOnceBelowTheLimitAndLeavesNoneBehind) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.max_concurrent = 10});
        Fleet fleet(client, executor, 4, limits, {});
        Counter provider;
        for (const auto& clerk : fleet.clerks)
            for (int i = 0; i < 10; ++i)
                fleet.tasks.spawn(keep_calling(fleet, *clerk, provider, milliseconds(3)));
        for (int i = 0; i < 600 && provider.arrivals().size() < 400; ++i)
            co_await fleet.clock.wait_for(milliseconds(50));
        EXPECT_EQ(provider.peak(), 10U);
        EXPECT_GE(provider.arrivals().size(), 400U);
        co_await close(fleet);
        const auto stats = (co_await fleet.clerks[0]->queue().stats(soon())).value();
        EXPECT_EQ(stats.front().held, 0U);
        EXPECT_EQ(stats.front().unmet, 0U);
        EXPECT_EQ(stats.front().workers, 0U);
        EXPECT_EQ(fleet.failures, 0);
    });
}

asio::awaitable<void> call_once(Fleet& fleet, Clerk& clerk, int& calls) {
    Permit permit = co_await clerk.keeper().acquire("main", "m", CallNeeds{});
    ++calls;
    CallEnd end;
    end.sent = fleet.clock.now();
    permit.settle(end);
}

/// Makes one call, and notes its name when it may start.
asio::awaitable<void> call_by_name(Fleet& fleet, Clerk& clerk, CallNeeds needs, std::string name,
                                   std::vector<std::string>& started) {
    Permit permit = co_await clerk.keeper().acquire("main", "m", needs);
    started.push_back(std::move(name));
    CallEnd end;
    end.sent = fleet.clock.now();
    permit.settle(end);
}

/// Blocks until Redis knows of so many calls that wait, so many of which have begun.
asio::awaitable<void> await_waiting(Fleet& fleet, std::uint64_t all, std::uint64_t urgent) {
    queue::LimitStats stats;
    for (int i = 0; i < 600 && (stats.unmet != all || stats.urgent != urgent); ++i) {
        co_await fleet.clock.wait_for(milliseconds(10));
        stats = (co_await fleet.clerks[0]->queue().stats(soon())).value().front();
    }
    EXPECT_EQ(stats.unmet, all);
    EXPECT_EQ(stats.urgent, urgent);
}

asio::awaitable<void> await_started(Fleet& fleet, const std::vector<std::string>& started,
                                    std::size_t count) {
    for (int i = 0; i < 1000 && started.size() < count; ++i)
        co_await fleet.clock.wait_for(milliseconds(10));
}

TEST(PermitKeeper, ACallThatHasBegunIsFinishedBeforeAnotherBegins) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.max_concurrent = 1});
        Fleet fleet(client, executor, 1, limits, {});
        Clerk& clerk = *fleet.clerks[0];
        Permit held = co_await clerk.keeper().acquire("main", "m", CallNeeds{});
        std::vector<std::string> started;
        const CallNeeds first;
        CallNeeds verdict;
        verdict.purpose = CallPurpose::verdict;
        CallNeeds retry;
        retry.is_retry = true;
        for (const char* name : {"first 1", "first 2"})
            fleet.tasks.spawn(call_by_name(fleet, clerk, first, name, started));
        co_await await_waiting(fleet, 2, 0);
        fleet.tasks.spawn(call_by_name(fleet, clerk, verdict, "verdict", started));
        co_await await_waiting(fleet, 3, 1);
        fleet.tasks.spawn(call_by_name(fleet, clerk, retry, "retry", started));
        co_await await_waiting(fleet, 4, 2);
        EXPECT_TRUE(started.empty());
        held = Permit();
        co_await await_started(fleet, started, 4);
        EXPECT_THAT(started, ElementsAre("retry", "verdict", "first 1", "first 2"));
        co_await close(fleet);
        EXPECT_EQ(fleet.failures, 0);
    });
}

TEST(PermitKeeper, ACallThatHasBegunGoesBeforeThoseOfOtherWorkersThatHaveNot) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.max_concurrent = 1});
        Fleet fleet(client, executor, 3, limits, {});
        Permit held = co_await fleet.clerks[0]->keeper().acquire("main", "m", CallNeeds{});
        std::vector<std::string> started;
        const CallNeeds first;
        CallNeeds retry;
        retry.is_retry = true;
        fleet.tasks.spawn(call_by_name(fleet, *fleet.clerks[1], first, "first", started));
        co_await await_waiting(fleet, 1, 0);
        fleet.tasks.spawn(call_by_name(fleet, *fleet.clerks[2], retry, "retry", started));
        co_await await_waiting(fleet, 2, 1);
        held = Permit();
        co_await await_started(fleet, started, 2);
        EXPECT_THAT(started, ElementsAre("retry", "first"));
        co_await close(fleet);
        EXPECT_EQ(fleet.failures, 0);
    });
}

TEST(PermitKeeper, FewerCallsAtOnceThanWorkersGoRound) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.max_concurrent = 1});
        Fleet fleet(client, executor, 3, limits, {});
        std::vector<int> calls(3);
        Counter provider;
        // Two workers never stop asking; the third wants a single turn.
        for (std::size_t i = 0; i < 2; ++i)
            for (int j = 0; j < 3; ++j)
                fleet.tasks.spawn(keep_calling(fleet, *fleet.clerks[i], provider, milliseconds(5)));
        fleet.tasks.spawn(call_once(fleet, *fleet.clerks[2], calls[2]));
        for (int i = 0; i < 600 && calls[2] == 0; ++i)
            co_await fleet.clock.wait_for(milliseconds(50));
        EXPECT_EQ(calls[2], 1);
        EXPECT_EQ(provider.peak(), 1U);
        co_await close(fleet);
    });
}

TEST(PermitKeeper, GivesBackWhatADeadWorkerHeld) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.max_concurrent = 4});
        const queue::WindowTerms terms{milliseconds(60'000), milliseconds(1'500),
                                       milliseconds(1'000)};
        queue::PermitAsk all;
        all.in_use = 4;
        Fleet fleet(client, executor, 2, limits, terms);
        // The first worker said that it uses all, and is never heard of again.
        (void)(co_await fleet.clerks[0]->queue().ask(key_of(limits), terms, all, soon())).value();
        int calls = 0;
        for (int i = 0; i < 4; ++i)
            fleet.tasks.spawn(call_once(fleet, *fleet.clerks[1], calls));
        for (int i = 0; i < 600 && calls < 4; ++i)
            co_await fleet.clock.wait_for(milliseconds(50));
        EXPECT_EQ(calls, 4);
        co_await close(fleet);
    });
}

TEST(PermitKeeper, ARefusalOfOneWorkersCallPausesAll) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.rpm = 100'000});
        Fleet fleet(client, executor, 2, limits, {});
        Permit permit = co_await fleet.clerks[0]->keeper().acquire("main", "m", CallNeeds{});
        CallEnd refused;
        refused.kind = CallEnd::Kind::throttled;
        refused.sent = fleet.clock.now();
        refused.rest = milliseconds(50'000);
        permit.settle(refused);
        queue::LimitStats stats;
        for (int i = 0; i < 600 && stats.paused.count() == 0; ++i) {
            stats = (co_await fleet.clerks[1]->queue().stats(soon())).value().front();
            co_await fleet.clock.wait_for(milliseconds(20));
        }
        EXPECT_GT(stats.paused, milliseconds(30'000));
        const async::TimePoint short_wait = fleet.clock.now() + milliseconds(500);
        const auto other =
            co_await fleet.clerks[1]->acquire_until(CallNeeds{}, fleet.clock, short_wait);
        EXPECT_FALSE(other);
        fleet.clerks[1]->keeper().collect();
        EXPECT_THAT(fleet.clerks[1]->registry().text(),
                    HasSubstr("evalfleet_worker_permit_paused_seconds{provider=\"main\"}"));
        co_await close(fleet);
    });
}

TEST(PermitKeeper, WithoutRedisUsesWhatItHoldsAndThenWaitsUntilItIsBack) {
    testing::RedisServer server;
    Scene scene = [&server](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.max_concurrent = 3});
        const queue::WindowTerms terms{milliseconds(60'000), milliseconds(1'500),
                                       milliseconds(1'500)};
        Fleet fleet(client, executor, 1, limits, terms);
        PermitKeeper& keeper = fleet.clerks[0]->keeper();
        Permit held = co_await keeper.acquire("main", "m", CallNeeds{});
        server.kill();
        co_await fleet.clock.wait_for(terms.lease + milliseconds(100));
        const async::TimePoint short_wait = fleet.clock.now() + milliseconds(300);
        const auto none =
            co_await fleet.clerks[0]->acquire_until(CallNeeds{}, fleet.clock, short_wait);
        EXPECT_FALSE(none) << "what it held may be somebody else's by now";
        server.restart();
        Permit again = co_await keeper.acquire("main", "m", CallNeeds{});
        std::uint64_t fleet_held = 0;
        for (int i = 0; i < 600 && fleet_held < 2; ++i) {
            const auto stats = co_await fleet.clerks[0]->queue().stats(soon());
            fleet_held = stats && !stats->empty() ? stats->front().held : 0;
            co_await fleet.clock.wait_for(milliseconds(20));
        }
        EXPECT_EQ(fleet_held, 2U) << "the call that went on all the time is counted again";
        CallEnd end;
        end.sent = fleet.clock.now();
        held.settle(end);
        again.settle(end);
        co_await close(fleet);
    };
    play(server, scene);
}

TEST(PermitKeeper, ACancelledWaitLeavesNothingBehind) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({.max_concurrent = 1});
        Fleet fleet(client, executor, 1, limits, {});
        PermitKeeper& keeper = fleet.clerks[0]->keeper();
        Permit held = co_await keeper.acquire("main", "m", CallNeeds{});
        for (int i = 0; i < 20; ++i) {
            const async::TimePoint short_wait = fleet.clock.now() + milliseconds(i);
            const auto other =
                co_await fleet.clerks[0]->acquire_until(CallNeeds{}, fleet.clock, short_wait);
            EXPECT_FALSE(other);
        }
        held = Permit();
        Permit next = co_await keeper.acquire("main", "m", CallNeeds{});
        next = Permit();
        co_await close(fleet);
        const auto stats = (co_await fleet.clerks[0]->queue().stats(soon())).value();
        EXPECT_EQ(stats.front().held, 0U);
    });
}

/// The share of the next so many calls that is refused.
asio::awaitable<double> refused_share(Fleet& fleet, const Counter& provider, std::size_t calls) {
    const std::size_t arrived = provider.arrivals().size();
    const std::size_t refused = provider.count_refused();
    for (int i = 0; i < 3000 && provider.arrivals().size() < arrived + calls; ++i)
        co_await fleet.clock.wait_for(milliseconds(10));
    co_return static_cast<double>(provider.count_refused() - refused) /
        static_cast<double>(provider.arrivals().size() - arrived);
}

TEST(PermitKeeper, FeelsForTheLimitOfAProviderThatNamesNone) {
    const testing::RedisServer server;
    play(server, [](redis::Client& client) -> asio::awaitable<void> {
        const auto executor = co_await asio::this_coro::executor;
        const auto limits = with_limits({});
        Fleet fleet(client, executor, 3, limits, {});
        Counter provider(30);
        for (const auto& clerk : fleet.clerks)
            for (int i = 0; i < 30; ++i)
                fleet.tasks.spawn(keep_calling(fleet, *clerk, provider, milliseconds(40)));
        for (int i = 0; i < 3000 && provider.count_refused() == 0; ++i)
            co_await fleet.clock.wait_for(milliseconds(10));
        EXPECT_EQ(provider.peak(), 30U) << "it found the limit, from 1 on";
        double share = 1;
        for (int i = 0; i < 20 && share > 0.05; ++i)
            share = co_await refused_share(fleet, provider, 500);
        EXPECT_LE(share, 0.05) << "and stays near it";
        const auto stats = (co_await fleet.clerks[0]->queue().stats(soon())).value();
        EXPECT_GT(stats.front().calls, 15);
        EXPECT_LT(stats.front().calls, 60);
        EXPECT_GT(stats.front().refused, 0U);
        EXPECT_FALSE(stats.front().reason.empty());
        co_await close(fleet);
        EXPECT_EQ(fleet.failures, 0);
    });
}

}  // namespace
}  // namespace evalfleet::worker
