#include "tests/chaos/checks.hpp"

#include <gmock/gmock.h>

/// The controls: every check of the chaos test must be able to fail, and fails on nothing else.
namespace evalfleet::chaos {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunOutcome whole_run() {
    RunOutcome run{.id = "r", .state = "done", .samples = 3, .repeats = 2};
    for (std::int64_t sample = 0; sample < run.samples; ++sample)
        for (std::int64_t repeat = 1; repeat <= run.repeats; ++repeat)
            run.ledger[{sample, repeat}] = 1;
    return run;
}

TEST(ChaosCheck, ARunWithEveryTrialOnceIsGood) {
    EXPECT_THAT(check_run(whole_run()), IsEmpty());
}

TEST(ChaosCheck, FindsATrialThatIsMissing) {
    RunOutcome run = whole_run();
    run.ledger.erase({1, 2});
    EXPECT_EQ(count_lost(run), 1U);
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("lost 1 trials")));
}

TEST(ChaosCheck, FindsATrialThatIsThereTwice) {
    RunOutcome run = whole_run();
    run.ledger[{1, 2}] = 2;
    EXPECT_EQ(count_doubled(run), 1U);
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("(1, 2) 2 times")));
}

TEST(ChaosCheck, ATrialOfAnotherRunDoesNotStandInForOneThatIsMissing) {
    RunOutcome run = whole_run();
    run.ledger.erase({1, 2});
    run.ledger[{3, 1}] = 1;
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("lost 1"), HasSubstr("no such trial")));
}

TEST(ChaosCheck, FindsErrorsAFailedStateAndAFailedVerification) {
    RunOutcome run = whole_run();
    run.errors = 2;
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("2 trials with an error")));
    run = whole_run();
    run.state = "failed";
    run.note = "the reason";
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("is failed: the reason")));
    run = whole_run();
    run.verify_exit_code = 1;
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("not verified")));
}

TEST(ChaosCheck, ARunThatEndedEarlyMayLackTrialsButHasNoneTwice) {
    RunOutcome run = whole_run();
    run.is_whole = false;
    run.ledger.erase({0, 1});
    EXPECT_THAT(check_run(run), IsEmpty());
    run.ledger[{0, 2}] = 2;
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("2 times")));
}

TEST(ChaosCheck, OnlyARunThatWasToldSoMayBeCancelled) {
    RunOutcome run = whole_run();
    run.state = "cancelled";
    EXPECT_THAT(check_run(run), ElementsAre(HasSubstr("is cancelled")));
    run.may_be_cancelled = true;
    EXPECT_THAT(check_run(run), IsEmpty());
}

TEST(ChaosCheck, CountsCallsThatWereMadeAgainAndBoundsThem) {
    Calls calls;
    for (int i = 0; i < 20; ++i)
        calls["q" + std::to_string(i)] = 3;
    EXPECT_EQ(count_repeated(calls, 3), 0U);
    EXPECT_THAT(check_repeated(calls, 3, 0), IsEmpty());
    calls["q1"] = 6;  // 3 of 60: 5 %
    EXPECT_EQ(count_repeated(calls, 3), 3U);
    EXPECT_THAT(check_repeated(calls, 3, 0), IsEmpty());
    calls["q2"] = 4;
    EXPECT_THAT(check_repeated(calls, 3, 0), ElementsAre(HasSubstr("4 of 64")));
    EXPECT_THAT(check_repeated(calls, 3, 1), IsEmpty()) << "one was in flight";
}

TEST(ChaosCheck, ACallThatIsMissingDoesNotMakeUpForOneTooMany) {
    EXPECT_EQ(count_repeated({{"a", 1}, {"b", 3}}, 2), 1U);
}

TEST(ChaosCheck, FindsCallsForRunsThatAreOver) {
    EXPECT_THAT(check_late(0, 0), IsEmpty());
    EXPECT_THAT(check_late(4, 4), IsEmpty());
    EXPECT_THAT(check_late(5, 4), ElementsAre(HasSubstr("5 model calls")));
}

TEST(ChaosCheck, ATombstoneWithATtlMayStay) {
    EXPECT_THAT(check_keys({{"ef:{main}:run:r", 1000}, {"ef:{main}:runs", -1}}, {"r"}), IsEmpty());
    EXPECT_THAT(check_keys({{"ef:{main}:run:r", -1}}, {"r"}), ElementsAre(HasSubstr("run:r")));
}

TEST(ChaosCheck, FindsEveryOtherKeyOfARunThatIsOver) {
    for (const std::string kind : {"job", "q", "try", "past", "fly", "res"}) {
        const std::vector<QueueKey> keys{{"ef:{main}:" + kind + ":r", 1000}};
        EXPECT_THAT(check_keys(keys, {"r"}), ElementsAre(HasSubstr(kind))) << kind;
        EXPECT_THAT(check_keys(keys, {"other"}), IsEmpty()) << "it goes on";
    }
}

TEST(ChaosCheck, FindsARunThatIsOverAmongThoseThatAreServed) {
    EXPECT_THAT(check_keys({{"ef:{main}:runs", -1, {"r"}}}, {"r"}), ElementsAre(HasSubstr("runs")));
    EXPECT_THAT(check_keys({{"ef:{main}:lease", -1, {"r:17"}}}, {"r"}),
                ElementsAre(HasSubstr("r:17")));
    EXPECT_THAT(check_keys({{"ef:{main}:lease", -1, {"r2:17"}}}, {"r"}), IsEmpty());
}

TEST(ChaosCheck, FindsDescriptorsAndMemoryThatAreNotGivenBack) {
    const Levels before{{"coordinator", {30, 40'000}}};
    EXPECT_THAT(check_levels(before, {{"coordinator", {32, 50'000}}}), IsEmpty());
    EXPECT_THAT(check_levels(before, {{"coordinator", {60, 40'000}}}),
                ElementsAre(HasSubstr("60 descriptors, before 30")));
    EXPECT_THAT(check_levels(before, {{"coordinator", {30, 400'000}}}),
                ElementsAre(HasSubstr("400000 KiB")));
    EXPECT_THAT(check_levels(before, {{"w1", {60, 40'000}}}), IsEmpty()) << "it is new";
}

}  // namespace
}  // namespace evalfleet::chaos
