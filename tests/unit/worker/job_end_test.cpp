#include "worker/executor/job_end.hpp"

#include "common/job/lost_reasons.hpp"
#include "common/job/setback.hpp"
#include "common/queue/bounds.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

TEST(JobEnd, DeliversWhateverWasHeldToTheEnd) {
    EXPECT_EQ(end_of_trial(FinishedTrial{"r", true}, false).kind, JobEnd::Kind::deliver);
    EXPECT_EQ(end_of_trial(FinishedTrial{"r", false}, false).kind, JobEnd::Kind::deliver);
    const JobEnd end = end_of_trial(FinishedTrial{"r", false, {7, 8}}, false);
    EXPECT_EQ(end.text, "r");
    EXPECT_EQ(end.spent, (queue::Spent{7, 8}));
}

TEST(JobEnd, DeliversOnlySuccessAfterALostLease) {
    EXPECT_EQ(end_of_trial(FinishedTrial{"r", true}, true).kind, JobEnd::Kind::deliver);
    EXPECT_EQ(end_of_trial(FinishedTrial{"r", false}, true).kind, JobEnd::Kind::forget);
}

TEST(JobEnd, GivesUpARecordThatNobodyCouldRead) {
    const std::string record(queue::kMaxRecordBytes + 1, 'x');
    const JobEnd end = end_of_trial(FinishedTrial{record, true}, false);
    EXPECT_EQ(end.kind, JobEnd::Kind::fail);
    EXPECT_EQ(end.max_tries, 1U);
    EXPECT_EQ(end.text, "the trial's record has 33554433 bytes; at most 33554432 can be handed on");
}

TEST(JobEnd, PutsATrialBackThatInfrastructureWasInTheWayOf) {
    const queue::JobSetback setback{std::chrono::milliseconds(1'500), std::chrono::milliseconds(40),
                                    "connect=1", "note"};
    const JobEnd end = end_of_trial(setback, false);
    EXPECT_EQ(end.kind, JobEnd::Kind::put_back);
    EXPECT_EQ(end.setback.delay, std::chrono::milliseconds(1'500));
    EXPECT_EQ(end.setback.elapsed, std::chrono::milliseconds(40));
    EXPECT_EQ(end.setback.past, "connect=1");
    EXPECT_EQ(end.setback.note, "note");
}

TEST(JobEnd, GivesABadPayloadOneTry) {
    const JobEnd end = end_of_bad_payload({ErrorKind::invalid, "no sample"});
    EXPECT_EQ(end.kind, JobEnd::Kind::fail);
    EXPECT_EQ(end.max_tries, 1U);
    EXPECT_EQ(end.text, "no sample");
}

TEST(JobEnd, PutsABadRunBackForOtherWorkersAndTellsTheCoordinator) {
    const JobEnd end = end_of_bad_run({ErrorKind::invalid, "no provider"});
    EXPECT_EQ(end.kind, JobEnd::Kind::put_back);
    ASSERT_TRUE(end.setback.delay);
    EXPECT_GT(end.setback.delay->count(), 0);
    EXPECT_EQ(end.setback.past, "") << "a refusal is no failure of the trial";
    const auto note = job::parse_setback(end.setback.note);
    ASSERT_TRUE(note) << note.error().message;
    EXPECT_EQ(note->kind, job::CallError::worker_lost);
    EXPECT_EQ(note->message, std::string(job::kRunRefused) + "no provider");
}

TEST(JobEnd, GivesABugAFewTries) {
    const JobEnd end = end_of_bug("x");
    EXPECT_EQ(end.kind, JobEnd::Kind::fail);
    EXPECT_GT(end.max_tries, 1U);
    EXPECT_GT(end.delay.count(), 0);
    EXPECT_EQ(end.text, "internal error: x");
}

}  // namespace
}  // namespace evalfleet::worker
