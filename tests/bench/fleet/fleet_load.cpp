#include "tests/bench/fleet/fleet_load.hpp"

#include "tests/bench/fleet/fleet_under_load.hpp"
#include "tests/bench/fleet/process_cost.hpp"
#include "tests/support/redis_commander.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace evalfleet::bench {

namespace fs = std::filesystem;
using testing::Process;

namespace {

constexpr double kMiB = 1024.0 * 1024;
constexpr double kKiB = 1024.0;
constexpr double kCallsOfTrial = 2;

/// One process, or several of a kind together.
struct Costs {
    double cpu_us = 0;
    double rss = 0;
    double peak_rss = 0;
};

Costs costs_of(const std::vector<pid_t>& pids) {
    Costs sum;
    for (const pid_t pid : pids) {
        const ProcessCost cost = read_cost(pid);
        sum.cpu_us += cost.cpu_us;
        sum.rss += static_cast<double>(cost.rss);
        sum.peak_rss += static_cast<double>(cost.peak_rss);
    }
    return sum;
}

std::vector<pid_t> worker_pids(const FleetUnderLoad& fleet) {
    std::vector<pid_t> pids;
    for (const Process& worker : fleet.workers())
        pids.push_back(worker.pid());
    return pids;
}

struct Snapshot {
    Costs worker, redis, coordinator, provider;
};

Snapshot look_at(const FleetUnderLoad& fleet) {
    return {costs_of(worker_pids(fleet)), costs_of({fleet.redis_pid()}),
            costs_of({fleet.coordinator_pid()}), costs_of({fleet.provider_pid()})};
}

/// "cmdstat_hset:calls=3,usec=7,..." by line.
void enter_redis(const std::string& stats, double trials, Figures& figures) {
    double functions = 0, function_us = 0, commands = 0;
    std::istringstream lines(stats);
    for (std::string line; std::getline(lines, line);) {
        const auto calls_at = line.find(":calls="), us_at = line.find(",usec=");
        if (calls_at == std::string::npos || us_at == std::string::npos) continue;
        const double calls = std::stod(line.substr(calls_at + 7));
        if (!line.starts_with("cmdstat_fcall")) {
            commands += calls;
            continue;
        }
        functions += calls;
        function_us += std::stod(line.substr(us_at + 6));
    }
    figures[Figure::redis_function_us] = function_us / trials;
    figures[Figure::redis_functions] = functions / trials;
    figures[Figure::redis_commands] = commands / trials;
}

void enter_costs(const Snapshot& before, const Snapshot& after, const Load& load,
                 Figures& figures) {
    const auto trials = static_cast<double>(load.trials);
    const auto spent = [trials](const Costs& first, const Costs& then) {
        return (then.cpu_us - first.cpu_us) / trials;
    };
    figures[Figure::worker_us] = spent(before.worker, after.worker);
    figures[Figure::redis_us] = spent(before.redis, after.redis);
    figures[Figure::coordinator_us] = spent(before.coordinator, after.coordinator);
    figures[Figure::simulator_us] = spent(before.provider, after.provider);
    figures[Figure::together_us] =
        *figures[Figure::worker_us] + *figures[Figure::redis_us] + *figures[Figure::coordinator_us];
    figures[Figure::worker_mib] = after.worker.peak_rss / kMiB;
    figures[Figure::redis_mib] = after.redis.peak_rss / kMiB;
    figures[Figure::coordinator_mib] = after.coordinator.peak_rss / kMiB;
    figures[Figure::kib_a_call] =
        (after.worker.peak_rss - before.worker.rss) / kKiB / static_cast<double>(load.in_flight);
}

/// strace on a process until it is told to go; its summary's total of calls.
class SyscallCount {
  public:
    SyscallCount(pid_t pid, const fs::path& folder)
        : file_(folder / ("syscalls-" + std::to_string(pid))),
          strace_({"/usr/bin/env", "strace", "-f", "-c", "-o", file_.string(), "-p",
                   std::to_string(pid)},
                  folder / "strace.log") {}

    [[nodiscard]] double blocking_finish() {
        strace_.signal(SIGINT);
        strace_.wait();
        std::ifstream file(file_);
        for (std::string line; std::getline(file, line);) {
            if (!line.ends_with(" total")) continue;
            std::istringstream fields(line);  // % time, seconds, usecs/call, calls, errors
            double share = 0, seconds = 0, each = 0, calls = 0;
            fields >> share >> seconds >> each >> calls;
            return calls;
        }
        throw std::runtime_error("strace counted nothing; may it trace processes here?");
    }

  private:
    fs::path file_;
    Process strace_;
};

}  // namespace

bool has_program(const std::string& name) {
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::error_code ignored;
        if (!folder.empty() && fs::exists(fs::path(folder) / name, ignored)) return true;
    }
    return false;
}

Figures blocking_measure(const fs::path& bin, const Load& load) {
    FleetUnderLoad fleet(bin, load);
    (void)testing::blocking_command(fleet.redis_url(), redis::Command("CONFIG", "RESETSTAT"));
    const Snapshot before = look_at(fleet);
    fleet.work();
    const Snapshot after = look_at(fleet);
    Figures figures;
    const std::string stats =
        testing::blocking_command(fleet.redis_url(), redis::Command("INFO", "commandstats")).text();
    enter_redis(stats, static_cast<double>(load.trials), figures);
    enter_costs(before, after, load, figures);
    figures[Figure::rate] = fleet.middle_rate();
    if (load.latency_ms > 0) {
        const double ideal = static_cast<double>(load.in_flight) * 1000 /
                             (kCallsOfTrial * static_cast<double>(load.latency_ms));
        figures[Figure::share_of_ideal] = *figures[Figure::rate] / ideal;
    }
    if (load.wrk) {
        if (const auto calls = fleet.blocking_wrk())
            figures[Figure::share_of_wrk] = *figures[Figure::rate] * kCallsOfTrial / *calls;
    }
    return figures;
}

Figures blocking_count_syscalls(const fs::path& bin, const Load& load) {
    Figures figures;
    if (!has_program("strace")) return figures;
    FleetUnderLoad fleet(bin, load);
    const auto trials = static_cast<double>(load.trials);
    SyscallCount worker(fleet.workers().front().pid(), fleet.folder().path());
    SyscallCount redis(fleet.redis_pid(), fleet.folder().path());
    SyscallCount coordinator(fleet.coordinator_pid(), fleet.folder().path());
    fleet.work();
    const auto workers = static_cast<double>(load.workers);
    figures[Figure::worker_syscalls] = worker.blocking_finish() * workers / trials;
    figures[Figure::redis_syscalls] = redis.blocking_finish() / trials;
    figures[Figure::coordinator_syscalls] = coordinator.blocking_finish() / trials;
    return figures;
}

}  // namespace evalfleet::bench
