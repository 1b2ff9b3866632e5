#include "worker/permits/permit_book.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using async::TimePoint;
using queue::PermitAnswer;
using queue::PermitAsk;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr queue::WindowTerms kTerms{milliseconds(60'000), milliseconds(1'000),
                                    milliseconds(30'000)};

/// A book, a clock, and a Redis that says what the test wants.
class PermitBookTest : public ::testing::Test {
  protected:
    explicit PermitBookTest(queue::LimitKey key = {.name = "k", .max_concurrent = 100})
        : book_({key, kTerms}) {}

    std::vector<PermitBook::Ticket> serve() {
        std::vector<PermitBook::Ticket> tickets;
        for (const auto& start : book_.serve(now_)) {
            tickets.push_back(start.ticket);
            charges_.push_back(start.charge);
        }
        return tickets;
    }
    std::optional<PermitAsk> ask() { return book_.next_ask(now_); }
    void answer(const PermitAnswer& answer) { book_.answered(answer, now_, now_, 0); }
    /// Whatever is asked for is given.
    PermitAsk agree() {
        const auto asked = ask();
        EXPECT_TRUE(asked);
        PermitAnswer all;
        all.granted = asked->wishes.size();
        all.bucket = 7;
        all.allowed = asked->in_use + asked->wanted;
        all.server_now = milliseconds(1'000'000);
        answer(all);
        return *asked;
    }
    void end(CallEnd::Kind kind = CallEnd::Kind::answered, milliseconds rest = milliseconds(0)) {
        const auto charge = charges_.empty() ? std::nullopt : charges_.front();
        if (!charges_.empty()) charges_.erase(charges_.begin());
        book_.end(charge, {kind, now_, rest}, now_);
    }
    void pass(milliseconds time) { now_ += time; }

    PermitBook book_;
    TimePoint now_{std::chrono::hours(1)};
    std::vector<std::optional<Charge>> charges_;
};

class RatedBookTest : public PermitBookTest {
  protected:
    RatedBookTest() : PermitBookTest({.name = "k", .rpm = 600, .tpm = 1'000'000}) {}
};

class AdaptiveBookTest : public PermitBookTest {
  protected:
    AdaptiveBookTest() : PermitBookTest({.name = "k"}) {}
};

TEST_F(PermitBookTest, HasNothingToSayBeforeTheFirstCall) {
    EXPECT_FALSE(ask());
    EXPECT_EQ(book_.due(now_), async::kNever);
}

TEST_F(PermitBookTest, HasNothingToSayWhenItIsClosedUnused) {
    book_.close(now_);
    EXPECT_FALSE(ask());
    EXPECT_EQ(book_.due(now_), async::kNever);
}

TEST_F(PermitBookTest, StartsNobodyWithoutRedis) {
    book_.enter(1, 0);
    EXPECT_THAT(serve(), IsEmpty());
    EXPECT_EQ(book_.due(now_), now_);
}

TEST_F(PermitBookTest, StartsThoseWhoWaitInOrderAsFarAsThereIsRoom) {
    for (PermitBook::Ticket ticket = 1; ticket <= 3; ++ticket)
        book_.enter(ticket, 0);
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->in_use, 0U);
    EXPECT_EQ(asked->wanted, 3U);
    EXPECT_FALSE(ask()) << "one at a time";
    answer({.allowed = 2});
    EXPECT_THAT(serve(), ElementsAre(1U, 2U));
    EXPECT_EQ(book_.count_running(), 2U);
    EXPECT_EQ(book_.count_waiting(), 1U);
}

TEST_F(PermitBookTest, UsesTheRoomOfACallThatEndedWithoutAWordToRedis) {
    book_.enter(1, 0);
    agree();
    EXPECT_THAT(serve(), ElementsAre(1U));
    book_.enter(2, 0);
    book_.enter(3, 0);
    end();
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(PermitBookTest, GivesRoomBackAtOnceWhereOthersGoShort) {
    book_.enter(1, 0);
    book_.enter(2, 0);
    (void)ask();
    answer({.allowed = 1, .keep = false});
    EXPECT_THAT(serve(), ElementsAre(1U));
    end();
    EXPECT_THAT(serve(), IsEmpty());
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->in_use, 0U);
    EXPECT_EQ(asked->wanted, 1U);
}

TEST_F(PermitBookTest, AsksAgainForRoomOnlyAfterAWhile) {
    book_.enter(1, 0);
    (void)ask();
    answer({.allowed = 0});
    EXPECT_FALSE(ask());
    book_.enter(2, 0);
    EXPECT_FALSE(ask()) << "the limit is reached, whoever comes";
    EXPECT_GT(book_.due(now_), now_);
    EXPECT_LE(book_.due(now_), now_ + milliseconds(200));
    now_ = book_.due(now_);
    EXPECT_EQ(ask()->wanted, 2U);
}

TEST_F(PermitBookTest, AWhoDoesNotWantToAnyMoreIsNotStarted) {
    book_.enter(1, 0);
    book_.enter(2, 0);
    EXPECT_TRUE(book_.withdraw(1));
    EXPECT_FALSE(book_.withdraw(1));
    agree();
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(PermitBookTest, TellsRedisInTheEndThatItHoldsNothing) {
    book_.enter(1, 0);
    agree();
    (void)serve();
    end();
    PermitAsk last;
    for (int i = 0; i < 10 && book_.due(now_) != async::kNever; ++i) {
        now_ = book_.due(now_);
        last = agree();
    }
    EXPECT_EQ(book_.due(now_), async::kNever);
    EXPECT_EQ(last.in_use + last.wanted, 0U);
}

TEST_F(PermitBookTest, ReportsWhileCallsAreUnderWaySoThatTheirLeaseHolds) {
    book_.enter(1, 0);
    agree();
    (void)serve();
    for (int i = 0; i < 5; ++i) {
        ASSERT_LE(book_.due(now_), now_ + kTerms.lease / 10);
        now_ = book_.due(now_);
        EXPECT_EQ(agree().in_use, 1U);
    }
}

TEST_F(PermitBookTest, WithoutRedisUsesWhatItHoldsUntilTheLeaseIsOverAndThenStops) {
    book_.enter(1, 0);
    agree();
    EXPECT_THAT(serve(), ElementsAre(1U));
    pass(milliseconds(300));
    ASSERT_TRUE(ask());
    book_.failed(now_);
    EXPECT_FALSE(book_.is_cut_off(now_));
    end();
    book_.enter(2, 0);
    EXPECT_THAT(serve(), ElementsAre(2U)) << "it is still ours";
    pass(kTerms.lease);
    end();
    book_.enter(3, 0);
    EXPECT_THAT(serve(), IsEmpty()) << "somebody else may have it by now";
    EXPECT_TRUE(book_.is_cut_off(now_));
    const PermitAsk asked = agree();
    EXPECT_EQ(asked.in_use, 0U);
    EXPECT_THAT(serve(), ElementsAre(3U));
    EXPECT_FALSE(book_.is_cut_off(now_));
}

TEST_F(PermitBookTest, ARefusalStopsEverythingHereAndIsToldAtOnce) {
    book_.enter(1, 0);
    agree();
    (void)serve();
    end(CallEnd::Kind::throttled, milliseconds(5'000));
    book_.enter(2, 0);
    EXPECT_THAT(serve(), IsEmpty());
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->pause, milliseconds(5'000));
    answer({.allowed = 1, .paused = milliseconds(5'000)});
    EXPECT_EQ(book_.paused_for(now_), milliseconds(5'000));
    pass(milliseconds(4'999));
    EXPECT_THAT(serve(), IsEmpty());
    pass(milliseconds(1));
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(PermitBookTest, APauseThatRedisDidNotHearOfIsToldAgain) {
    book_.enter(1, 0);
    agree();
    (void)serve();
    end(CallEnd::Kind::throttled, milliseconds(5'000));
    ASSERT_TRUE(ask());
    book_.failed(now_);
    pass(milliseconds(1'000));
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->pause, milliseconds(4'000));
}

TEST_F(PermitBookTest, AnothersPauseHoldsHereToo) {
    book_.enter(1, 0);
    (void)ask();
    answer({.allowed = 1, .wait = milliseconds(900), .paused = milliseconds(900)});
    EXPECT_THAT(serve(), IsEmpty());
    pass(milliseconds(900));
    EXPECT_THAT(serve(), ElementsAre(1U));
}

TEST_F(PermitBookTest, OnceItIsClosedStartsNobodyAndHoldsOnlyWhatIsUnderWay) {
    book_.enter(1, 0);
    agree();
    (void)serve();
    book_.enter(2, 0);
    book_.enter(3, 0);
    book_.close(now_);
    EXPECT_THAT(serve(), IsEmpty());
    PermitAsk asked = agree();
    EXPECT_EQ(asked.in_use, 1U);
    EXPECT_EQ(asked.wanted, 0U);
    end();
    for (int i = 0; i < 5 && book_.due(now_) != async::kNever; ++i) {
        now_ = book_.due(now_);
        asked = agree();
    }
    EXPECT_EQ(asked.in_use, 0U);
    EXPECT_EQ(book_.due(now_), async::kNever) << "although somebody waits";
}

TEST_F(RatedBookTest, NeedsAPermitForEveryRequest) {
    book_.enter(1, 100);
    book_.enter(2, 200);
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->wishes, ElementsAre(100, 200));
    answer({.granted = 1, .bucket = 7, .allowed = 2, .wait = milliseconds(50)});
    EXPECT_THAT(serve(), ElementsAre(1U));
    EXPECT_EQ(charges_.front()->bucket, 7U);
    EXPECT_EQ(charges_.front()->tokens, 100);
    end();
    EXPECT_THAT(serve(), IsEmpty()) << "room is not all that it needs";
    pass(milliseconds(50));
    EXPECT_THAT(ask()->wishes, ElementsAre(200));
}

TEST_F(RatedBookTest, FetchesAFewMoreThanItNeedsSoThatTheNextCallNeedNotWait) {
    book_.enter(1, 100);
    agree();
    EXPECT_THAT(serve(), ElementsAre(1U));
    const PermitAsk more = agree();
    EXPECT_THAT(more.wishes, ElementsAre(100));
    EXPECT_EQ(book_.count_in_hand(), 1U);
    book_.enter(2, 100);
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(RatedBookTest, GivesBackWhatItDoesNotUseInTime) {
    book_.enter(1, 100);
    agree();
    (void)serve();
    agree();
    ASSERT_EQ(book_.count_in_hand(), 1U);
    pass(kTerms.margin / 2);
    book_.enter(2, 100);
    EXPECT_THAT(serve(), IsEmpty()) << "it might arrive too late";
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->amendments, ElementsAre(queue::Amendment{7, -1, -100}));
}

TEST_F(RatedBookTest, CorrectsItsEstimates) {
    book_.enter(1, 100);
    agree();
    (void)serve();
    const Charge charge = *charges_.front();
    end();
    book_.correct(charge, 130);
    pass(milliseconds(200));
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->amendments, ElementsAre(queue::Amendment{7, 0, 30}));
}

TEST_F(RatedBookTest, ACallThatWasNeverSentIsNotCounted) {
    book_.enter(1, 100);
    agree();
    (void)serve();
    book_.end(charges_.front(), {CallEnd::Kind::unsent, std::nullopt, milliseconds(0)}, now_);
    pass(milliseconds(200));
    EXPECT_THAT(ask()->amendments, ElementsAre(queue::Amendment{7, -1, -100}));
}

TEST_F(RatedBookTest, ACallThatWentOutLateIsCountedOnceMore) {
    book_.enter(1, 100);
    agree();
    (void)serve();
    const TimePoint sent = now_ + kTerms.margin + milliseconds(1);
    pass(milliseconds(5'000));
    book_.end(charges_.front(), {CallEnd::Kind::answered, sent, milliseconds(0)}, now_);
    const auto asked = ask();
    ASSERT_TRUE(asked);
    ASSERT_FALSE(asked->amendments.empty());
    EXPECT_EQ(asked->amendments.back().requests, 1);
    EXPECT_EQ(asked->amendments.back().tokens, 100);
    EXPECT_GT(asked->amendments.back().bucket, 7U);
}

TEST_F(RatedBookTest, AfterALostAnswerOnlyTellsAgainWhatErrsOnTheSafeSide) {
    book_.enter(1, 100);
    book_.enter(2, 100);
    agree();
    (void)serve();
    book_.correct(*charges_[0], 150);
    ASSERT_TRUE(ask());
    book_.failed(now_);
    book_.end(charges_[1], {CallEnd::Kind::unsent, std::nullopt, milliseconds(0)}, now_);
    pass(milliseconds(1'000));
    auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->amendments, ElementsAre(queue::Amendment{7, -1, -50}));
    book_.failed(now_);
    pass(milliseconds(1'000));
    asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->amendments, IsEmpty()) << "given back twice would be a request too many";
}

TEST_F(AdaptiveBookTest, OffersWhatItMadeOfItsCallsAndAgainIfSomebodyWasFaster) {
    book_.enter(1, 0);
    EXPECT_EQ(ask()->first_limit, AdaptiveLimit::kFirst);
    answer({.allowed = 1, .shared = {}, .server_now = milliseconds(5'000), .fleet_held = 16});
    (void)serve();
    end();
    pass(milliseconds(200));
    auto asked = ask();
    ASSERT_TRUE(asked && asked->proposal);
    EXPECT_EQ(asked->proposal->version, 0U);
    EXPECT_EQ(asked->proposal->limit, AdaptiveLimit::kFirst + 1);
    const std::string others = "20,20,1,0";
    answer({.allowed = 1, .shared = {3, others, 20}, .fleet_held = 16});
    pass(milliseconds(200));
    asked = ask();
    ASSERT_TRUE(asked && asked->proposal);
    EXPECT_EQ(asked->proposal->version, 3U);
    EXPECT_GT(asked->proposal->limit, 20);
    answer({.shared = {4, asked->proposal->state, asked->proposal->limit}});
    EXPECT_EQ(book_.fleet_limit(), asked->proposal->limit);
    pass(milliseconds(200));
    asked = ask();
    EXPECT_FALSE(asked && asked->proposal) << "it was taken";
}

TEST_F(AdaptiveBookTest, ARefusalCutsTheLimitWithoutDelay) {
    book_.enter(1, 0);
    (void)ask();
    answer({.allowed = 1, .server_now = milliseconds(5'000), .fleet_held = 16});
    (void)serve();
    end(CallEnd::Kind::throttled);
    const auto asked = ask();
    ASSERT_TRUE(asked && asked->proposal);
    EXPECT_LT(asked->proposal->limit, AdaptiveLimit::kFirst);
}

}  // namespace
}  // namespace evalfleet::worker
