#include "tests/chaos/faults.hpp"

#include "tests/chaos/fault_steps.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace evalfleet::chaos {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using Flow = FaultProxy::Flow;
using Link = FaultProxy::Link;

constexpr milliseconds kHold{1'500};
constexpr milliseconds kLag{1'000};               // of a replica, or a copy, behind
constexpr milliseconds kLongerThanALease{2'500};  // which is 2 s
constexpr milliseconds kStep{60'000};
constexpr seconds kPatience{60};

void nothing(TestBed& /*test_bed*/, Injection& /*injection*/) {}

void start_worker(TestBed& test_bed, Injection& injection) {
    test_bed.fleet().kill_worker(injection.worker);
}

void start_coordinator(TestBed& test_bed, Injection& /*injection*/) {
    test_bed.fleet().kill_coordinator();
}

/// Ends the coordinator a moment after `begin` has begun; `begin` goes on meanwhile, as a client
/// that tries again.
void end_coordinator_during(TestBed& test_bed, Injection& injection, int signal,
                            const std::function<void()>& begin) {
    const milliseconds moment(injection.random() % 30);
    std::exception_ptr failed;
    std::thread client([&] {
        try {
            begin();
        } catch (...) {
            failed = std::current_exception();
        }
    });
    std::this_thread::sleep_for(moment);
    end_with(test_bed.fleet().coordinator(), signal);
    test_bed.fleet().kill_coordinator();
    client.join();
    if (failed) std::rethrow_exception(failed);
}

void during_submission(TestBed& test_bed, Injection& injection, int signal) {
    TestBed::Run added;
    end_coordinator_during(test_bed, injection, signal,
                           [&] { added = test_bed.submit(Steering::plain); });
    injection.runs.push_back(added);
}

void during_cancel(TestBed& test_bed, Injection& injection, int signal) {
    const TestBed::Run run = test_bed.submit(Steering::cancelled);
    injection.runs.push_back(run);
    end_coordinator_during(test_bed, injection, signal,
                           [&] { (void)test_bed.steer(run, "cancel"); });
}

void during_delete(TestBed& test_bed, Injection& injection, int signal) {
    const TestBed::Run run = test_bed.submit(Steering::deleted);
    injection.runs.push_back(run);
    (void)test_bed.steer(run, "cancel");
    await_over(test_bed, run);
    end_coordinator_during(test_bed, injection, signal, [&] { (void)test_bed.remove(run); });
}

// The files of the first run that gets so far are being written, or just were.
void during_finishing(TestBed& test_bed, Injection& injection, int signal) {
    const auto finishes = [&](const TestBed::Run& run) {
        const std::string phase = test_bed.phase(run);
        return phase == "finishing" || phase == "done";
    };
    const auto deadline = steady_clock::now() + kPatience;
    while (std::none_of(injection.runs.begin(), injection.runs.end(), finishes)) {
        if (steady_clock::now() > deadline) throw std::runtime_error("no run gets to its end");
        std::this_thread::sleep_for(milliseconds(1));
    }
    end_coordinator_during(test_bed, injection, signal, [] {});
}

Fault during(const std::string& what, int signal, void (*inject)(TestBed&, Injection&, int)) {
    const std::string how = signal == SIGKILL ? "killed" : "SIGTERM";
    return {.name = "coordinator " + how + " during " + what,
            .group = "Moments",
            .inject = [=](TestBed& test_bed,
                          Injection& injection) { inject(test_bed, injection, signal); },
            .heal = nothing};
}

void add_processes(std::vector<Fault>& faults) {
    const std::string group = "Processes";
    faults.push_back(
        {"worker killed",
         group,
         [](TestBed& test_bed, Injection& s) { test_bed.fleet().worker(s.worker).kill(); },
         start_worker,
         {},
         Exposure::one_worker});
    faults.push_back(
        {"worker SIGTERM", group,
         [](TestBed& a, Injection& s) { end_with(a.fleet().worker(s.worker), SIGTERM); },
         start_worker});
    faults.push_back(
        {"worker stopped", group,
         [](TestBed& test_bed, Injection& s) { test_bed.fleet().stop_worker(s.worker); },
         [](TestBed& test_bed, Injection& s) { test_bed.fleet().continue_worker(s.worker); },
         kLongerThanALease, Exposure::one_worker});
    faults.push_back({"coordinator killed", group,
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().coordinator().kill(); },
                      start_coordinator});
    faults.push_back({"coordinator SIGTERM", group,
                      [](TestBed& a, Injection&) { end_with(a.fleet().coordinator(), SIGTERM); },
                      start_coordinator});
    faults.push_back(
        {"coordinator stopped", group,
         [](TestBed& test_bed, Injection&) { test_bed.fleet().coordinator().signal(SIGSTOP); },
         [](TestBed& test_bed, Injection&) { test_bed.fleet().coordinator().signal(SIGCONT); },
         kHold});
}

void add_moments(std::vector<Fault>& faults) {
    for (const int signal : {SIGKILL, SIGTERM}) {
        faults.push_back(during("submission", signal, during_submission));
        faults.push_back(during("finishing", signal, during_finishing));
        faults.push_back(during("cancel", signal, during_cancel));
        faults.push_back(during("delete", signal, during_delete));
    }
}

void add_redis(std::vector<Fault>& faults) {
    const std::string group = "Redis";
    faults.push_back({"redis killed",
                      group,
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().redis().kill(); },
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().redis().restart(); },
                      {},
                      Exposure::window});
    faults.push_back({"redis frozen", group,
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().redis().freeze(); },
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().redis().thaw(); },
                      kLongerThanALease, Exposure::all_workers});
    faults.push_back({"redis emptied",
                      group,
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().flush_redis(); },
                      nothing,
                      {},
                      Exposure::window});
    faults.push_back({"redis rolled back", group,
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().remember_redis(); },
                      [](TestBed& test_bed, Injection&) { test_bed.fleet().roll_redis_back(); },
                      kLag, Exposure::window});
    faults.push_back(
        {"redis out of memory", group,
         [](TestBed& test_bed, Injection&) { test_bed.fleet().limit_redis_memory("1mb"); },
         [](TestBed& test_bed, Injection&) { test_bed.fleet().limit_redis_memory("0"); }, kHold});
    faults.push_back(
        {"redis clock steps", group,
         [](TestBed& test_bed, Injection&) { test_bed.fleet().redis().step_clock(kStep); },
         [](TestBed& test_bed, Injection&) { test_bed.fleet().redis().step_clock(-kStep); },
         kHold});
}

void add_disk(std::vector<Fault>& faults) {
    const auto add = [&](const std::string& name, const std::string& call, int error) {
        faults.push_back(
            {name, "Disk",
             [=](TestBed& a, Injection&) { a.fleet().break_disk(call, error, "trials.log"); },
             [](TestBed& a, Injection&) { a.fleet().mend_disk(); }, kHold});
    };
    add("fsync fails", "sync", EIO);
    add("disk full", "write", ENOSPC);
}

// Again and again, so that connections that were just made are hit, too.
void reset_repeatedly(FaultProxy& link) {
    constexpr int kTimes = 5;
    for (int i = 0; i < kTimes; ++i) {
        link.reset_connections();
        std::this_thread::sleep_for(milliseconds(200));
    }
}

struct LinkFault {
    const char* name;
    Link link;
    bool resets = false;
};

const LinkFault kLinkFaults[] = {
    {"slow", {.latency = milliseconds(100)}},
    {"reset", {}, true},
    {"half-open", {.to_server = Flow::waits, .to_client = Flow::waits}},
    {"requests lost", {.to_server = Flow::vanishes}},
    {"replies lost", {.to_client = Flow::vanishes}},
};

Exposure exposure_of(Way way) {
    if (way == Way::worker_provider) return Exposure::provider;
    return way == Way::worker_redis ? Exposure::all_workers : Exposure::none;
}

// A client that hands a run in while its way to the API is bad tries again until it is answered.
void hit_link(TestBed& test_bed, Injection& injection, Way way, const LinkFault& link_fault) {
    if (!link_fault.resets) test_bed.link(way).set_link(link_fault.link);
    if (way == Way::client_api)
        injection.submission = std::async(std::launch::async,
                                          [&test_bed] { return test_bed.submit(Steering::plain); });
    if (link_fault.resets) reset_repeatedly(test_bed.link(way));
}

void heal_link(TestBed& test_bed, Injection& injection, Way way) {
    test_bed.link(way).heal();
    if (injection.submission.valid()) injection.runs.push_back(injection.submission.get());
}

Fault network(Way way, const LinkFault& link_fault) {
    const std::string name(kWayNames[static_cast<std::size_t>(way)]);
    return {.name = name + " " + link_fault.name,
            .group = name,
            .inject = [way, link_fault](
                          TestBed& test_bed,
                          Injection& injection) { hit_link(test_bed, injection, way, link_fault); },
            .heal = [way](TestBed& test_bed,
                          Injection& injection) { heal_link(test_bed, injection, way); },
            .hold = link_fault.resets ? milliseconds(0) : kLongerThanALease,
            .exposure = exposure_of(way)};
}

void add_network(std::vector<Fault>& faults) {
    for (const Way way :
         {Way::coordinator_redis, Way::worker_redis, Way::worker_provider, Way::client_api})
        for (const LinkFault& link_fault : kLinkFaults)
            faults.push_back(network(way, link_fault));
}

// The group is the kind of Redis it needs.
void add_failover(std::vector<Fault>& faults) {
    for (const std::string kind : {"sentinel", "cluster"})
        faults.push_back({kind + " failover, replica behind", kind,
                          [](TestBed& test_bed, Injection&) { test_bed.pair().let_replica_lag(); },
                          [](TestBed& test_bed, Injection&) { test_bed.pair().fail_over(); }, kLag,
                          Exposure::window});
}

std::vector<Fault> make_faults() {
    std::vector<Fault> faults;
    add_processes(faults);
    add_moments(faults);
    add_redis(faults);
    add_disk(faults);
    add_network(faults);
    add_failover(faults);
    add_upgrades(faults);
    add_revivals(faults);
    return faults;
}

}  // namespace

void await_step(const std::string& what, const std::function<bool()>& condition) {
    if (!Fleet::await_true(condition, steady_clock::now() + kPatience))
        throw std::runtime_error("did not come about: " + what);
}

void await_over(TestBed& test_bed, const TestBed::Run& run) {
    await_step(run.id + " ends", [&] { return test_bed.are_over({run}); });
}

void end_with(testing::Process& process, int signal) {
    process.signal(signal);
    if (!process.wait_for(kPatience)) throw std::runtime_error("a process does not end");
}

const std::vector<Fault>& all_faults() {
    static const std::vector<Fault> faults = make_faults();
    return faults;
}

std::vector<const Fault*> faults_of(const std::string& group) {
    std::vector<const Fault*> found;
    for (const Fault& fault : all_faults())
        if (fault.group == group) found.push_back(&fault);
    return found;
}

}  // namespace evalfleet::chaos
