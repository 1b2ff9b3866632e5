#include "tests/chaos/round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace evalfleet::chaos {

namespace fs = std::filesystem;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

constexpr seconds kPatience{60};
constexpr seconds kRunsEndWithin{240};
constexpr seconds kClearedUpWithin{20};

bool await(const std::function<bool()>& condition, seconds patience = kPatience) {
    return Fleet::await_true(condition, steady_clock::now() + patience);
}

/// One round, step by step.
class Player {
  public:
    Player(TestBed& test_bed, const Round& round)
        : test_bed_(test_bed), round_(round), random_(round.seed) {}

    RoundReport play() {
        begin();
        for (std::size_t i = 0; i < round_.faults.size(); ++i)
            inject(*round_.faults[i], i);
        complete_steering();
        require(await([&] { return test_bed_.are_over(living()); }, kRunsEndWithin), "runs end");
        over_at_ = steady_clock::now();
        check();
        return std::move(report_);
    }

    [[nodiscard]] const std::string& story() const { return report_.story; }

  private:
    void tell(const std::string& what) { report_.story += what + "\n"; }
    void require(bool came_about, const std::string& what) {
        if (came_about) return;
        for (const TestBed::Run& run : runs_)
            if (const auto now = test_bed_.progress(run))
                tell(fmt::format("{} ({}) is {}, {} of {} done, note: {}", run.id,
                                 to_string(run.steering), now->state, now->done, now->total,
                                 now->note.value_or("none")));
        throw std::runtime_error("did not come about: " + what);
    }
    TestBed::Run& main_run() { return runs_[0]; }
    TestBed::Run steered_run() { return runs_[1]; }
    // Those that can be asked.
    std::vector<TestBed::Run> living() {
        std::vector<TestBed::Run> runs;
        for (const TestBed::Run& run : runs_)
            if (run.steering != Steering::deleted) runs.push_back(run);
        return runs;
    }

    void begin() {
        calls_before_ = test_bed_.count_calls();
        runs_.push_back(test_bed_.submit(Steering::plain));
        runs_.push_back(test_bed_.submit(round_.steering));
        tell(fmt::format("{} (plain) and {} ({})", main_run().id, steered_run().id,
                         to_string(round_.steering)));
        watcher_.emplace(test_bed_.start_watcher(main_run()));
        // One that was never answered gives up, as it should.
        require(await([&] { return !watcher_->output().empty(); }), "a watcher begins");
    }

    void inject(const Fault& fault, std::size_t number) {
        // Early, so that no run is over before the last fault.
        const std::uint64_t first =
            test_bed_.count_trials() * (number + 1) / (2 * round_.faults.size() + 8);
        require(await([&] {
                    const auto now = test_bed_.progress(main_run());
                    return now && (now->done >= first || now->is_over());
                }),
                "a run goes on before " + fault.name);
        Injection injection{random_, random_() % TestBed::kWorkers, runs_};
        tell(fmt::format("{} (worker {})", fault.name, injection.worker));
        FaultProxy& provider = test_bed_.link(Way::worker_provider);
        const std::uint64_t hits = provider.count_hits();
        fault.inject(test_bed_, injection);
        if (number == 0) begin_steering();
        std::this_thread::sleep_for(fault.hold);
        const auto healed = steady_clock::now();
        fault.heal(test_bed_, injection);
        if (injection.check_at_end) checks_.push_back(std::move(injection.check_at_end));
        in_flight_ += exposed(fault.exposure, provider.count_hits() - hits);
        ++report_.tally.injected;
        await_recovery(healed);
    }

    static std::size_t exposed(Exposure exposure, std::uint64_t hits) {
        switch (exposure) {
            case Exposure::none:
                return 0;
            case Exposure::one_worker:
                return TestBed::kSlotsOfWorker;
            case Exposure::all_workers:
                return TestBed::kSlots;
            case Exposure::window:
                return TestBed::kWindow;
            case Exposure::provider:
                return hits;
        }
        return 0;
    }

    // Until the next trial is in the log, counted from when the fault was over.
    void await_recovery(steady_clock::time_point healed) {
        const std::uint64_t before = test_bed_.count_done(living());
        require(await([&] { return test_bed_.count_done(living()) > before || nothing_is_due(); }),
                "the fleet recovers");
        const std::chrono::duration<double> took = steady_clock::now() - healed;
        report_.tally.recovery_s.push_back(took.count());
        tell(fmt::format("recovered after {:.1f} s", took.count()));
    }

    bool nothing_is_due() {
        const auto runs = living();
        return std::all_of(runs.begin(), runs.end(), [&](const TestBed::Run& run) {
            const auto now = test_bed_.progress(run);
            return now && (now->is_over() || now->state == "paused");
        });
    }

    // While the fault is on: whether it is heard is left to chance.
    void begin_steering() {
        if (round_.steering == Steering::paused)
            (void)test_bed_.steer(steered_run(), "pause", true);
        if (round_.steering == Steering::cancelled || round_.steering == Steering::deleted)
            (void)test_bed_.steer(steered_run(), "cancel", true);
    }

    void complete_steering() {
        if (round_.steering == Steering::paused) {
            require(test_bed_.steer(steered_run(), "pause"), "a run is paused");
            require(test_bed_.steer(steered_run(), "resume"), "a run is resumed");
        }
        if (round_.steering == Steering::cancelled || round_.steering == Steering::deleted)
            require(test_bed_.steer(steered_run(), "cancel"), "a run is cancelled");
        if (round_.steering == Steering::deleted) {
            require(await([&] { return test_bed_.are_over({steered_run()}); }, kRunsEndWithin),
                    "a cancelled run ends");
            require(test_bed_.remove(steered_run()), "a run is deleted");
        }
    }

    void add(const Findings& more) {
        report_.findings.insert(report_.findings.end(), more.begin(), more.end());
    }

    void check() {
        for (const TestBed::Run& run : living())
            check_one(run);
        check_files();
        check_queue();
        const Calls calls = test_bed_.calls(calls_before_);
        report_.tally.repeated = count_repeated(calls, TestBed::kRepeats);
        add(check_repeated(calls, TestBed::kRepeats, in_flight_));
        add(check_late(test_bed_.count_calls_after(over_at_), in_flight_));
        for (const auto& check : checks_)
            add(check());
        const auto code = watcher_->wait_for(kPatience);
        if (!code || *code > 1)
            add({"evalfleet watch: " + (code ? std::to_string(*code) : "does not end") + " " +
                 watcher_->output()});
    }

    void check_one(const TestBed::Run& run) {
        const RunOutcome outcome = test_bed_.outcome(run);
        report_.tally.trials += outcome.ledger.size();
        report_.tally.lost += count_lost(outcome);
        report_.tally.doubled += count_doubled(outcome);
        add(check_run(outcome));
    }

    void check_files() {
        add(test_bed_.fleet().find_leftovers());
        for (const TestBed::Run& run : runs_)
            if (run.steering == Steering::deleted && !test_bed_.is_removed(run))
                add({run.id + " was deleted and is there"});
        add(test_bed_.unknown_runs());
    }

    void check_queue() {
        std::vector<std::string> ended;
        for (const TestBed::Run& run : runs_)
            ended.push_back(run.id);
        Findings found;
        (void)await(
            [&] {
                found = check_keys(test_bed_.keys(), ended);
                return found.empty();
            },
            kClearedUpWithin);
        add(found);
    }

    TestBed& test_bed_;
    const Round& round_;
    std::mt19937 random_;
    std::vector<TestBed::Run> runs_;
    std::optional<testing::Process> watcher_;
    std::size_t calls_before_ = 0;
    steady_clock::time_point over_at_;
    std::size_t in_flight_ = 0;
    std::vector<std::function<Findings()>> checks_;
    RoundReport report_;
};

}  // namespace

RoundReport play(TestBed& test_bed, const Round& round) {
    Player player(test_bed, round);
    try {
        return player.play();
    } catch (const std::exception& failed) {
        throw std::runtime_error(player.story() + failed.what() + "\n" +
                                 test_bed.fleet().coordinator_log());
    }
}

}  // namespace evalfleet::chaos
