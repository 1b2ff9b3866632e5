#include "coordinator/metrics/queue_stages.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace evalfleet::coordinator {

namespace {

using runs::RunPhase;
using runs::RunStats;

const queue::RunStats* find(const queue::PoolStats& pool, std::string_view run_id) {
    const auto found = std::find_if(pool.runs.begin(), pool.runs.end(),
                                    [&](const queue::RunStats& run) { return run.run == run_id; });
    return found == pool.runs.end() ? nullptr : &*found;
}

bool ended_later(const RunStats& left, const RunStats& right) {
    if (left.ended != right.ended) return left.ended > right.ended;
    return left.run_id > right.run_id;  // ids begin with the time of submission, after the name
}

}  // namespace

QueueStages count_stages(const std::vector<RunStats>& runs, const queue::PoolStats& pool) {
    QueueStages stages;
    stages.in_flight = pool.leased;
    stages.delayed = pool.delayed;
    for (const RunStats& run : runs) {
        if (is_over(run.phase)) continue;
        stages.done += run.done - run.errors;
        stages.failed += run.errors;
        stages.pending += run.unissued;
        const queue::RunStats* stats = find(pool, run.run_id);
        if (stats == nullptr) continue;
        stages.pending += stats->ready;
        stages.uncollected += stats->results;
    }
    return stages;
}

std::chrono::nanoseconds oldest_job_age(const std::vector<RunStats>& runs) {
    std::chrono::nanoseconds oldest{0};
    for (const RunStats& run : runs)
        if (run.phase == RunPhase::running) oldest = std::max(oldest, run.oldest_job_age);
    return oldest;
}

std::uint64_t count_window_jobs(const std::vector<RunStats>& runs) {
    std::uint64_t jobs = 0;
    for (const RunStats& run : runs)
        if (run.phase == RunPhase::running) jobs += run.out;
    return jobs;
}

std::vector<RunStats> pick_shown(std::vector<RunStats> runs, std::size_t most_active,
                                 std::size_t most_ended) {
    const auto ended = std::stable_partition(
        runs.begin(), runs.end(), [](const RunStats& run) { return !is_over(run.phase); });
    std::vector<RunStats> over(std::make_move_iterator(ended), std::make_move_iterator(runs.end()));
    runs.erase(ended, runs.end());
    runs.resize(std::min(runs.size(), most_active));
    std::sort(over.begin(), over.end(), ended_later);
    over.resize(std::min(over.size(), most_ended));
    std::move(over.begin(), over.end(), std::back_inserter(runs));
    return runs;
}

}  // namespace evalfleet::coordinator
