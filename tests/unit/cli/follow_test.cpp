#include "cli/commands/follow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

remote::RunProgress ended(std::string state, bool is_ready, std::optional<std::string> measured) {
    remote::RunProgress run;
    run.run_id = "r1";
    run.state = std::move(state);
    run.release_ready = is_ready;
    run.measured = std::move(measured);
    return run;
}

ExitCode verdict(const remote::RunProgress& run) {
    const FollowedRun runs[]{{run, "{}"}};
    return verdict_of(runs);
}

TEST(Verdict, IsThatOfTheGatesWhereTheRunWasMeasured) {
    EXPECT_EQ(verdict(ended("done", true, "complete")), ExitCode::done);
    EXPECT_EQ(verdict(ended("done", false, "complete")), ExitCode::failed);
    EXPECT_EQ(verdict(ended("done", false, std::nullopt)), ExitCode::failed);
    EXPECT_EQ(verdict(ended("cancelled", true, "complete")), ExitCode::unfinished);
}

TEST(Verdict, IsUnfinishedWhereOnlyTheBaselineIsNotKnown) {
    remote::RunProgress run = ended("done", false, "complete");
    run.undecided = false;
    EXPECT_EQ(exit_code_of(run), ExitCode::failed);
    run.undecided = true;
    EXPECT_EQ(exit_code_of(run), ExitCode::unfinished);
    EXPECT_EQ(verdict(run), ExitCode::unfinished);
}

TEST(Verdict, IsNoneWhereTheRunCouldNotBeMeasured) {
    EXPECT_EQ(verdict(ended("done", false, "partial")), ExitCode::unfinished);
    EXPECT_EQ(verdict(ended("done", false, "not_measured")), ExitCode::unfinished);
}

TEST(HeadOfReport, IsTheVerdictAndTheGates) {
    EXPECT_EQ(
        head_of_report("READY  x\nAll passed.\n\n  gate 1\n  gate 2\n\n  Run  r1\n\nScores\n"),
        "READY  x\nAll passed.\n\n  gate 1\n  gate 2\n");
    EXPECT_EQ(head_of_report("READY\n"), "READY\n");
    EXPECT_EQ(head_of_report(""), "");
}

TEST(Trouble, ComesWithTheCommandThatMendsIt) {
    remote::RunProgress run = ended("done", false, "not_measured");
    run.note = "could not measure: 30 of 30 calls refused (401, key my-label)";
    EXPECT_EQ(describe_trouble(run),
              "evalfleet: run r1: could not measure: 30 of 30 calls refused (401, key my-label)\n"
              "mend that, then try those trials again:\n  evalfleet retry --wait r1\n");
    run = ended("paused", false, std::nullopt);
    run.note = "could not measure: 20 calls in a row to the model failed";
    EXPECT_EQ(describe_trouble(run),
              "evalfleet: run r1 was paused: could not measure: 20 calls in a row to the model "
              "failed\nmend that, then try those trials again:\n  evalfleet resume r1\n");
    EXPECT_EQ(describe_trouble(ended("done", false, "complete")), "");
}

}  // namespace
}  // namespace evalfleet::cli
