#include "tests/integration/queue/asker.hpp"

namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

TEST(PermitShares, GivesWhatIsWantedUpToTheLimit) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 5};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        EXPECT_EQ((co_await first.use(0, 3)).allowed, 3U);
        EXPECT_EQ((co_await first.use(0, 3)).allowed, 3U) << "the reply was lost: asked again";
        const PermitAnswer rest = co_await second.use(0, 3);
        EXPECT_EQ(rest.allowed, 2U);
        EXPECT_EQ(rest.fleet_held, 5U);
        const LimitStats stats = co_await first.stats();
        EXPECT_EQ(stats.key, "k");
        EXPECT_EQ(stats.held, 5U);
        EXPECT_EQ(stats.unmet, 1U);
        EXPECT_EQ(stats.workers, 2U);
        EXPECT_EQ((co_await first.use(1, 0)).allowed, 1U);
        EXPECT_EQ((co_await second.use(2, 2)).allowed, 4U);
    });
}

TEST(PermitShares, ForgetsAWorkerThatUsesAndWantsNothing) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 5};
        Asker asker(queues, "w", key);
        (void)co_await asker.use(0, 9);
        (void)co_await asker.use(5, 4);
        (void)co_await asker.use(0, 0);
        const LimitStats stats = co_await asker.stats();
        EXPECT_EQ(stats.held, 0U);
        EXPECT_EQ(stats.unmet, 0U);
        EXPECT_EQ(stats.workers, 0U);
    });
}

TEST(PermitShares, TakesBackWhatADeadWorkerHeldWhenItsLeaseIsOver) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 5};
        Asker dead(queues, "w1", key);
        dead.terms.lease = kNoLease;
        Asker living(queues, "w2", key);
        EXPECT_EQ((co_await dead.use(4, 2)).allowed, 5U);
        const PermitAnswer answer = co_await living.use(0, 5);
        EXPECT_EQ(answer.allowed, 5U);
        EXPECT_EQ(answer.fleet_held, 5U);
        EXPECT_EQ((co_await living.stats()).workers, 1U);
    });
}

TEST(PermitShares, CountsWhatIsUnderWayEvenBeyondTheLimit) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 2};
        Asker asker(queues, "w", key);
        const PermitAnswer answer = co_await asker.use(6, 1);
        EXPECT_EQ(answer.allowed, 6U) << "Redis had forgotten us: calls under way go on";
        EXPECT_EQ(answer.fleet_held, 6U);
    });
}

TEST(PermitShares, LetsNobodyGrowBeyondAnEvenShareWhileOthersWait) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 10};
        Asker rich(queues, "w1", key);
        Asker poor(queues, "w2", key);
        EXPECT_EQ((co_await rich.use(0, 20)).allowed, 10U);
        EXPECT_EQ((co_await poor.use(0, 20)).allowed, 0U);
        const PermitAnswer shrunk = co_await rich.use(7, 13);
        EXPECT_EQ(shrunk.allowed, 7U) << "three calls ended and are not started again";
        EXPECT_EQ(shrunk.target, 5U) << "nor are two of those that are under way";
        EXPECT_EQ((co_await poor.use(0, 20)).allowed, 3U);
        EXPECT_EQ((co_await rich.use(3, 17)).allowed, 5U);
        const PermitAnswer even = co_await poor.use(3, 17);
        EXPECT_EQ(even.allowed, 5U);
        EXPECT_EQ(even.target, 5U);
    });
}

/// Asks until the worker must give up a place that it uses, and for how long it could keep it.
asio::awaitable<milliseconds> time_of_turn(Asker& asker) {
    const PermitAnswer begin = co_await asker.use(1, 4);
    EXPECT_EQ(begin.allowed, 1U);
    EXPECT_EQ(begin.target, 1U) << "its turn has just begun";
    PermitAnswer answer = begin;
    for (int i = 0; i < 2000 && answer.target == 1; ++i) {
        co_await async::SystemClock().wait_for(milliseconds(5));
        answer = co_await asker.use(1, 4);
    }
    EXPECT_EQ(answer.allowed, 1U) << "a call that is under way goes on";
    EXPECT_EQ(answer.target, 0U);
    co_return answer.server_now - begin.server_now;
}

TEST(PermitShares, GoRoundWhereThereAreFewerThanWorkers) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 1};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        EXPECT_EQ((co_await first.use(0, 5)).allowed, 1U);
        EXPECT_EQ((co_await second.use(0, 5)).allowed, 0U);
        EXPECT_GE(co_await time_of_turn(first), milliseconds(1'000));
        EXPECT_EQ((co_await first.use(0, 4)).allowed, 0U) << "its call ended: another's turn";
        EXPECT_EQ((co_await second.use(0, 5)).allowed, 1U);
    });
}

TEST(PermitShares, GoRoundSoonerWhereACallThatHasBegunWaits) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 1};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        EXPECT_EQ((co_await first.use(0, 5)).allowed, 1U);
        EXPECT_EQ((co_await second.use(0, 1, 1)).allowed, 0U);
        EXPECT_GE(co_await time_of_turn(first), milliseconds(200));
    });
}

TEST(PermitShares, GiveAPlaceThatIsFreedToACallThatHasBegunWhicheverWorkerHasIt) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 2};
        Asker busy(queues, "w1", key);
        Asker begun(queues, "w2", key);
        Asker fresh(queues, "w3", key);
        EXPECT_EQ((co_await busy.use(0, 7)).allowed, 2U);
        EXPECT_EQ((co_await fresh.use(0, 3)).allowed, 0U) << "it has waited for longest";
        EXPECT_EQ((co_await begun.use(0, 1, 1)).allowed, 0U);
        EXPECT_EQ((co_await fresh.stats()).urgent, 1U);
        EXPECT_EQ((co_await busy.use(1, 5)).allowed, 1U) << "one ended and no other starts";
        EXPECT_EQ((co_await fresh.use(0, 3)).allowed, 0U) << "the place is kept";
        const PermitAnswer answer = co_await begun.use(0, 1, 1);
        EXPECT_EQ(answer.allowed, 1U);
        EXPECT_EQ(answer.target, 1U);
        const LimitStats stats = co_await fresh.stats();
        EXPECT_EQ(stats.urgent, 0U);
        EXPECT_EQ(stats.held, 2U);
    });
}

TEST(PermitShares, AreEvenWhereAllCallsHaveBegunAndNoneIsHeldInVain) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 3};
        Asker rich(queues, "w1", key);
        Asker poor(queues, "w2", key);
        Asker late(queues, "w3", key);
        EXPECT_EQ((co_await rich.use(0, 6, 6)).allowed, 3U);
        EXPECT_EQ((co_await poor.use(0, 6, 6)).allowed, 0U);
        EXPECT_EQ((co_await late.use(0, 6, 6)).allowed, 0U);
        const PermitAnswer shrunk = co_await rich.use(1, 5, 5);
        EXPECT_EQ(shrunk.allowed, 1U) << "two calls ended: their places are the others'";
        EXPECT_EQ(shrunk.target, 1U);
        EXPECT_EQ((co_await poor.use(0, 6, 6)).allowed, 1U);
        EXPECT_EQ((co_await late.use(0, 6, 6)).allowed, 1U);
    });
}

TEST(PermitShares, OfAWorkerThatAnOlderVersionKnewAreReadAndEnd) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 5};
        const std::string base = queues.keys.base();
        redis::Command hold("HSET", base + ":hold:k", "old", "3,2");
        (co_await queues.client.execute(std::move(hold), soon())).value();
        redis::Command sums("HSET", base + ":lim:k", "held", "3", "unmet", "2");
        (co_await queues.client.execute(std::move(sums), soon())).value();
        redis::Command lease("ZADD", base + ":holders:k", "1", "old");
        (co_await queues.client.execute(std::move(lease), soon())).value();
        Asker asker(queues, "w", key);
        const PermitAnswer answer = co_await asker.use(0, 5);
        EXPECT_EQ(answer.allowed, 5U) << "its lease is over";
        const LimitStats stats = co_await asker.stats();
        EXPECT_EQ(stats.held, 5U);
        EXPECT_EQ(stats.unmet, 0U);
    });
}

TEST(PermitShares, SayHowManyCallsAreAtTheProvider) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 9};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        PermitAsk cooling = Asker::make_ask(3, 0, 0);
        cooling.running = 2;  // the place of a third one cools down
        (void)co_await first.ask(std::move(cooling));
        const PermitAnswer answer = co_await second.use(4, 1);
        EXPECT_EQ(answer.fleet_running, 6U);
        EXPECT_EQ(answer.fleet_held, 8U);
        EXPECT_EQ((co_await first.stats()).running, 6U);
    });
}

TEST(PermitLearnt, BeginsWithTheFirstCallsAndTakesAProposalMadeFromTheLatestVersion) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k"};
        Asker asker(queues, "w", key);
        PermitAsk begin = Asker::make_ask(0, 10, 0);
        begin.first_calls = 3;
        PermitAnswer answer = co_await asker.ask(begin);
        EXPECT_EQ(answer.allowed, 3U);
        EXPECT_EQ(answer.shared, SharedLimit());
        begin.proposal = SharedLimit{0, "s1", 6.75, 12.5};
        begin.reason = "refused: 9 of 20";
        answer = co_await asker.ask(begin);
        EXPECT_EQ(answer.shared, (SharedLimit{1, "s1", 6.75, 12.5}));
        EXPECT_EQ(answer.allowed, 6U);
        begin.proposal = SharedLimit{0, "late", 99, 0};
        begin.reason = "late";
        answer = co_await asker.ask(begin);
        EXPECT_EQ(answer.shared, (SharedLimit{1, "s1", 6.75, 12.5})) << "somebody was faster";
        begin.proposal = SharedLimit{1, "s2", 6.75, 12.5};
        begin.reason = "";
        answer = co_await asker.ask(begin);
        EXPECT_EQ(answer.shared, (SharedLimit{2, "s2", 6.75, 12.5}));
        const LimitStats stats = co_await asker.stats();
        EXPECT_EQ(stats.calls, 6.75);
        EXPECT_EQ(stats.rate, 12.5);
        EXPECT_EQ(stats.reason, "refused: 9 of 20") << "nothing worth telling changed since";
    });
}

TEST(PermitLearnt, NeverExceedsWhatIsConfigured) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 4};
        Asker asker(queues, "w", key);
        PermitAsk ask = Asker::make_ask(0, 10, 0);
        ask.proposal = SharedLimit{0, "s", 50, 0};
        EXPECT_EQ((co_await asker.ask(std::move(ask))).allowed, 4U);
    });
}

TEST(PermitLearnt, WhatCallsToldIsAddedUpAndHandedToOneWorkerATick) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k"};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        PermitAsk told = Asker::make_ask(1, 0, 0);
        told.sums = "6,900,900,900";
        const PermitAnswer begin = co_await first.ask(told);
        told.sums = "7,5,1,2.5";
        EXPECT_EQ((co_await first.ask(told)).sums, "") << "a later epoch: the earlier one is over";
        told.sums = "6,900,900,900";
        EXPECT_EQ((co_await second.ask(told)).sums, "");
        EXPECT_EQ(begin.sums, "");
        EXPECT_EQ(begin.elapsed, milliseconds(0));
        told.sums = "7,3,10,20";
        EXPECT_EQ((co_await second.ask(told)).sums, "");
        told.sums = "";
        told.tick = milliseconds(1);
        PermitAnswer answer;
        for (int i = 0; i < 1000 && answer.elapsed.count() == 0; ++i)
            answer = co_await second.ask(told);
        EXPECT_EQ(answer.sums, "7,5,11,22.5") << "of the second number the larger one";
        EXPECT_GE(answer.elapsed, milliseconds(1));
        EXPECT_LE(answer.elapsed, answer.server_now - begin.server_now);
        told.tick = kLong;
        const PermitAnswer next = co_await first.ask(told);
        EXPECT_EQ(next.elapsed, milliseconds(0)) << "it was handed out";
        EXPECT_EQ(next.sums, "");
    });
}

TEST(PermitLearnt, CountsCallsThatWereRefused) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k"};
        Asker asker(queues, "w", key);
        PermitAsk ask = Asker::make_ask(1, 0, 0);
        ask.refused = 3;
        (void)co_await asker.ask(ask);
        (void)co_await asker.ask(ask);
        const LimitStats stats = co_await asker.stats();
        EXPECT_EQ(stats.refused, 6U);
        EXPECT_LT(stats.since_refusal, milliseconds(60'000));
    });
}

/// Proposes a learnt rate, and uses up what may go at once.
asio::awaitable<PermitAnswer> learn_rate(Asker& asker, double rate) {
    PermitAsk ask = Asker::make_ask(0, 9, 0);
    ask.proposal = SharedLimit{0, "s", 1000, rate};
    ask.wishes.assign(9, 0);
    return asker.ask(std::move(ask));
}

TEST(PermitRate, LetsCallsGoNoFasterThanItWasLearnt) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k"};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        const PermitAnswer begin = co_await learn_rate(first, 20);
        EXPECT_EQ(begin.granted, 4U) << "what the rate comes to in a fifth of a second";
        EXPECT_GT(begin.wait, milliseconds(0));
        EXPECT_LE(begin.wait, milliseconds(50)) << "until there is one more";
        std::uint64_t granted = 0;
        PermitAnswer answer;
        while (granted < 10) {
            co_await async::SystemClock().wait_for(milliseconds(10));
            answer = co_await (granted % 2 == 0 ? first : second).wish(9);
            granted += answer.granted;
            const double passed_ms =
                static_cast<double>((answer.server_now - begin.server_now).count());
            EXPECT_LE(static_cast<double>(granted), 1 + passed_ms * 20 / 1000);
        }
    });
}

TEST(PermitRate, GoesToCallsThatHaveBegunFirstWhicheverWorkerHasThem) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k"};
        Asker many(queues, "w1", key);
        Asker begun(queues, "w2", key);
        EXPECT_EQ((co_await learn_rate(many, 4)).granted, 1U);
        EXPECT_EQ((co_await begun.wish(1, 0, 1)).granted, 0U) << "there is none left yet";
        // However long the one with first attempts asks.
        for (int i = 0; i < 40; ++i) {
            co_await async::SystemClock().wait_for(milliseconds(10));
            EXPECT_EQ((co_await many.wish(9)).granted, 0U);
        }
        EXPECT_EQ((co_await begun.wish(1, 0, 1)).granted, 1U);
        PermitAnswer answer;
        for (int i = 0; i < 1000 && answer.granted == 0; ++i) {
            co_await async::SystemClock().wait_for(milliseconds(10));
            answer = co_await many.wish(1);
        }
        EXPECT_EQ(answer.granted, 1U) << "nobody else waits now";
    });
}

}  // namespace
}  // namespace evalfleet::queue
