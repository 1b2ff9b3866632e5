#include "coordinator/catalog/run_filter.hpp"

#include <gtest/gtest.h>

namespace evalfleet::catalog {
namespace {

using runs::RunPhase;

RunFacts facts() {
    RunFacts facts;
    facts.run_id = "r1";
    facts.name = "nightly-qa";
    facts.group_id = "g1";
    facts.submitted_at = "2026-11-16T02:00:00.500Z";
    return facts;
}

TEST(RunFilter, LetsEverythingThroughWhenItIsEmpty) {
    EXPECT_TRUE(RunFilter{}.fits(facts(), RunPhase::running));
}

TEST(RunFilter, LooksAtTheCurrentPhase) {
    const RunFilter filter{.phases = {RunPhase::running, RunPhase::paused}};
    EXPECT_TRUE(filter.fits(facts(), RunPhase::paused));
    EXPECT_FALSE(filter.fits(facts(), RunPhase::done));
}

TEST(RunFilter, LooksAtNameAndGroup) {
    EXPECT_TRUE(RunFilter{.name = "nightly-qa"}.fits(facts(), RunPhase::done));
    EXPECT_FALSE(RunFilter{.name = "nightly"}.fits(facts(), RunPhase::done));
    EXPECT_TRUE(RunFilter{.name = "nightly*"}.fits(facts(), RunPhase::done));
    EXPECT_TRUE(RunFilter{.group = "g1"}.fits(facts(), RunPhase::done));
    EXPECT_FALSE(RunFilter{.group = "g2"}.fits(facts(), RunPhase::done));
}

TEST(RunFilter, LooksForAllLabels) {
    RunFacts noted = facts();
    noted.run_labels = {{"branch", "main"}, {"pr", "7"}};
    const auto fits = [&](std::vector<std::pair<std::string, std::string>> labels) {
        return RunFilter{.labels = std::move(labels)}.fits(noted, RunPhase::done);
    };
    EXPECT_TRUE(fits({{"branch", "main"}}));
    EXPECT_TRUE(fits({{"branch", "main"}, {"pr", "7"}}));
    EXPECT_FALSE(fits({{"branch", "main"}, {"pr", "8"}}));
    EXPECT_FALSE(fits({{"commit", ""}}));
}

TEST(RunFilter, LooksAtTheTimeOfSubmission) {
    const auto fits = [](const char* since, const char* until) {
        RunFilter filter;
        filter.since = parse_time(since);
        filter.until = parse_time(until);
        return filter.fits(facts(), RunPhase::done);
    };
    EXPECT_TRUE(fits("2026-11-16", ""));
    EXPECT_TRUE(fits("2026-11-16T02:00:00.5Z", ""));
    EXPECT_FALSE(fits("2026-11-16T02:00:01Z", ""));
    EXPECT_FALSE(fits("9999-01-01", ""));
    EXPECT_FALSE(fits("", "0001-01-01"));
    EXPECT_FALSE(fits("", "2026-11-16T02:00:00.500Z"));
    EXPECT_TRUE(fits("", "2026-11-17"));
}

TEST(RunFilter, ReadsTimesStrictly) {
    EXPECT_TRUE(parse_time("2026-11-16T02:00"));
    EXPECT_TRUE(parse_time("2026-11-16T02:00:00"));
    for (const char* text : {"", "2026", "2026-13-01", "2026-02-30", "2026-11-16 02:00",
                             "2026-11-16T25:00:00Z", "2026-11-16T02:00:00Zx", "-026-11-16"})
        EXPECT_FALSE(parse_time(text)) << text;
}

TEST(RunFilter, ReadsStatesAndWhatStandsForSeveral) {
    EXPECT_EQ(parse_states("done,failed"), (std::vector{RunPhase::done, RunPhase::failed}));
    EXPECT_EQ(parse_states("active")->size(), 5U);
    EXPECT_FALSE(parse_states("done,"));
    EXPECT_FALSE(parse_states("Done"));
}

}  // namespace
}  // namespace evalfleet::catalog
