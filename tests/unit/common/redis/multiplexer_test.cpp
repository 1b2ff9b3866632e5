#include "common/redis/multiplexer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace evalfleet::redis {
namespace {

using State = Multiplexer::State;
using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr async::TimePoint kStart{std::chrono::hours(1)};

Multiplexer::Id add(Multiplexer& multiplexer, std::string wire, std::size_t replies = 1,
                    async::TimePoint deadline = async::kNever) {
    return multiplexer.add(std::move(wire), replies, deadline).value();
}

std::string take(Multiplexer& multiplexer) {
    std::string wire;
    multiplexer.take_batch(wire);
    return wire;
}

/// Feeds a reply that completes a request, and returns who got it.
Multiplexer::Finished answer(Multiplexer& multiplexer, std::string text) {
    return multiplexer.on_reply(Reply::string(std::move(text))).value().value();
}

/// Feeds a reply that completes nothing anybody waits for.
void answer_unheard(Multiplexer& multiplexer) {
    ASSERT_FALSE(multiplexer.on_reply(Reply::string("late")).value().has_value());
}

TEST(Multiplexer, GivesRepliesToRequestsInTheOrderOfWriting) {
    Multiplexer multiplexer({});
    const auto first = add(multiplexer, "a");
    const auto second = add(multiplexer, "b");
    EXPECT_EQ(take(multiplexer), "ab");

    const auto one = answer(multiplexer, "1");
    EXPECT_EQ(one.id, first);
    EXPECT_EQ(one.outcome->front().text(), "1");
    EXPECT_EQ(answer(multiplexer, "2").id, second);
    EXPECT_EQ(multiplexer.count_unanswered(), 0U);
}

TEST(Multiplexer, WalksThroughItsStates) {
    Multiplexer multiplexer({});
    const auto id = add(multiplexer, "a");
    EXPECT_EQ(multiplexer.state_of(id), State::waiting);
    take(multiplexer);
    EXPECT_EQ(multiplexer.state_of(id), State::written);
    multiplexer.abandon(id);
    EXPECT_EQ(multiplexer.state_of(id), State::abandoned);
    answer_unheard(multiplexer);
    EXPECT_EQ(multiplexer.state_of(id), State::done);
}

TEST(Multiplexer, CollectsAllRepliesOfAPipelineBeforeItReports) {
    Multiplexer multiplexer({});
    const auto id = add(multiplexer, "abc", 3);
    take(multiplexer);
    EXPECT_FALSE(multiplexer.on_reply(Reply::integer(1)).value().has_value());
    EXPECT_FALSE(multiplexer.on_reply(Reply::integer(2)).value().has_value());
    const auto finished = multiplexer.on_reply(Reply::integer(3)).value().value();
    EXPECT_EQ(finished.id, id);
    EXPECT_THAT(*finished.outcome, SizeIs(3));
}

TEST(Multiplexer, NeverWritesARequestThatWasAbandonedWhileWaiting) {
    Multiplexer multiplexer({});
    const auto first = add(multiplexer, "a");
    add(multiplexer, "b");
    multiplexer.abandon(first);
    EXPECT_EQ(multiplexer.state_of(first), State::done);
    EXPECT_EQ(take(multiplexer), "b");
}

TEST(Multiplexer, DropsTheLateReplyOfAnAbandonedRequest) {
    Multiplexer multiplexer({});
    const auto first = add(multiplexer, "a");
    const auto second = add(multiplexer, "b");
    take(multiplexer);
    multiplexer.abandon(first);
    answer_unheard(multiplexer);
    EXPECT_EQ(answer(multiplexer, "for b").id, second);
    EXPECT_EQ(multiplexer.count_late_replies(), 1U);
}

TEST(Multiplexer, DropsWhatIsLeftOfAPipelineThatIsAbandonedHalfway) {
    Multiplexer multiplexer({});
    const auto pipeline = add(multiplexer, "aaa", 3);
    const auto next = add(multiplexer, "b");
    take(multiplexer);
    ASSERT_FALSE(multiplexer.on_reply(Reply::integer(1)).value().has_value());
    multiplexer.abandon(pipeline);
    answer_unheard(multiplexer);
    answer_unheard(multiplexer);
    EXPECT_EQ(answer(multiplexer, "for b").id, next);
}

TEST(Multiplexer, IgnoresAnAbandonOfWhatItDoesNotKnow) {
    Multiplexer multiplexer({});
    const auto id = add(multiplexer, "a");
    take(multiplexer);
    answer(multiplexer, "1");
    multiplexer.abandon(id);
    multiplexer.abandon(12345);
    EXPECT_EQ(multiplexer.count_unanswered(), 0U);
}

TEST(Multiplexer, RefusesAReplyThatNobodyAskedFor) {
    Multiplexer multiplexer({});
    add(multiplexer, "waits, but is not written");
    const auto result = multiplexer.on_reply(Reply::integer(1));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::invalid);
}

TEST(Multiplexer, FailsWrittenRequestsWhenTheConnectionIsLost) {
    Multiplexer multiplexer({});
    const auto written = add(multiplexer, "a");
    take(multiplexer);
    const auto finished = multiplexer.on_disconnect(Error{ErrorKind::transient, "reset by peer"});
    ASSERT_THAT(finished, SizeIs(1));
    EXPECT_EQ(finished[0].id, written);
    EXPECT_EQ(finished[0].outcome.error().kind, ErrorKind::transient);
    EXPECT_THAT(finished[0].outcome.error().message, ::testing::HasSubstr("may have run"));
    EXPECT_THAT(finished[0].outcome.error().message, ::testing::HasSubstr("reset by peer"));
}

TEST(Multiplexer, KeepsWaitingRequestsForTheNextConnection) {
    Multiplexer multiplexer({});
    add(multiplexer, "written");
    take(multiplexer);
    const auto waiting = add(multiplexer, "waiting");
    (void)multiplexer.on_disconnect(Error{});
    EXPECT_EQ(multiplexer.state_of(waiting), State::waiting);
    EXPECT_EQ(take(multiplexer), "waiting");
    EXPECT_EQ(answer(multiplexer, "1").id, waiting);
}

TEST(Multiplexer, ForgetsAbandonedRequestsWhenTheConnectionIsLost) {
    Multiplexer multiplexer({});
    multiplexer.abandon([&] {
        const auto id = add(multiplexer, "a");
        take(multiplexer);
        return id;
    }());
    EXPECT_THAT(multiplexer.on_disconnect(Error{}), IsEmpty());
    EXPECT_EQ(multiplexer.count_unanswered(), 0U);
}

TEST(Multiplexer, FailsAHalfAnsweredPipelineWhenTheConnectionIsLost) {
    Multiplexer multiplexer({});
    add(multiplexer, "ab", 2);
    take(multiplexer);
    ASSERT_FALSE(multiplexer.on_reply(Reply::integer(1)).value().has_value());
    const auto finished = multiplexer.on_disconnect(Error{});
    ASSERT_THAT(finished, SizeIs(1));
    EXPECT_FALSE(finished[0].outcome);
}

TEST(Multiplexer, ExpiresAWaitingRequestWithoutEverWritingIt) {
    Multiplexer multiplexer({});
    const auto id = add(multiplexer, "a", 1, kStart);
    const auto finished = multiplexer.expire(kStart);
    ASSERT_THAT(finished, SizeIs(1));
    EXPECT_EQ(finished[0].id, id);
    EXPECT_EQ(finished[0].outcome.error().kind, ErrorKind::timeout);
    EXPECT_THAT(finished[0].outcome.error().message, ::testing::HasSubstr("before the command"));
    EXPECT_EQ(take(multiplexer), "");
}

TEST(Multiplexer, ExpiresAWrittenRequestAndDropsItsLateReply) {
    Multiplexer multiplexer({});
    const auto first = add(multiplexer, "a", 1, kStart);
    const auto second = add(multiplexer, "b");
    take(multiplexer);
    ASSERT_THAT(multiplexer.expire(kStart), SizeIs(1));
    EXPECT_EQ(multiplexer.state_of(first), State::abandoned);
    answer_unheard(multiplexer);
    EXPECT_EQ(answer(multiplexer, "for b").id, second);
}

TEST(Multiplexer, ExpiresOnlyWhatIsDueAndKnowsTheNextDeadline) {
    Multiplexer multiplexer({});
    EXPECT_EQ(multiplexer.next_deadline(), async::kNever);
    const auto late = add(multiplexer, "a", 1, kStart + seconds(2));
    add(multiplexer, "b", 1, kStart + seconds(1));
    add(multiplexer, "c");
    EXPECT_EQ(multiplexer.next_deadline(), kStart + seconds(1));
    EXPECT_THAT(multiplexer.expire(kStart), IsEmpty());
    EXPECT_THAT(multiplexer.expire(kStart + seconds(1)), SizeIs(1));
    EXPECT_EQ(multiplexer.next_deadline(), kStart + seconds(2));
    multiplexer.abandon(late);
    EXPECT_EQ(multiplexer.next_deadline(), async::kNever);
}

TEST(Multiplexer, ForgetsTheDeadlineOfAnAnsweredOrLostRequest) {
    Multiplexer multiplexer({});
    add(multiplexer, "a", 1, kStart);
    add(multiplexer, "b", 1, kStart);
    take(multiplexer);
    answer(multiplexer, "1");
    (void)multiplexer.on_disconnect(Error{});
    EXPECT_THAT(multiplexer.expire(kStart), IsEmpty());
    EXPECT_EQ(multiplexer.next_deadline(), async::kNever);
}

TEST(Multiplexer, FailsEverybodyOnceAtTheEnd) {
    Multiplexer multiplexer({});
    add(multiplexer, "written", 1, kStart);
    const auto abandoned = add(multiplexer, "abandoned");
    take(multiplexer);
    multiplexer.abandon(abandoned);
    add(multiplexer, "waiting", 1, kStart);
    EXPECT_THAT(multiplexer.fail_all(Error{ErrorKind::cancelled, "stop"}), SizeIs(2));
    EXPECT_THAT(multiplexer.fail_all(Error{}), IsEmpty());
    EXPECT_EQ(multiplexer.waiting_bytes(), 0U);
    EXPECT_EQ(multiplexer.next_deadline(), async::kNever);
}

TEST(Multiplexer, RefusesMoreRequestsThanAllowed) {
    Multiplexer multiplexer({.max_requests = 2});
    const auto first = add(multiplexer, "a");
    take(multiplexer);
    add(multiplexer, "b");
    multiplexer.abandon(first);
    const auto refused = multiplexer.add("c", 1, async::kNever);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::rate_limited);
    answer_unheard(multiplexer);
    EXPECT_TRUE(multiplexer.add("c", 1, async::kNever));
}

TEST(Multiplexer, RefusesMoreBytesThanAllowedUntilSomeAreWritten) {
    Multiplexer multiplexer({.max_waiting_bytes = 10});
    add(multiplexer, "12345678");
    EXPECT_EQ(multiplexer.add("123", 1, async::kNever).error().kind, ErrorKind::rate_limited);
    take(multiplexer);
    EXPECT_TRUE(multiplexer.add("123", 1, async::kNever));
    EXPECT_EQ(multiplexer.waiting_bytes(), 3U);
}

TEST(Multiplexer, RefusesForGoodWhatCanNeverFit) {
    Multiplexer multiplexer({.max_waiting_bytes = 10});
    EXPECT_EQ(multiplexer.add("12345678901", 1, async::kNever).error().kind, ErrorKind::too_large);
    EXPECT_EQ(multiplexer.add("", 1, async::kNever).error().kind, ErrorKind::invalid);
    EXPECT_EQ(multiplexer.add("a", 0, async::kNever).error().kind, ErrorKind::invalid);
}

TEST(Multiplexer, WritesWholeRequestsUpToTheBatchLimit) {
    Multiplexer multiplexer({.max_batch_bytes = 5});
    add(multiplexer, "aaa");
    add(multiplexer, "bb");
    add(multiplexer, "c");
    add(multiplexer, "larger than a batch");
    EXPECT_EQ(take(multiplexer), "aaabb");
    EXPECT_EQ(take(multiplexer), "c");
    EXPECT_EQ(take(multiplexer), "larger than a batch");
    EXPECT_EQ(take(multiplexer), "");
}

/// A model of the world: what the server received and has not answered yet, and who still waits.
TEST(Multiplexer, NeverMismatchesAReplyInRandomHistories) {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937 random(seed);
        Multiplexer multiplexer({.max_requests = 50, .max_batch_bytes = 40});
        std::map<Multiplexer::Id, std::string> attended;
        std::string unanswered;  // each byte on the wire is a command, answered by itself
        auto now = kStart;
        auto settle = [&](const Multiplexer::Finished& finished) {
            const auto place = attended.find(finished.id);
            ASSERT_NE(place, attended.end()) << "reported twice or after it was abandoned";
            if (finished.outcome) {
                std::string got;
                for (const Reply& reply : *finished.outcome)
                    got += reply.text();
                EXPECT_EQ(got, place->second);
            }
            attended.erase(place);
        };
        auto pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
        for (int step = 0; step < 400; ++step) {
            switch (pick(6)) {
                case 0: {
                    std::string wire;
                    for (unsigned i = 0; i <= pick(3); ++i)
                        wire += static_cast<char>(pick(256));
                    const auto deadline = pick(2) == 0 ? async::kNever : now + seconds(pick(20));
                    if (const auto id = multiplexer.add(wire, wire.size(), deadline))
                        attended.emplace(*id, wire);
                    break;
                }
                case 1:
                    multiplexer.take_batch(unanswered);
                    break;
                case 2:
                    for (unsigned i = pick(5); i > 0 && !unanswered.empty(); --i) {
                        auto done = multiplexer.on_reply(Reply::string(unanswered.substr(0, 1)));
                        unanswered.erase(0, 1);
                        ASSERT_TRUE(done);
                        if (*done) settle(**done);
                    }
                    break;
                case 3:
                    if (!attended.empty() && pick(2) == 0) {
                        auto place = std::next(attended.begin(), pick(unsigned(attended.size())));
                        multiplexer.abandon(place->first);
                        attended.erase(place);
                    }
                    break;
                case 4:
                    now += seconds(pick(3));
                    for (const auto& finished : multiplexer.expire(now))
                        settle(finished);
                    break;
                default:
                    if (pick(20) != 0) break;
                    unanswered.clear();
                    for (const auto& finished : multiplexer.on_disconnect(Error{}))
                        settle(finished);
            }
        }
        for (const auto& finished : multiplexer.fail_all(Error{}))
            settle(finished);
        EXPECT_THAT(attended, IsEmpty()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace evalfleet::redis
