#include "tests/chaos/fault_steps.hpp"
#include "tests/support/redis_commander.hpp"

#include <csignal>

namespace evalfleet::chaos {

namespace {

constexpr std::chrono::milliseconds kSideBySide{1'500};

// Redis has what a fleet of version 4 has left there, and one of its workers is still at work.
void bring_old_version(TestBed& test_bed, Injection& injection) {
    const std::string url = test_bed.fleet().redis().url();
    (void)testing::blocking_command(
        url, redis::Command("FUNCTION", "LOAD", "REPLACE", OldWorker::library()));
    injection.old_worker = std::make_unique<OldWorker>(url);
}

bool has_worked(TestBed& test_bed, Injection& injection) {
    if (injection.old_worker->count_delivered() > 0) return true;
    return test_bed.are_over({injection.runs.front()});
}

// One after the other, each as soon as the one before is there; the old one goes last.
void roll_out(TestBed& test_bed, Injection& injection) {
    Fleet& fleet = test_bed.fleet();
    for (std::size_t i = 0; i < TestBed::kWorkers; ++i) {
        end_with(fleet.worker(i), SIGTERM);
        fleet.kill_worker(i);
    }
    end_with(fleet.coordinator(), SIGTERM);
    fleet.kill_coordinator();
    await_step("an old worker delivers", [&] { return has_worked(test_bed, injection); });
    injection.old_worker.reset();
}

}  // namespace

void add_upgrades(std::vector<Fault>& faults) {
    faults.push_back({"rolling upgrade, workers of two versions", "Processes", bring_old_version,
                      roll_out, kSideBySide});
}

}  // namespace evalfleet::chaos
