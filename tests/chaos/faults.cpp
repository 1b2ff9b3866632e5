#include "tests/chaos/faults.hpp"

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

void nothing(Arena& /*arena*/, Strike& /*strike*/) {}

void end_with(testing::Process& process, int signal) {
    process.signal(signal);
    if (!process.wait_for(kPatience)) throw std::runtime_error("a process does not end");
}

void start_worker(Arena& arena, Strike& strike) {
    arena.fleet().kill_worker(strike.worker);
}

void start_coordinator(Arena& arena, Strike& /*strike*/) {
    arena.fleet().kill_coordinator();
}

/// Ends the coordinator a moment after `begin` has begun; `begin` goes on meanwhile, as a client
/// that tries again.
void end_coordinator_during(Arena& arena, Strike& strike, int signal,
                            const std::function<void()>& begin) {
    const milliseconds moment(strike.random() % 30);
    std::exception_ptr failed;
    std::thread client([&] {
        try {
            begin();
        } catch (...) {
            failed = std::current_exception();
        }
    });
    std::this_thread::sleep_for(moment);
    end_with(arena.fleet().coordinator(), signal);
    arena.fleet().kill_coordinator();
    client.join();
    if (failed) std::rethrow_exception(failed);
}

void during_submission(Arena& arena, Strike& strike, int signal) {
    Arena::Run added;
    end_coordinator_during(arena, strike, signal, [&] { added = arena.submit(Fate::plain); });
    strike.runs.push_back(added);
}

void during_cancel(Arena& arena, Strike& strike, int signal) {
    const Arena::Run run = arena.submit(Fate::cancelled);
    strike.runs.push_back(run);
    end_coordinator_during(arena, strike, signal, [&] { (void)arena.steer(run, "cancel"); });
}

void await_over(Arena& arena, const Arena::Run& run) {
    if (!Fleet::await_true([&] { return arena.are_over({run}); }, steady_clock::now() + kPatience))
        throw std::runtime_error(run.id + " does not end");
}

void during_delete(Arena& arena, Strike& strike, int signal) {
    const Arena::Run run = arena.submit(Fate::deleted);
    strike.runs.push_back(run);
    (void)arena.steer(run, "cancel");
    await_over(arena, run);
    end_coordinator_during(arena, strike, signal, [&] { (void)arena.remove(run); });
}

// The files of the first run that gets so far are being written, or just were.
void during_finishing(Arena& arena, Strike& strike, int signal) {
    const auto finishes = [&](const Arena::Run& run) {
        const std::string phase = arena.phase(run);
        return phase == "finishing" || phase == "done";
    };
    const auto deadline = steady_clock::now() + kPatience;
    while (std::none_of(strike.runs.begin(), strike.runs.end(), finishes)) {
        if (steady_clock::now() > deadline) throw std::runtime_error("no run gets to its end");
        std::this_thread::sleep_for(milliseconds(1));
    }
    end_coordinator_during(arena, strike, signal, [] {});
}

Fault during(const std::string& what, int signal, void (*inject)(Arena&, Strike&, int)) {
    const std::string how = signal == SIGKILL ? "killed" : "SIGTERM";
    return {.name = "coordinator " + how + " during " + what,
            .group = "Moments",
            .inject = [=](Arena& arena, Strike& strike) { inject(arena, strike, signal); },
            .heal = nothing};
}

void add_processes(std::vector<Fault>& faults) {
    const std::string group = "Processes";
    faults.push_back({"worker killed",
                      group,
                      [](Arena& arena, Strike& s) { arena.fleet().worker(s.worker).kill(); },
                      start_worker,
                      {},
                      Exposure::one_worker});
    faults.push_back({"worker SIGTERM", group,
                      [](Arena& a, Strike& s) { end_with(a.fleet().worker(s.worker), SIGTERM); },
                      start_worker});
    faults.push_back({"worker stopped", group,
                      [](Arena& arena, Strike& s) { arena.fleet().stop_worker(s.worker); },
                      [](Arena& arena, Strike& s) { arena.fleet().continue_worker(s.worker); },
                      kLongerThanALease, Exposure::one_worker});
    faults.push_back({"coordinator killed", group,
                      [](Arena& arena, Strike&) { arena.fleet().coordinator().kill(); },
                      start_coordinator});
    faults.push_back({"coordinator SIGTERM", group,
                      [](Arena& a, Strike&) { end_with(a.fleet().coordinator(), SIGTERM); },
                      start_coordinator});
    faults.push_back({"coordinator stopped", group,
                      [](Arena& arena, Strike&) { arena.fleet().coordinator().signal(SIGSTOP); },
                      [](Arena& arena, Strike&) { arena.fleet().coordinator().signal(SIGCONT); },
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
                      [](Arena& arena, Strike&) { arena.fleet().redis().kill(); },
                      [](Arena& arena, Strike&) { arena.fleet().redis().restart(); },
                      {},
                      Exposure::window});
    faults.push_back({"redis frozen", group,
                      [](Arena& arena, Strike&) { arena.fleet().redis().freeze(); },
                      [](Arena& arena, Strike&) { arena.fleet().redis().thaw(); },
                      kLongerThanALease, Exposure::all_workers});
    faults.push_back({"redis emptied",
                      group,
                      [](Arena& arena, Strike&) { arena.fleet().flush_redis(); },
                      nothing,
                      {},
                      Exposure::window});
    faults.push_back(
        {"redis rolled back", group, [](Arena& arena, Strike&) { arena.fleet().remember_redis(); },
         [](Arena& arena, Strike&) { arena.fleet().roll_redis_back(); }, kLag, Exposure::window});
    faults.push_back({"redis out of memory", group,
                      [](Arena& arena, Strike&) { arena.fleet().limit_redis_memory("1mb"); },
                      [](Arena& arena, Strike&) { arena.fleet().limit_redis_memory("0"); }, kHold});
    faults.push_back({"redis clock steps", group,
                      [](Arena& arena, Strike&) { arena.fleet().redis().step_clock(kStep); },
                      [](Arena& arena, Strike&) { arena.fleet().redis().step_clock(-kStep); },
                      kHold});
}

void add_disk(std::vector<Fault>& faults) {
    const auto add = [&](const std::string& name, const std::string& call, int error) {
        faults.push_back(
            {name, "Disk",
             [=](Arena& a, Strike&) { a.fleet().break_disk(call, error, "trials.log"); },
             [](Arena& a, Strike&) { a.fleet().mend_disk(); }, kHold});
    };
    add("fsync fails", "sync", EIO);
    add("disk full", "write", ENOSPC);
}

// Cut again and again until it is healed, on a thread of its own for as long as it holds.
void reset_repeatedly(FaultProxy& link) {
    constexpr int kTimes = 5;
    for (int i = 0; i < kTimes; ++i) {
        link.reset_connections();
        std::this_thread::sleep_for(milliseconds(200));
    }
}

struct Weather {
    const char* name;
    Link link;
    bool resets = false;
};

const Weather kWeathers[] = {
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
void hit_link(Arena& arena, Strike& strike, Way way, const Weather& weather) {
    if (!weather.resets) arena.link(way).set_link(weather.link);
    if (way == Way::client_api)
        strike.submission =
            std::async(std::launch::async, [&arena] { return arena.submit(Fate::plain); });
    if (weather.resets) reset_repeatedly(arena.link(way));
}

void heal_link(Arena& arena, Strike& strike, Way way) {
    arena.link(way).heal();
    if (strike.submission.valid()) strike.runs.push_back(strike.submission.get());
}

Fault network(Way way, const Weather& weather) {
    const std::string name(kWayNames[static_cast<std::size_t>(way)]);
    return {.name = name + " " + weather.name,
            .group = name,
            .inject = [way, weather](Arena& arena,
                                     Strike& strike) { hit_link(arena, strike, way, weather); },
            .heal = [way](Arena& arena, Strike& strike) { heal_link(arena, strike, way); },
            .hold = weather.resets ? milliseconds(0) : kLongerThanALease,
            .exposure = exposure_of(way)};
}

void add_network(std::vector<Fault>& faults) {
    for (const Way way :
         {Way::coordinator_redis, Way::worker_redis, Way::worker_provider, Way::client_api})
        for (const Weather& weather : kWeathers)
            faults.push_back(network(way, weather));
}

// The group is the kind of Redis it needs.
void add_failover(std::vector<Fault>& faults) {
    for (const std::string kind : {"sentinel", "cluster"})
        faults.push_back({kind + " failover, replica behind", kind,
                          [](Arena& arena, Strike&) { arena.pair().let_replica_lag(); },
                          [](Arena& arena, Strike&) { arena.pair().fail_over(); }, kLag,
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
    return faults;
}

}  // namespace

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

bool is_known_to_leave_keys(const Fault& fault, Fate fate) {
    if (kEndsAreReconciled) return false;
    const auto has = [&](const char* part) { return fault.name.find(part) != std::string::npos; };
    const bool ends_meanwhile = fate == Fate::cancelled || fate == Fate::deleted ||
                                fate == Fate::early_stop || fate == Fate::budget;
    const bool is_cut_off = has("coordinator-redis") || fault.group == "Redis";
    const bool comes_back = has("failover") || has("rolled back");  // though it was over meanwhile
    return has("finishing") || has("delete") || comes_back || (ends_meanwhile && is_cut_off);
}

}  // namespace evalfleet::chaos
