#include "tests/chaos/fault_steps.hpp"

#include <chrono>
#include <stdexcept>

namespace evalfleet::chaos {

namespace {

using std::chrono::steady_clock;

// For as long as a run takes to end.
void leave_replica_behind(TestBed& test_bed) {
    test_bed.pair().let_replica_lag(testing::RedisPair::Lag::any_length);
}

void fail_over(TestBed& test_bed) {
    test_bed.pair().fail_over();
}

/// How Redis is made to go back to what it knew at one moment.
struct WayBack {
    const char* name;
    const char* group;
    void (*remember)(TestBed&);
    void (*go_back)(TestBed&);
};

const WayBack kWaysBack[] = {
    {"redis rolled back", "Moments", [](TestBed& a) { a.fleet().remember_redis(); },
     [](TestBed& a) { a.fleet().roll_redis_back(); }},
    {"sentinel failover", "sentinel, ended run", leave_replica_behind, fail_over},
    {"cluster failover", "cluster, ended run", leave_replica_behind, fail_over},
};

// Redis is to remember the run as one that still has a window of jobs out.
void end_run_after(TestBed& test_bed, Injection& injection, const WayBack& way) {
    const TestBed::Run& run = injection.runs.front();
    await_step(run.id + " is half done", [&] {
        const auto now = test_bed.progress(run);
        return now && now->done >= test_bed.count_trials() / 2;
    });
    way.remember(test_bed);
    if (test_bed.are_over({run}))
        throw std::runtime_error(run.id + " was over before it was to be remembered");
    await_over(test_bed, run);
    await_step("Redis hears that " + run.id + " is over",
               [&] { return check_keys(test_bed.keys(), {run.id}).empty(); });
}

// Nobody fills the window of a run that is over: what was out in it is all that workers can call
// for; once Redis was told again, only what they had in hand.
void bring_run_back(TestBed& test_bed, Injection& injection, const WayBack& way) {
    const TestBed::Run run = injection.runs.front();
    const auto over = steady_clock::now();
    way.go_back(test_bed);
    await_step("Redis is told again that " + run.id + " is over",
               [&] { return check_keys(test_bed.keys(), {run.id}).empty(); });
    const auto told = steady_clock::now();
    injection.check_at_end = [&test_bed, run, over, told] {
        Findings found = check_late(test_bed.count_calls_of(run, over), TestBed::kWindow);
        for (std::string& more : check_late(test_bed.count_calls_of(run, told), TestBed::kSlots))
            found.push_back(std::move(more));
        return found;
    };
}

}  // namespace

void add_revivals(std::vector<Fault>& faults) {
    for (const WayBack& way : kWaysBack)
        faults.push_back({std::string(way.name) + ", a run that ended comes back",
                          way.group,
                          [&way](TestBed& a, Injection& s) { end_run_after(a, s, way); },
                          [&way](TestBed& a, Injection& s) { bring_run_back(a, s, way); },
                          {},
                          Exposure::window});
}

}  // namespace evalfleet::chaos
