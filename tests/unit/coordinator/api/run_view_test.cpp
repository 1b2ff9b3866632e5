#include "coordinator/api/run_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::api {
namespace {

using ::testing::HasSubstr;

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

catalog::RunFacts paused_run() {
    catalog::RunFacts facts;
    facts.run_id = "r";
    facts.name = "nightly";
    facts.group_id = "g";
    facts.phase = runs::RunPhase::paused;
    facts.total = 90;
    return facts;
}

TEST(CurrentProgress, IsThatOfTheFolderUntilItsKeeperHasLookedIntoIt) {
    const runs::Progress progress = current_progress(std::nullopt, paused_run(), "/f");
    EXPECT_EQ(progress.name, "nightly");
    EXPECT_EQ(progress.phase, runs::RunPhase::paused);
    EXPECT_EQ(progress.total, 90U);
    EXPECT_EQ(progress.folder, "/f");
}

TEST(CurrentProgress, TakesFromTheFolderWhatARunThatIsNotOpenLeavesOut) {
    runs::Progress live;
    live.phase = runs::RunPhase::failed;
    live.note = "cannot open it";
    const runs::Progress progress = current_progress(live, paused_run(), "/f");
    EXPECT_EQ(progress.name, "nightly");
    EXPECT_EQ(progress.group_id, "g");
    EXPECT_EQ(progress.total, 90U);
    EXPECT_EQ(progress.phase, runs::RunPhase::failed);
    EXPECT_EQ(progress.note, "cannot open it");
}

TEST(CurrentProgress, IsThatOfTheKeeperOnceTheRunIsOpen) {
    runs::Progress live;
    live.name = "nightly";
    live.phase = runs::RunPhase::running;
    live.total = 90;
    live.done = 7;
    const runs::Progress progress = current_progress(live, paused_run(), "/f");
    EXPECT_EQ(progress.phase, runs::RunPhase::running);
    EXPECT_EQ(progress.done, 7U);
}

TEST(RunView, HasLabelsAndTheDescription) {
    RunView view;
    EXPECT_THAT(to_json(view), HasSubstr(R"("description":null)"));
    EXPECT_THAT(to_json(view), HasSubstr(R"("run_labels":{})"));
    view.facts.description = "why";
    view.facts.run_labels = {{"branch", "main"}, {"pr", "7"}};
    EXPECT_THAT(to_json(view), HasSubstr(R"("description":"why")"));
    EXPECT_THAT(to_json(view), HasSubstr(R"("run_labels":{"branch":"main","pr":"7"})"));
}

}  // namespace
}  // namespace evalfleet::api
