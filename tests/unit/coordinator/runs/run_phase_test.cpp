#include "coordinator/runs/run_phase.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace evalfleet::runs {
namespace {

const std::vector<RunPhase> kPhases{RunPhase::queued,     RunPhase::running,   RunPhase::paused,
                                    RunPhase::cancelling, RunPhase::cancelled, RunPhase::finishing,
                                    RunPhase::done,       RunPhase::failed};

TEST(RunPhase, NamesReadBackAsThePhase) {
    std::set<std::string_view> names;
    for (const RunPhase phase : kPhases) {
        EXPECT_EQ(parse_run_phase(to_string(phase)), phase) << to_string(phase);
        names.insert(to_string(phase));
    }
    EXPECT_EQ(names.size(), kPhases.size());
}

TEST(RunPhase, HasTheNamesOfTheApi) {
    EXPECT_EQ(to_string(RunPhase::queued), "queued");
    EXPECT_EQ(to_string(RunPhase::cancelling), "cancelling");
    EXPECT_EQ(to_string(RunPhase::failed), "failed");
}

TEST(RunPhase, DoesNotReadOtherWords) {
    for (const char* word : {"", "Running", "running ", "run", "stopped"})
        EXPECT_EQ(parse_run_phase(word), std::nullopt) << word;
}

TEST(RunPhase, GoesTheWaysThatAreDrawnAndNoOther) {
    using enum RunPhase;
    const std::set<std::pair<RunPhase, RunPhase>> allowed{
        {queued, running},     {queued, cancelling}, {queued, failed},    {running, paused},
        {running, cancelling}, {running, finishing}, {running, failed},   {paused, running},
        {paused, cancelling},  {paused, finishing},  {paused, failed},    {cancelling, cancelled},
        {cancelling, failed},  {finishing, done},    {finishing, failed}, {finishing, running},
        {failed, running},     {failed, cancelling}};
    for (const RunPhase from : kPhases)
        for (const RunPhase to : kPhases)
            EXPECT_EQ(may_become(from, to), from == to || allowed.contains({from, to}))
                << to_string(from) << " -> " << to_string(to);
}

TEST(RunPhase, IsOverExactlyWhenNoWayLeadsOnButThatOfSomebodyWhoMendedIt) {
    for (const RunPhase from : kPhases) {
        if (from == RunPhase::failed) continue;
        bool leads_on = false;
        for (const RunPhase to : kPhases)
            leads_on = leads_on || (from != to && may_become(from, to));
        EXPECT_EQ(is_over(from), !leads_on) << to_string(from);
    }
    EXPECT_TRUE(is_over(RunPhase::done));
    EXPECT_TRUE(is_over(RunPhase::failed));
    EXPECT_FALSE(is_over(RunPhase::finishing));
}

}  // namespace
}  // namespace evalfleet::runs
