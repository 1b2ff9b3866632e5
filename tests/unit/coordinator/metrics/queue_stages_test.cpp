#include "coordinator/metrics/queue_stages.hpp"

#include <gmock/gmock.h>

namespace evalfleet::coordinator {
namespace {

using runs::RunPhase;
using runs::RunStats;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunStats run(const std::string& id, RunPhase phase) {
    RunStats run;
    run.run_id = id;
    run.phase = phase;
    run.total = 100;
    run.done = 40;
    run.errors = 3;
    run.unissued = 35;
    return run;
}

queue::PoolStats pool() {
    queue::PoolStats pool;
    pool.leased = 7;
    pool.delayed = 2;
    pool.runs = {{"a", 25, 10, 6, "run"}, {"b", 0, 5, 0, "pause"}};
    return pool;
}

TEST(QueueStages, EveryTrialIsInOneOfThem) {
    const QueueStages stages = count_stages({run("a", RunPhase::running)}, pool());
    EXPECT_EQ(stages, (QueueStages{45, 7, 2, 6, 37, 3}));
    EXPECT_EQ(stages.pending + stages.in_flight + stages.delayed + stages.uncollected +
                  stages.done + stages.failed,
              100U);
}

TEST(QueueStages, LeaveOutRunsThatAreOver) {
    queue::PoolStats empty;
    EXPECT_EQ(count_stages({run("z", RunPhase::done)}, empty), QueueStages{});
}

TEST(OldestJobAge, IsThatOfRunsThatGoOn) {
    RunStats young = run("a", RunPhase::running);
    young.oldest_job_age = std::chrono::seconds(3);
    RunStats old = run("b", RunPhase::running);
    old.oldest_job_age = std::chrono::seconds(5);
    RunStats paused = run("c", RunPhase::paused);
    paused.oldest_job_age = std::chrono::seconds(500);
    EXPECT_EQ(oldest_job_age({young, old, paused}), std::chrono::seconds(5));
    EXPECT_EQ(oldest_job_age({}), std::chrono::seconds(0));
}

TEST(WindowJobs, AreThoseOfRunsThatGoOn) {
    RunStats running = run("a", RunPhase::running);
    running.out = 25;
    RunStats paused = run("b", RunPhase::paused);
    paused.out = 5;
    EXPECT_EQ(count_window_jobs({running, paused}), 25U);
}

std::vector<std::string> ids_of(const std::vector<RunStats>& runs) {
    std::vector<std::string> ids;
    for (const RunStats& run : runs)
        ids.push_back(run.run_id);
    return ids;
}

TEST(ShownRuns, AreTheActiveOnesAndThoseThatEndedLast) {
    const std::chrono::system_clock::time_point noon{};
    RunStats first = run("first", RunPhase::done);
    first.ended = noon;
    RunStats last = run("last", RunPhase::failed);
    last.ended = noon + std::chrono::hours(1);
    const std::vector<RunStats> all{first, run("a", RunPhase::running), last,
                                    run("b", RunPhase::paused)};
    EXPECT_THAT(ids_of(pick_shown(all, 50, 1)), ElementsAre("a", "b", "last"));
    EXPECT_THAT(ids_of(pick_shown(all, 1, 5)), ElementsAre("a", "last", "first"));
    EXPECT_THAT(pick_shown({}, 1, 1), IsEmpty());
}

}  // namespace
}  // namespace evalfleet::coordinator
