#include "common/queue/permit_queue.hpp"
#include "tests/integration/queue/queue_scenario.hpp"

namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

constexpr milliseconds kLong{600'000};  // a window that no test sees the end of

/// One worker's dealings with one limit key.
struct Asker {
    Asker(Queues& queues, const std::string& name, LimitKey key_)
        : queue(queues.functions, queues.keys, name), key(std::move(key_)) {}

    asio::awaitable<PermitAnswer> ask(PermitAsk what) {
        co_return (co_await queue.ask(key, terms, std::move(what), soon())).value();
    }
    /// Wants so many requests of so many tokens each.
    asio::awaitable<PermitAnswer> wish(std::size_t count, std::int64_t tokens = 0) {
        PermitAsk what;
        what.wanted = count;
        what.wishes.assign(count, tokens);
        return ask(std::move(what));
    }
    /// Has so many calls under way and wants so many more.
    asio::awaitable<PermitAnswer> use(std::uint64_t in_use, std::uint64_t wanted) {
        PermitAsk what;
        what.in_use = in_use;
        what.wanted = wanted;
        return ask(std::move(what));
    }
    asio::awaitable<LimitStats> stats() {
        auto all = (co_await queue.stats(soon())).value();
        co_return all.empty() ? LimitStats{} : all.front();
    }

    PermitQueue queue;
    LimitKey key;
    WindowTerms terms{kLong, milliseconds(1'000), milliseconds(60'000)};
};

TEST(PermitWindow, GrantsUpToTheLimitToAllWorkersTogetherAndSaysWhenToAskAgain) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .rpm = 5};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        const PermitAnswer some = co_await first.wish(3);
        EXPECT_EQ(some.granted, 3U);
        EXPECT_EQ(some.wait, milliseconds(0));
        EXPECT_EQ(some.fleet_requests, 3U);
        const PermitAnswer rest = co_await second.wish(1);
        EXPECT_EQ(rest.granted, 1U);
        EXPECT_GE(rest.bucket, some.bucket);
        first.terms.window = kLong;
        const PermitAnswer last = co_await first.wish(1);
        // Four in one bucket is the pace; the fifth may have to wait for the next bucket.
        if (last.granted == 0) {
            EXPECT_LE(last.wait, milliseconds(2'500));
        }
        PermitAnswer none = last;
        for (int i = 0; i < 100 && none.fleet_requests < 5; ++i) {
            co_await async::SystemClock().wait_for(milliseconds(50));
            none = co_await second.wish(1);
        }
        none = co_await second.wish(1);
        EXPECT_EQ(none.granted, 0U);
        EXPECT_EQ(none.fleet_requests, 5U);
        EXPECT_GT(none.wait, milliseconds(500'000)) << "until the first one falls out";
    });
}

TEST(PermitWindow, SpreadsABurstOverTheWindow) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .rpm = 960};
        Asker asker(queues, "w", key);
        const PermitAnswer answer = co_await asker.wish(60);
        EXPECT_EQ(answer.granted, 8U) << "twice the pace of the limit";
        EXPECT_GT(answer.wait, milliseconds(0));
        EXPECT_LE(answer.wait, milliseconds(2'500)) << "the next bucket";
    });
}

TEST(PermitWindow, GrantsAgainOnceTheWindowHasPassed) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .rpm = 2};
        Asker asker(queues, "w", key);
        asker.terms.window = milliseconds(300);
        asker.terms.margin = milliseconds(100);
        const PermitAnswer first = co_await asker.wish(2);
        EXPECT_EQ(first.granted, 2U);
        PermitAnswer again = co_await asker.wish(2);
        for (int i = 0; i < 1000 && again.granted == 0; ++i) {
            EXPECT_GT(again.wait, milliseconds(0));
            co_await async::SystemClock().wait_for(again.wait);
            again = co_await asker.wish(2);
        }
        EXPECT_GT(again.granted, 0U);
        EXPECT_GE(again.server_now - first.server_now, milliseconds(400))
            << "a request counts for the window and the margin";
    });
}

TEST(PermitWindow, CountsNothingThatWasGivenBackUnused) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .rpm = 3, .tpm = 1000};
        Asker asker(queues, "w", key);
        const PermitAnswer answer = co_await asker.wish(3, 100);
        EXPECT_EQ(answer.granted, 3U);
        EXPECT_EQ(answer.fleet_tokens, 300U);
        PermitAsk back;
        back.amendments = {{answer.bucket, -1, -100}, {answer.bucket - 5000, -1, -100}};
        PermitAnswer after = co_await asker.ask(std::move(back));
        EXPECT_EQ(after.fleet_requests, 2U) << "a bucket that is not counted is left alone";
        EXPECT_EQ(after.fleet_tokens, 200U);
        PermitAsk late;
        late.amendments = {{answer.bucket + 5000, 1, 7}};
        after = co_await asker.ask(std::move(late));
        EXPECT_EQ(after.fleet_requests, 3U) << "one that has not come yet is the newest";
        EXPECT_EQ(after.fleet_tokens, 207U);
        PermitAsk too_much;
        too_much.amendments = {{answer.bucket, -50, -50'000}};
        const PermitAnswer empty = co_await asker.ask(std::move(too_much));
        EXPECT_EQ(empty.fleet_requests, 0U) << "never below nothing";
        EXPECT_EQ(empty.fleet_tokens, 0U);
    });
}

TEST(PermitWindow, BillsTokensByEstimateAndCorrectsThemByUsage) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .tpm = 1000};
        Asker asker(queues, "w", key);
        PermitAnswer answer = co_await asker.wish(3, 400);
        EXPECT_EQ(answer.granted, 2U);
        EXPECT_GT(answer.wait, milliseconds(0));
        PermitAsk used;
        used.amendments = {{answer.bucket, 0, -300}};
        used.wanted = 1;
        used.wishes = {400};
        answer = co_await asker.ask(std::move(used));
        EXPECT_EQ(answer.granted, 1U) << "the first call took 100 tokens only";
        PermitAsk more;
        more.amendments = {{answer.bucket, 0, 500}};
        answer = co_await asker.ask(std::move(more));
        EXPECT_EQ(answer.fleet_tokens, 1400U) << "what was used is counted, whatever the limit";
    });
}

TEST(PermitWindow, LetsACallLargerThanTheWholeLimitGoAlone) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .tpm = 1000};
        Asker asker(queues, "w", key);
        const PermitAnswer answer = co_await asker.wish(2, 5000);
        EXPECT_EQ(answer.granted, 1U);
        EXPECT_EQ(answer.fleet_tokens, 1000U);
    });
}

TEST(PermitWindow, CountsEverythingAsOfNowWhenItsLengthChanges) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .rpm = 4};
        Asker asker(queues, "w", key);
        EXPECT_EQ((co_await asker.wish(4)).granted, 4U);
        asker.terms.window = kLong / 2;
        const PermitAnswer answer = co_await asker.wish(1);
        EXPECT_EQ(answer.granted, 0U);
        EXPECT_EQ(answer.fleet_requests, 4U);
    });
}

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
        EXPECT_FALSE(shrunk.keep);
        EXPECT_EQ((co_await poor.use(0, 20)).allowed, 3U);
        EXPECT_EQ((co_await rich.use(3, 17)).allowed, 5U);
        const PermitAnswer even = co_await poor.use(3, 17);
        EXPECT_EQ(even.allowed, 5U);
        EXPECT_TRUE(even.keep);
    });
}

TEST(PermitShares, GoRoundWhereThereAreFewerThanWorkers) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .max_concurrent = 1};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        EXPECT_EQ((co_await first.use(0, 5)).allowed, 1U);
        EXPECT_EQ((co_await second.use(0, 5)).allowed, 0U);
        EXPECT_FALSE((co_await first.use(1, 4)).keep);
        EXPECT_EQ((co_await first.use(0, 4)).allowed, 0U) << "its call ended: another's turn";
        EXPECT_EQ((co_await second.use(0, 5)).allowed, 1U);
    });
}

TEST(PermitPause, StopsEverybodyAndOnlyALongerOneProlongsIt) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .rpm = 100};
        Asker first(queues, "w1", key);
        Asker second(queues, "w2", key);
        PermitAsk stop;
        stop.pause = milliseconds(300'000);
        EXPECT_GT((co_await first.ask(std::move(stop))).paused, milliseconds(200'000));
        PermitAsk shorter;
        shorter.pause = milliseconds(1);
        shorter.wanted = 2;
        shorter.wishes = {0, 0};
        const PermitAnswer answer = co_await second.ask(std::move(shorter));
        EXPECT_EQ(answer.granted, 0U);
        EXPECT_GT(answer.paused, milliseconds(200'000));
        EXPECT_EQ(answer.wait, answer.paused);
        EXPECT_GT((co_await second.stats()).paused, milliseconds(200'000));
    });
}

TEST(PermitAdaptive, BeginsWithTheFirstLimitAndTakesAProposalMadeFromTheLatestVersion) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k"};
        Asker asker(queues, "w", key);
        PermitAsk begin;
        begin.first_limit = 3;
        begin.wanted = 10;
        PermitAnswer answer = co_await asker.ask(begin);
        EXPECT_EQ(answer.allowed, 3U);
        EXPECT_EQ(answer.shared, SharedLimit());
        begin.proposal = SharedLimit{0, "s1", 6.75};
        answer = co_await asker.ask(begin);
        EXPECT_EQ(answer.shared, (SharedLimit{1, "s1", 6.75}));
        EXPECT_EQ(answer.allowed, 6U);
        begin.proposal = SharedLimit{0, "late", 99};
        answer = co_await asker.ask(begin);
        EXPECT_EQ(answer.shared, (SharedLimit{1, "s1", 6.75})) << "somebody was faster";
        EXPECT_EQ((co_await asker.stats()).limit, 6.75);
    });
}

TEST(PermitQueueErrors, AreTheServersOwn) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        std::vector<std::string> keys{queues.keys.base()};
        std::vector<std::string> arguments{"k"};
        const auto reply = co_await queues.functions.call("ef1_permit", std::move(keys),
                                                          std::move(arguments), soon());
        EXPECT_FALSE(reply);
    });
}

}  // namespace
}  // namespace evalfleet::queue
