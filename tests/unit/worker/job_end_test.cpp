#include "worker/executor/job_end.hpp"

#include "common/job/lost_reasons.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

TEST(JobEnd, DeliversWhateverWasHeldToTheEnd) {
    EXPECT_EQ(end_of_trial({"r", true}, false).kind, JobEnd::Kind::deliver);
    EXPECT_EQ(end_of_trial({"r", false}, false).kind, JobEnd::Kind::deliver);
    EXPECT_EQ(end_of_trial({"r", false}, false).text, "r");
}

TEST(JobEnd, DeliversOnlySuccessAfterALostLease) {
    EXPECT_EQ(end_of_trial({"r", true}, true).kind, JobEnd::Kind::deliver);
    EXPECT_EQ(end_of_trial({"r", false}, true).kind, JobEnd::Kind::forget);
}

TEST(JobEnd, GivesABadPayloadOneTry) {
    const JobEnd end = end_of_bad_payload({ErrorKind::invalid, "no sample"});
    EXPECT_EQ(end.kind, JobEnd::Kind::fail);
    EXPECT_EQ(end.max_tries, 1U);
    EXPECT_EQ(end.text, "no sample");
}

TEST(JobEnd, GivesABadRunToOtherWorkersLater) {
    const JobEnd end = end_of_bad_run({ErrorKind::invalid, "no provider"});
    EXPECT_EQ(end.kind, JobEnd::Kind::fail);
    EXPECT_GT(end.max_tries, 1U);
    EXPECT_GT(end.delay.count(), 0);
    EXPECT_EQ(end.text, std::string(job::kRunRefused) + "no provider");
    EXPECT_EQ(end_of_bug("x").kind, JobEnd::Kind::fail);
}

}  // namespace
}  // namespace evalfleet::worker
