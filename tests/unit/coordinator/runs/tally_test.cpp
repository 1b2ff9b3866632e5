#include "coordinator/runs/tally.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evalfleet::runs {
namespace {

Tally::Trial reported(std::string version) {
    Tally::Trial trial;
    trial.model_reported = std::move(version);
    return trial;
}

TEST(Tally, HasNoDriftWhileOneVersionIsReported) {
    Tally tally;
    EXPECT_EQ(drift_note(tally), std::nullopt);
    tally.add(reported("m-2"));
    tally.add(reported(""));
    tally.add(reported("m-2"));
    EXPECT_EQ(drift_note(tally), std::nullopt);
}

TEST(Tally, NamesTheVersionsAmongWhichTheModelDrifted) {
    Tally tally;
    tally.add(reported("m-2"));
    tally.add(reported("m-1"));
    tally.add(reported("m-2"));
    EXPECT_EQ(drift_note(tally), "model version drift: m-1, m-2");
}

TEST(Tally, CallsAnotherBuildDriftToo) {
    Tally tally;
    Tally::Trial trial = reported("m");
    for (const char* fingerprint : {"fp_b", "", "fp_a"}) {
        trial.system_fingerprint = fingerprint;
        tally.add(trial);
    }
    EXPECT_EQ(drift_note(tally), "system_fingerprint drift: fp_a, fp_b");
    tally.add(reported("n"));
    EXPECT_EQ(drift_note(tally), "model version drift: m, n; system_fingerprint drift: fp_a, fp_b");
}

}  // namespace
}  // namespace evalfleet::runs
