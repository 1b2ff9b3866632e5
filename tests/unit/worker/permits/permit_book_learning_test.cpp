#include "tests/unit/worker/permits/permit_book_fixture.hpp"

#include <gmock/gmock.h>

namespace evalfleet::worker {
namespace {

using queue::PermitAnswer;
using queue::SharedLimit;
using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const queue::LimitKey kKey{.name = "k"};

class LearningBookTest : public PermitBookTest {
  protected:
    LearningBookTest() : PermitBookTest(kKey) {}

    /// So many calls are under way.
    void start(std::uint64_t calls, SharedLimit shared = {}) {
        for (std::uint64_t i = 1; i <= calls; ++i)
            enter(i);
        ASSERT_TRUE(ask());
        PermitAnswer all{.allowed = calls, .target = calls};
        all.shared = std::move(shared);
        all.server_now = kServerNow;
        answer(all);
        ASSERT_EQ(serve().size(), calls);
    }
    /// What the next ask, in due time, says that calls told.
    CallSums told() {
        pass(milliseconds(200));
        const auto asked = ask();
        EXPECT_TRUE(asked);
        return CallSums::parse(asked->sums).value();
    }
    static CallEnd answered(async::TimePoint sent, milliseconds service) {
        CallEnd end;
        end.sent = sent;
        end.service = service;
        end.output_tokens = 7;
        return end;
    }
    /// The fleet's calls of a second, half of them refused.
    static PermitAnswer bad_second(const SharedLimit& shared) {
        CallSums sums;
        sums.answered = 100;
        sums.throttled = 100;
        sums.waited = 200;
        PermitAnswer answer{.allowed = 1, .target = 1};
        answer.shared = shared;
        answer.server_now = kServerNow;
        answer.fleet_running = 20;
        answer.sums = sums.text();
        answer.elapsed = milliseconds(1'000);
        return answer;
    }
    static SharedLimit accepted(const SharedLimit& proposal) {
        SharedLimit shared = proposal;
        ++shared.version;
        return shared;
    }
};

TEST_F(LearningBookTest, BeginsWithWhatTheControllerBeginsWith) {
    enter(1);
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->first_calls, LimitController::start(kKey).calls());
    EXPECT_EQ(asked->tick, LimitController::start(kKey).tick());
    EXPECT_EQ(asked->sums, "") << "nothing is told before anything happened";
    EXPECT_FALSE(asked->proposal);
    EXPECT_EQ(book_.fleet_limit(), 1);
    EXPECT_EQ(book_.fleet_rate(), 0);
}

TEST_F(LearningBookTest, TellsHowItsCallsEnded) {
    start(6);
    CallEnd verdict = answered(now_, milliseconds(300));
    verdict.purpose = CallPurpose::verdict;
    verdict.waited = true;
    end(answered(now_, milliseconds(100)));
    end(verdict);
    end(CallEnd::Kind::throttled, milliseconds(250));
    end(CallEnd::Kind::overloaded);
    end(CallEnd::Kind::timed_out);
    end(CallEnd::Kind::faulted);
    const CallSums sums = told();
    EXPECT_EQ(sums.answered, 2);
    EXPECT_EQ(sums.throttled, 1);
    EXPECT_EQ(sums.overloaded, 1);
    EXPECT_EQ(sums.timed_out, 1);
    EXPECT_EQ(sums.waited, 1);
    EXPECT_EQ(sums.longest_rest_ms, 250);
    ServiceSums answer;
    answer.add(100, 7);
    EXPECT_EQ(sums.service[0], answer);
    EXPECT_EQ(sums.service[1].calls, 1);
}

TEST_F(LearningBookTest, TellsOnlyOnce) {
    start(1);
    end(answered(now_, milliseconds(100)));
    EXPECT_EQ(told().answered, 1);
    allow(1);
    pass(milliseconds(200));
    const auto asked = ask();
    EXPECT_TRUE(!asked || asked->sums.empty());
}

TEST_F(LearningBookTest, SaysNothingOfACallThatWasNeverSent) {
    start(1);
    CallEnd unsent;
    unsent.kind = CallEnd::Kind::unsent;
    end(unsent);
    pass(milliseconds(200));
    EXPECT_EQ(ask()->sums, "");
}

TEST_F(LearningBookTest, LeavesCallsOutThatWereSentUnderAnEarlierLimit) {
    LimitController cut = LimitController::start(kKey);
    LimitTick tick;
    tick.sums = CallSums::parse(bad_second({}).sums).value();
    tick.elapsed_ms = 1'000;
    tick.running = 20;
    tick.now = kServerNow + milliseconds(1'000);
    (void)cut.step(tick);
    ASSERT_GT(cut.rate(), 0) << "it tests whether there is a limit";
    while (cut.rate() > 0 && tick.now < kServerNow + std::chrono::minutes(1)) {
        tick.now += milliseconds(1'000);
        tick.sums = {.epoch = cut.epoch(), .answered = 100};
        (void)cut.step(tick);
    }
    ASSERT_EQ(cut.calls(), 1) << "as before";
    ASSERT_EQ(cut.rate(), 0);
    ASSERT_EQ(cut.cut_at(), tick.now);
    start(3, {1, cut.text(), cut.calls(), cut.rate()});
    end(CallEnd::Kind::throttled);
    pass(cut.cut_at() - kServerNow);
    CallEnd late;
    late.kind = CallEnd::Kind::throttled;
    late.sent = now_ - milliseconds(1);
    end(late);
    end(CallEnd::Kind::throttled);
    EXPECT_EQ(told().throttled, 1) << "the two others were sent before the cut";
}

TEST_F(LearningBookTest, WhoeverIsToldWhatAllSawProposesNewLimits) {
    enter(1);
    ASSERT_TRUE(ask());
    answer(bad_second({}));
    const auto asked = ask();
    ASSERT_TRUE(asked) << "at once";
    ASSERT_TRUE(asked->proposal);
    EXPECT_EQ(asked->proposal->version, 0U);
    const auto next = LimitController::parse(asked->proposal->state, kKey);
    ASSERT_TRUE(next);
    EXPECT_GE(next->cut_at(), kServerNow);
    EXPECT_EQ(next->epoch(), 1);
    EXPECT_EQ(asked->proposal->calls, next->calls());
    EXPECT_EQ(asked->proposal->rate, next->rate());
    EXPECT_THAT(asked->reason, HasSubstr("100 x 429 of 200 calls"));
    EXPECT_EQ(book_.take_news(), "") << "it is not decided yet";

    PermitAnswer taken;
    taken.shared = accepted(*asked->proposal);
    answer(taken);
    EXPECT_EQ(book_.take_news(), asked->reason);
    EXPECT_EQ(book_.take_news(), "") << "once";
    pass(milliseconds(200));
    const auto later = ask();
    ASSERT_TRUE(later);
    EXPECT_FALSE(later->proposal);
    EXPECT_EQ(later->sums, "");
}

TEST_F(LearningBookTest, WhatAProposalWasMadeOfIsToldAgainIfSomebodyWasFaster) {
    enter(1);
    ASSERT_TRUE(ask());
    const PermitAnswer second = bad_second({});
    answer(second);
    ASSERT_TRUE(ask()->proposal);
    LimitController others = LimitController::start(kKey);
    PermitAnswer refused;
    refused.shared = {1, others.text(), 20, 0};
    answer(refused);
    EXPECT_EQ(book_.take_news(), "");
    EXPECT_EQ(book_.fleet_limit(), 20);
    pass(milliseconds(200));
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->sums, second.sums);
    EXPECT_FALSE(asked->proposal);
}

TEST_F(LearningBookTest, ARestThatTheControllerWantsIsKeptByAll) {
    enter(1);
    ASSERT_TRUE(ask());
    PermitAnswer nothing_served = bad_second({});
    CallSums sums;
    sums.overloaded = 50;
    nothing_served.sums = sums.text();
    nothing_served.fleet_running = 1;
    answer(nothing_served);
    EXPECT_GT(book_.paused_for(now_), milliseconds(0));
    EXPECT_THAT(serve(), IsEmpty());
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_EQ(asked->pause, book_.paused_for(now_));
}

TEST_F(LearningBookTest, BeginsAnewWithAStateThatMakesNoSense) {
    enter(1);
    ASSERT_TRUE(ask());
    PermitAnswer answer_with_garbage = bad_second({});
    answer_with_garbage.shared = {5, "1,2,garbage", 20, 0};
    answer_with_garbage.sums = "garbage";
    answer(answer_with_garbage);
    const auto asked = ask();
    ASSERT_TRUE(asked && asked->proposal);
    EXPECT_EQ(asked->proposal->version, 5U);
    EXPECT_TRUE(LimitController::parse(asked->proposal->state, kKey));
}

TEST_F(LearningBookTest, ALearntRateNeedsAPermitForEveryRequest) {
    enter(1, 10);
    enter(2, 20);
    ASSERT_THAT(ask()->wishes, IsEmpty()) << "nothing is learnt yet";
    PermitAnswer paced{.allowed = 2, .target = 2};
    paced.shared = {1, LimitController::start(kKey).text(), 10, 0.5};
    answer(paced);
    EXPECT_EQ(book_.fleet_rate(), 0.5);
    EXPECT_THAT(serve(), IsEmpty()) << "room is not all that it needs";
    const auto asked = ask();
    ASSERT_TRUE(asked);
    EXPECT_THAT(asked->wishes, ElementsAre(10, 20));
    paced.granted = 1;
    paced.bucket = 7;
    paced.wait = milliseconds(500);
    answer(paced);
    EXPECT_THAT(serve(), ElementsAre(1U));
    EXPECT_EQ(charges_.front()->bucket, 7U);
}

class LimitedBookTest : public PermitBookTest {
  protected:
    LimitedBookTest() : PermitBookTest({.name = "k", .max_concurrent = 8}) {}
};

TEST_F(LimitedBookTest, WhatTheOperatorSaysIsTheBeginningAndTheEnd) {
    enter(1);
    EXPECT_EQ(ask()->first_calls, 8);
    EXPECT_EQ(book_.fleet_limit(), 8);
    PermitAnswer more{.allowed = 1, .target = 1};
    more.shared = {1, LimitController::start(kKey).text(), 50, 0};
    answer(more);
    EXPECT_EQ(book_.fleet_limit(), 8);
}

}  // namespace
}  // namespace evalfleet::worker
