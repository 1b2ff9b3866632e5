#include "tests/unit/worker/permits/permit_book_fixture.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using async::TimePoint;
using queue::PermitAsk;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RatedBookTest : public PermitBookTest {
  protected:
    RatedBookTest() : PermitBookTest({.name = "k", .rpm = 600, .tpm = 1'000'000}) {}
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
    enter(1);
    EXPECT_THAT(serve(), IsEmpty());
    EXPECT_EQ(book_.due(now_), now_);
}

TEST_F(PermitBookTest, StartsThoseWhoWaitInOrderAsFarAsThereIsRoom) {
    for (PermitBook::Ticket ticket = 1; ticket <= 3; ++ticket)
        enter(ticket);
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->in_use, 0U);
    EXPECT_EQ(asked->wanted, 3U);
    EXPECT_FALSE(ask()) << "one at a time";
    allow(2);
    EXPECT_THAT(serve(), ElementsAre(1U, 2U));
    EXPECT_EQ(book_.count_running(), 2U);
    EXPECT_EQ(book_.count_waiting(), 1U);
}

TEST_F(PermitBookTest, UsesTheRoomOfACallThatEndedWithoutAWordToRedis) {
    enter(1);
    agree();
    EXPECT_THAT(serve(), ElementsAre(1U));
    enter(2);
    enter(3);
    end();
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(PermitBookTest, GivesRoomBackAtOnceWhereOthersGoShort) {
    for (PermitBook::Ticket ticket = 1; ticket <= 4; ++ticket)
        enter(ticket);
    (void)ask();
    allow(2);
    EXPECT_THAT(serve(), ElementsAre(1U, 2U));
    pass(milliseconds(200));
    ASSERT_TRUE(ask());
    answer({.allowed = 2, .target = 1});
    end();
    EXPECT_THAT(serve(), IsEmpty()) << "one of the two is somebody else's";
    const auto asked = ask();
    ASSERT_TRUE(asked) << "who waits for it";
    EXPECT_EQ(asked->in_use, 1U);
    EXPECT_EQ(asked->wanted, 2U);
    answer({.allowed = 1, .target = 1});
    end();
    EXPECT_THAT(serve(), ElementsAre(3U)) << "the other stays ours";
}

TEST_F(PermitBookTest, FinishesWhatHasBegunBeforeItBeginsMore) {
    enter(1, 0, CallRank::first);
    enter(2, 0, CallRank::last);
    enter(3, 0, CallRank::retry);
    enter(4, 0, CallRank::first);
    enter(5, 0, CallRank::retry);
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->wanted, 5U);
    EXPECT_EQ(asked->urgent, 3U) << "so that other workers' first calls wait too";
    allow(4);
    EXPECT_THAT(serve(), ElementsAre(3U, 5U, 2U, 1U));
    enter(6, 0, CallRank::retry);
    end();
    EXPECT_THAT(serve(), ElementsAre(6U)) << "4 came before, but has not begun";
}

TEST_F(PermitBookTest, AsksAgainForRoomOnlyAfterAWhile) {
    enter(1);
    (void)ask();
    allow(0);
    EXPECT_FALSE(ask());
    enter(2);
    EXPECT_FALSE(ask()) << "the limit is reached, whoever comes";
    EXPECT_GT(book_.due(now_), now_);
    EXPECT_LE(book_.due(now_), now_ + milliseconds(200));
    now_ = book_.due(now_);
    EXPECT_EQ(ask()->wanted, 2U);
}

TEST_F(PermitBookTest, AWhoDoesNotWantToAnyMoreIsNotStarted) {
    enter(1);
    enter(2);
    EXPECT_TRUE(book_.withdraw(1));
    EXPECT_FALSE(book_.withdraw(1));
    agree();
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(PermitBookTest, TellsRedisInTheEndThatItHoldsNothing) {
    enter(1);
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
    enter(1);
    agree();
    (void)serve();
    for (int i = 0; i < 5; ++i) {
        ASSERT_LE(book_.due(now_), now_ + kTerms.lease / 10);
        now_ = book_.due(now_);
        EXPECT_EQ(agree().in_use, 1U);
    }
}

TEST_F(PermitBookTest, WithoutRedisUsesWhatItHoldsUntilTheLeaseIsOverAndThenStops) {
    enter(1);
    agree();
    EXPECT_THAT(serve(), ElementsAre(1U));
    pass(milliseconds(300));
    ASSERT_TRUE(ask());
    book_.failed(now_);
    EXPECT_FALSE(book_.is_cut_off(now_));
    end();
    enter(2);
    EXPECT_THAT(serve(), ElementsAre(2U)) << "it is still ours";
    pass(kTerms.lease);
    end();
    enter(3);
    EXPECT_THAT(serve(), IsEmpty()) << "somebody else may have it by now";
    EXPECT_TRUE(book_.is_cut_off(now_));
    const PermitAsk asked = agree();
    EXPECT_EQ(asked.in_use, 0U);
    EXPECT_THAT(serve(), ElementsAre(3U));
    EXPECT_FALSE(book_.is_cut_off(now_));
}

TEST_F(PermitBookTest, ARestIsKeptByAllAndToldAtOnceIfMostCallsAreRefused) {
    enter(1);
    agree();
    (void)serve();
    end(CallEnd::Kind::throttled, milliseconds(5'000));
    enter(2);
    EXPECT_THAT(serve(), IsEmpty());
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->pause, milliseconds(5'000));
    answer({.allowed = 1, .target = 1, .paused = milliseconds(5'000)});
    EXPECT_EQ(book_.paused_for(now_), milliseconds(5'000));
    pass(milliseconds(4'999));
    EXPECT_THAT(serve(), IsEmpty());
    pass(milliseconds(1));
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(PermitBookTest, ARefusalAmongAnswersIsItsOwnCallsBusiness) {
    for (PermitBook::Ticket ticket = 1; ticket <= 4; ++ticket)
        enter(ticket);
    agree();
    EXPECT_EQ(serve().size(), 4U);
    for (int i = 0; i < 3; ++i)
        end();
    end(CallEnd::Kind::throttled, milliseconds(5'000));
    EXPECT_EQ(book_.paused_for(now_), milliseconds(0));
    enter(5);
    EXPECT_THAT(serve(), ElementsAre(5U));
}

TEST_F(PermitBookTest, WhatAnAnswerSaysOfTheQuotaHoldsForAll) {
    enter(1);
    enter(2);
    agree();
    (void)serve();
    end();
    end(CallEnd::Kind::answered, milliseconds(2'000));
    EXPECT_EQ(book_.paused_for(now_), milliseconds(2'000));
}

TEST_F(PermitBookTest, ThePlaceOfARefusedCallStaysEmptyForAWhile) {
    enter(1);
    enter(2);
    agree();
    EXPECT_EQ(serve().size(), 2U);
    end(CallEnd::Kind::throttled);
    enter(3);
    EXPECT_THAT(serve(), IsEmpty()) << "it would be refused at once";
    ASSERT_LE(book_.due(now_), now_ + milliseconds(50));
    pass(milliseconds(49));
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->running, 1U);
    EXPECT_EQ(asked->in_use, 2U) << "nobody else may have it";
    EXPECT_EQ(asked->refused, 1U);
    allow(2);
    EXPECT_THAT(serve(), IsEmpty());
    pass(milliseconds(1));
    EXPECT_THAT(serve(), ElementsAre(3U));
}

TEST_F(PermitBookTest, ThatWhileIsWhatACallUsuallyTakes) {
    enter(1);
    enter(2);
    agree();
    (void)serve();
    CallEnd answered;
    answered.sent = now_;
    answered.service = milliseconds(400);
    end(answered);
    end(CallEnd::Kind::overloaded);
    enter(3);
    enter(4);
    EXPECT_THAT(serve(), ElementsAre(3U));
    pass(milliseconds(399));
    EXPECT_THAT(serve(), IsEmpty());
    pass(milliseconds(1));
    EXPECT_THAT(serve(), ElementsAre(4U));
}

TEST_F(PermitBookTest, APauseThatRedisDidNotHearOfIsToldAgain) {
    enter(1);
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
    enter(1);
    (void)ask();
    answer({.allowed = 1, .target = 1, .wait = milliseconds(900), .paused = milliseconds(900)});
    EXPECT_THAT(serve(), IsEmpty());
    pass(milliseconds(900));
    EXPECT_THAT(serve(), ElementsAre(1U));
}

TEST_F(PermitBookTest, OnceItIsClosedStartsNobodyAndHoldsOnlyWhatIsUnderWay) {
    enter(1);
    agree();
    (void)serve();
    enter(2);
    enter(3);
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
    enter(1, 100);
    enter(2, 200);
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->wishes, ElementsAre(100, 200));
    answer({.granted = 1, .bucket = 7, .allowed = 2, .target = 2, .wait = milliseconds(50)});
    EXPECT_THAT(serve(), ElementsAre(1U));
    EXPECT_EQ(charges_.front()->bucket, 7U);
    EXPECT_EQ(charges_.front()->tokens, 100);
    end();
    EXPECT_THAT(serve(), IsEmpty()) << "room is not all that it needs";
    pass(milliseconds(50));
    EXPECT_THAT(ask()->wishes, ElementsAre(200));
}

TEST_F(RatedBookTest, FetchesAFewMoreThanItNeedsSoThatTheNextCallNeedNotWait) {
    enter(1, 100);
    agree();
    EXPECT_THAT(serve(), ElementsAre(1U));
    const PermitAsk more = agree();
    EXPECT_THAT(more.wishes, ElementsAre(100));
    EXPECT_EQ(book_.count_in_hand(), 1U);
    enter(2, 100);
    EXPECT_THAT(serve(), ElementsAre(2U));
}

TEST_F(RatedBookTest, GivesBackWhatItDoesNotUseInTime) {
    enter(1, 100);
    agree();
    (void)serve();
    agree();
    ASSERT_EQ(book_.count_in_hand(), 1U);
    pass(kTerms.margin / 2);
    enter(2, 100);
    EXPECT_THAT(serve(), IsEmpty()) << "it might arrive too late";
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->amendments, ElementsAre(queue::Amendment{7, -1, -100}));
}

TEST_F(RatedBookTest, CorrectsItsEstimates) {
    enter(1, 100);
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
    enter(1, 100);
    agree();
    (void)serve();
    book_.end(charges_.front(), {CallEnd::Kind::unsent, std::nullopt, milliseconds(0)}, now_);
    pass(milliseconds(200));
    EXPECT_THAT(ask()->amendments, ElementsAre(queue::Amendment{7, -1, -100}));
}

TEST_F(RatedBookTest, ACallThatWentOutLateIsCountedOnceMore) {
    enter(1, 100);
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
    enter(1, 100);
    enter(2, 100);
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

}  // namespace
}  // namespace evalfleet::worker
