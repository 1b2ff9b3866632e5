#include "coordinator/api/run_view.hpp"

#include <gtest/gtest.h>

namespace evalfleet::api {
namespace {

TEST(StoredProgress, SaysWhatWasSaidWhenTheRunEnded) {
    catalog::RunFacts facts;
    facts.run_id = "r";
    facts.phase = runs::RunPhase::done;
    EXPECT_EQ(stored_progress(facts, "/f").note, std::nullopt);
    facts.note = "significantly worse than the baseline main";
    facts.outcome = catalog::RunOutcome{.done = 30, .passed = 21};
    const runs::Progress progress = stored_progress(facts, "/f");
    EXPECT_EQ(progress.note, facts.note);
    EXPECT_EQ(progress.done, 30U);
    EXPECT_EQ(progress.release_ready, false);
}

}  // namespace
}  // namespace evalfleet::api
