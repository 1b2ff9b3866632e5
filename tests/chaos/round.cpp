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
    Player(Arena& arena, const Round& round) : arena_(arena), round_(round), random_(round.seed) {}

    RoundReport play() {
        begin();
        for (std::size_t i = 0; i < round_.strikes.size(); ++i)
            strike(*round_.strikes[i], i);
        complete_fate();
        require(await([&] { return arena_.are_over(living()); }, kRunsEndWithin), "runs end");
        over_at_ = steady_clock::now();
        check();
        return std::move(report_);
    }

    [[nodiscard]] const std::string& story() const { return report_.story; }

  private:
    void tell(const std::string& what) { report_.story += what + "\n"; }
    void require(bool came_about, const std::string& what) {
        if (came_about) return;
        for (const Arena::Run& run : runs_)
            if (const auto now = arena_.progress(run))
                tell(fmt::format("{} ({}) is {}, {} of {} done, note: {}", run.id,
                                 to_string(run.fate), now->state, now->done, now->total,
                                 now->note.value_or("none")));
        throw std::runtime_error("did not come about: " + what);
    }
    Arena::Run& main_run() { return runs_[0]; }
    Arena::Run fated() { return runs_[1]; }
    // Those that can be asked.
    std::vector<Arena::Run> living() {
        std::vector<Arena::Run> runs;
        for (const Arena::Run& run : runs_)
            if (run.fate != Fate::deleted) runs.push_back(run);
        return runs;
    }

    void begin() {
        calls_before_ = arena_.count_calls();
        runs_.push_back(arena_.submit(Fate::plain));
        runs_.push_back(arena_.submit(round_.fate));
        tell(fmt::format("{} (plain) and {} ({})", main_run().id, fated().id,
                         to_string(round_.fate)));
        watcher_.emplace(arena_.start_watcher(main_run()));
    }

    void strike(const Fault& fault, std::size_t number) {
        // Early, so that no run is over before the last one.
        const std::uint64_t first =
            arena_.count_trials() * (number + 1) / (2 * round_.strikes.size() + 8);
        require(await([&] {
                    const auto now = arena_.progress(main_run());
                    return now && (now->done >= first || now->is_over());
                }),
                "a run goes on before " + fault.name);
        Strike strike{random_, random_() % Arena::kWorkers, runs_};
        tell(fmt::format("{} (worker {})", fault.name, strike.worker));
        FaultProxy& provider = arena_.link(Way::worker_provider);
        const std::uint64_t hits = provider.count_hits();
        fault.inject(arena_, strike);
        if (number == 0) begin_fate();
        std::this_thread::sleep_for(fault.hold);
        const auto healed = steady_clock::now();
        fault.heal(arena_, strike);
        in_flight_ += exposed(fault.exposure, provider.count_hits() - hits);
        ++report_.tally.injected;
        await_recovery(healed);
    }

    static std::size_t exposed(Exposure exposure, std::uint64_t hits) {
        switch (exposure) {
            case Exposure::none:
                return 0;
            case Exposure::one_worker:
                return Arena::kSlotsOfWorker;
            case Exposure::all_workers:
                return Arena::kSlots;
            case Exposure::window:
                return Arena::kWindow;
            case Exposure::provider:
                return hits;
        }
        return 0;
    }

    // Until the next trial is in the log, counted from when the fault was over.
    void await_recovery(steady_clock::time_point healed) {
        const std::uint64_t before = arena_.count_done(living());
        require(await([&] { return arena_.count_done(living()) > before || nothing_is_due(); }),
                "the fleet recovers");
        const std::chrono::duration<double> took = steady_clock::now() - healed;
        report_.tally.recovery_s.push_back(took.count());
        tell(fmt::format("recovered after {:.1f} s", took.count()));
    }

    bool nothing_is_due() {
        const auto runs = living();
        return std::all_of(runs.begin(), runs.end(), [&](const Arena::Run& run) {
            const auto now = arena_.progress(run);
            return now && (now->is_over() || now->state == "paused");
        });
    }

    // While the fault is on: whether it is heard is left to chance.
    void begin_fate() {
        if (round_.fate == Fate::paused) (void)arena_.steer(fated(), "pause", true);
        if (round_.fate == Fate::cancelled || round_.fate == Fate::deleted)
            (void)arena_.steer(fated(), "cancel", true);
    }

    void complete_fate() {
        if (round_.fate == Fate::paused) {
            require(arena_.steer(fated(), "pause"), "a run is paused");
            require(arena_.steer(fated(), "resume"), "a run is resumed");
        }
        if (round_.fate == Fate::cancelled || round_.fate == Fate::deleted)
            require(arena_.steer(fated(), "cancel"), "a run is cancelled");
        if (round_.fate == Fate::deleted) {
            require(await([&] { return arena_.are_over({fated()}); }, kRunsEndWithin),
                    "a cancelled run ends");
            require(arena_.remove(fated()), "a run is deleted");
        }
    }

    void add(const Findings& more) {
        report_.findings.insert(report_.findings.end(), more.begin(), more.end());
    }

    void check() {
        for (const Arena::Run& run : living())
            check_one(run);
        check_files();
        check_queue();
        const Calls calls = arena_.calls(calls_before_);
        report_.tally.repeated = count_repeated(calls, Arena::kRepeats);
        add(check_repeated(calls, Arena::kRepeats, in_flight_));
        add(check_late(arena_.count_calls_after(over_at_), in_flight_));
        const auto code = watcher_->wait_for(kPatience);
        if (!code || *code > 1)
            add({"evalfleet watch: " + (code ? std::to_string(*code) : "does not end") + " " +
                 watcher_->output()});
    }

    void check_one(const Arena::Run& run) {
        const RunOutcome outcome = arena_.outcome(run);
        report_.tally.trials += outcome.ledger.size();
        report_.tally.lost += count_lost(outcome);
        report_.tally.doubled += count_doubled(outcome);
        add(check_run(outcome));
    }

    void check_files() {
        add(arena_.fleet().find_leftovers());
        for (const Arena::Run& run : runs_)
            if (run.fate == Fate::deleted && !arena_.is_removed(run))
                add({run.id + " was deleted and is there"});
        add(arena_.unknown_runs());
    }

    void check_queue() {
        std::vector<std::string> ended;
        for (const Arena::Run& run : runs_)
            ended.push_back(run.id);
        Findings found;
        (void)await(
            [&] {
                found = check_keys(arena_.keys(), ended);
                return found.empty();
            },
            is_excused() ? seconds(0) : kClearedUpWithin);
        if (is_excused())
            report_.excused = found;
        else
            add(found);
    }

    bool is_excused() {
        return std::any_of(round_.strikes.begin(), round_.strikes.end(), [&](const Fault* fault) {
            return is_known_to_leave_keys(*fault, round_.fate);
        });
    }

    Arena& arena_;
    const Round& round_;
    std::mt19937 random_;
    std::vector<Arena::Run> runs_;
    std::optional<testing::Process> watcher_;
    std::size_t calls_before_ = 0;
    steady_clock::time_point over_at_;
    std::size_t in_flight_ = 0;
    RoundReport report_;
};

}  // namespace

RoundReport play(Arena& arena, const Round& round) {
    Player player(arena, round);
    try {
        return player.play();
    } catch (const std::exception& failed) {
        throw std::runtime_error(player.story() + failed.what() + "\n" +
                                 arena.fleet().coordinator_log());
    }
}

}  // namespace evalfleet::chaos
