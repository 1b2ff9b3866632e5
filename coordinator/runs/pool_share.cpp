#include "coordinator/runs/pool_share.hpp"

#include <algorithm>

namespace evalfleet::runs {

bool is_drained(const queue::PoolStats& stats, std::string_view run_id) {
    return std::none_of(stats.runs.begin(), stats.runs.end(), [run_id](const queue::RunStats& run) {
        return run.run == run_id && (run.leased > 0 || run.results > 0);
    });
}

}  // namespace evalfleet::runs
