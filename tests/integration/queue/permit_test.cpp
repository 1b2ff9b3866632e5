#include "tests/integration/queue/asker.hpp"

namespace evalfleet::queue {
namespace {

namespace asio = boost::asio;
using std::chrono::milliseconds;

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
        PermitAsk used = Asker::make_ask(0, 1, 0);
        used.amendments = {{answer.bucket, 0, -300}};
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

TEST(PermitWindow, KeepsRoomForCallsOfOtherWorkersThatHaveBegun) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .rpm = 3};
        Asker many(queues, "w1", key);
        Asker begun(queues, "w2", key);
        const PermitAnswer first = co_await many.wish(3);
        EXPECT_EQ(first.granted, 3U);
        const PermitAnswer waits = co_await begun.wish(1, 0, 1);
        EXPECT_EQ(waits.granted, 0U);
        EXPECT_GT(waits.wait, milliseconds(0));
        // Two requests are given back.
        PermitAsk more = Asker::make_ask(0, 3, 0);
        more.amendments = {{first.bucket, -2, 0}};
        more.wishes = {0, 0, 0};
        EXPECT_EQ((co_await many.ask(std::move(more))).granted, 1U)
            << "the other is for the call that has begun";
        EXPECT_EQ((co_await begun.wish(1, 0, 1)).granted, 1U);
        PermitAsk again = Asker::make_ask(0, 1, 0);
        again.amendments = {{first.bucket, -1, 0}};
        again.wishes = {0};
        EXPECT_EQ((co_await many.ask(std::move(again))).granted, 1U) << "nobody else waits now";
    });
}

TEST(PermitWindow, KeepsRoomForTheTokensOfOtherWorkersCallsThatHaveBegun) {
    play_queue([](Queues& queues) -> asio::awaitable<void> {
        const LimitKey key{.name = "k", .tpm = 1000};
        Asker many(queues, "w1", key);
        Asker begun(queues, "w2", key);
        const PermitAnswer first = co_await many.wish(2, 500);
        EXPECT_EQ(first.granted, 2U);
        EXPECT_EQ((co_await begun.wish(1, 500, 1)).granted, 0U);
        PermitAsk more = Asker::make_ask(0, 1, 0);
        more.amendments = {{first.bucket, 0, -500}};
        more.wishes = {500};
        EXPECT_EQ((co_await many.ask(std::move(more))).granted, 0U);
        EXPECT_EQ((co_await begun.wish(1, 500, 1)).granted, 1U);
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
        PermitAsk shorter = Asker::make_ask(0, 2, 0);
        shorter.pause = milliseconds(1);
        shorter.wishes = {0, 0};
        const PermitAnswer answer = co_await second.ask(std::move(shorter));
        EXPECT_EQ(answer.granted, 0U);
        EXPECT_GT(answer.paused, milliseconds(200'000));
        EXPECT_EQ(answer.wait, answer.paused);
        EXPECT_GT((co_await second.stats()).paused, milliseconds(200'000));
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
