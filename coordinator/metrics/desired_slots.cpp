#include "coordinator/metrics/desired_slots.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evalfleet::coordinator {

namespace {

using runs::RunPhase;
using runs::RunStats;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Latencies vary: with as many slots as calls on average, permits would lie idle at times.
constexpr double kHeadroom = 1.2;

// What a trial of a run asks of one provider.
struct Use {
    std::string provider;
    double calls = 0;
    double seconds = 0;  // of all of them
};

// What a trial does from beginning to end.
struct Trial {
    std::vector<Use> uses;
    double seconds = 0;
    bool is_measured = false;
};

void add_call(Trial& trial, const std::string& provider, double seconds) {
    if (provider.empty()) return;
    trial.seconds += seconds;
    for (Use& use : trial.uses) {
        if (use.provider != provider) continue;
        use.calls += 1;
        use.seconds += seconds;
        return;
    }
    trial.uses.push_back({provider, 1, seconds});
}

Trial trial_of(const RunStats& run) {
    Trial trial;
    trial.is_measured = (run.model_provider.empty() || run.model_seconds > 0) &&
                        (run.judge_provider.empty() || run.judge_seconds > 0);
    add_call(trial, run.model_provider, trial.is_measured ? run.model_seconds : 1);
    add_call(trial, run.judge_provider, trial.is_measured ? run.judge_seconds : 1);
    return trial;
}

// What is left of the providers' limits while runs are given their share.
class Room {
  public:
    explicit Room(const SlotLimits& limits) {
        for (const auto& [name, limit] : limits.providers) {
            Left left;
            if (limit.rpm > 0) left.calls_a_second = static_cast<double>(limit.rpm) / 60;
            if (limit.max_concurrent > 0)
                left.calls_at_once = static_cast<double>(limit.max_concurrent);
            left_.emplace(name, left);
        }
    }

    // As many slots as can be kept busy, at most `demand`; they are taken away from what is left.
    double take(const Trial& trial, double demand) {
        double slots = demand;
        for (const Use& use : trial.uses)
            slots = std::min(slots, fitting(trial, use));
        for (const Use& use : trial.uses)
            subtract(trial, use, slots);
        return slots;
    }

  private:
    struct Left {
        double calls_a_second = kUnlimited;
        double calls_at_once = kUnlimited;
    };

    double fitting(const Trial& trial, const Use& use) const {
        const auto left = left_.find(use.provider);
        if (left == left_.end()) return kUnlimited;
        double slots = left->second.calls_at_once * trial.seconds / use.seconds;
        if (trial.is_measured)
            slots = std::min(slots, left->second.calls_a_second / use.calls * trial.seconds);
        return slots * kHeadroom;
    }

    void subtract(const Trial& trial, const Use& use, double slots) {
        const auto left = left_.find(use.provider);
        if (left == left_.end()) return;
        const double trials = slots / kHeadroom / trial.seconds;  // a second
        auto& [calls_a_second, calls_at_once] = left->second;
        calls_at_once = std::max(0.0, calls_at_once - trials * use.seconds);
        if (trial.is_measured) calls_a_second = std::max(0.0, calls_a_second - trials * use.calls);
    }

    std::map<std::string, Left, std::less<>> left_;
};

const queue::RunStats* find(const queue::PoolStats& pool, const std::string& run_id) {
    const auto found = std::find_if(pool.runs.begin(), pool.runs.end(),
                                    [&](const queue::RunStats& run) { return run.run == run_id; });
    return found == pool.runs.end() ? nullptr : &*found;
}

double demand_of(const RunStats& run, const queue::RunStats* stats) {
    const double jobs = static_cast<double>(run.unissued) +
                        (stats != nullptr ? static_cast<double>(stats->outstanding) : 0);
    if (run.max_in_flight == 0) return jobs;
    return std::min(jobs, static_cast<double>(run.max_in_flight));
}

}  // namespace

std::uint64_t count_desired_slots(const std::vector<RunStats>& runs, const queue::PoolStats& pool,
                                  const SlotLimits& limits) {
    Room room(limits);
    double wanted = 0;
    // Of runs that are paused or cancelled: their calls go on, whatever the limits are now.
    std::uint64_t others = pool.leased + pool.delayed;
    for (const RunStats& run : runs) {
        if (run.phase != RunPhase::running && run.phase != RunPhase::queued) continue;
        const queue::RunStats* stats = find(pool, run.run_id);
        if (stats != nullptr)
            others -=
                std::min(others, stats->outstanding - std::min(stats->ready, stats->outstanding));
        wanted += room.take(trial_of(run), demand_of(run, stats));
    }
    // What rounding left over of a limit is no slot.
    const auto slots = others + static_cast<std::uint64_t>(std::ceil(wanted - 1e-6));
    return limits.most == 0 ? slots : std::min(slots, limits.most);
}

}  // namespace evalfleet::coordinator
