#pragma once

#include "worker/permits/call_sums.hpp"
#include "worker/permits/served_minute.hpp"
#include "worker/permits/share_test.hpp"

#include <string>

namespace evalfleet::worker {

/// What the fleet's calls of one limit key told since the last look.
struct LimitTick {
    CallSums sums;
    double elapsed_ms = 0;
    double running = 0;  ///< calls of the whole fleet under way
    ServerTime now{0};
};

/// What is to be done about it.
struct LimitChange {
    double rest_ms = 0;    ///< nobody calls for so long
    std::string reason{};  ///< for people; empty: nothing changed
};

/// What a provider that refuses calls can bear: calls at once, or calls a second, learnt from the
/// share of calls that it refuses (429, 503, 529) or lets time out.
///
/// - One refusal means nothing: providers refuse a few calls at any rate. Evidence that too many
/// are
///   refused is added up over calls until it is no chance (a CUSUM test).
/// - An episode begins with a test: for a few dozen calls half of the rate that was served, and
/// half
///   of the calls at once. If as many are refused as before, that has nothing to do with how much
///   we call: the share is tolerated from then on. No limit looks so: at half of what it served it
///   refuses nothing.
/// - Else calls are cut to what was really served: calls at once first. If that does not help it is
///   a limit of calls a second, and that is cut to what was served. A cut takes half at most.
/// - A provider that serves nothing at all, or asks for a rest of seconds, is left alone but for
///   one call now and then. Once it serves again, the rate is what it served in the last minute,
///   the time in which it served nothing included: so a limit a minute is found after a minute.
/// - The ceiling that was cut to is the base. It holds for a while; then a little more is tried,
///   and the share of refusals is compared with that at the base. If what was added is refused the
///   base is confirmed, and holds twice as long; if it is served, that is the new base. A step is
///   never taken before the one below it has been seen to be served.
/// - With few calls at once it makes a difference which kind of ceiling is kept. Where a probe of
///   one kind failed, one of the other kind is tried, from what the base serves.
///
/// Pure; its state travels as numbers.
class ThrottleCeiling {
  public:
    static constexpr double kMost = 100'000;  ///< calls at once: as good as no ceiling

    LimitChange observe(const LimitTick& tick);

    [[nodiscard]] double calls() const noexcept { return calls_; }
    /// Calls a second; 0: any number.
    [[nodiscard]] double rate() const noexcept { return rate_; }
    /// Calls sent before are answers to an earlier limit.
    [[nodiscard]] ServerTime cut_at() const noexcept;
    /// Calls are refused, and it is not decided yet what to do.
    [[nodiscard]] bool is_suspicious() const;

    /// What came out of Redis makes sense.
    [[nodiscard]] bool is_sound() const noexcept;

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        for (auto* number :
             {&self.stage_,        &self.calls_,       &self.rate_,         &self.cut_at_,
              &self.settled_at_,   &self.saved_calls_, &self.saved_rate_,   &self.share_before_,
              &self.total_before_, &self.noise_,       &self.is_real_,      &self.served_calls_,
              &self.served_rate_,  &self.recuts_,      &self.hold_ms_,      &self.hold_until_,
              &self.base_,         &self.step_,        &self.tried_,        &self.base_kind_,
              &self.is_kind_sure_, &self.has_held_,    &self.probe_ms_,     &self.passes_,
              &self.backoff_ms_,   &self.is_overload_, &self.unblocked_at_, &self.blocked_served_,
              &self.blocked_at_,   &self.typical_ms_,  &self.window_ms_,    &self.running_refused_})
            visit(*number);
        for (auto* leg : {&self.leg_, &self.base_leg_})
            Leg::each(*leg, visit);
        ServedMinute::each(self.minute_, visit);
        ShareTest::each(self.test_, visit);
        CallSums::each(self.window_, visit);
    }
    bool operator==(const ThrottleCeiling&) const = default;

  private:
    enum class Stage { open, testing, holding, probing, blocked };
    enum class Finding { open, limit, exhausted, noise };
    enum class Kind { calls, rate };

    /// What was seen at one limit.
    struct Leg {
        double refused = 0;
        double total = 0;
        double ms = 0;
        double running = 0;  ///< calls under way x time

        [[nodiscard]] double served_rate() const noexcept {
            return ms > 0 ? (total - refused) * 1e3 / ms : 0;
        }
        template <class Self, class Visit>
        static void each(Self& self, Visit visit) {
            for (auto* number : {&self.refused, &self.total, &self.ms, &self.running})
                visit(*number);
        }
        bool operator==(const Leg&) const = default;
    };

    /// So much more than a base.
    struct Probe {
        double from = 0;
        double more = 0;
    };

    [[nodiscard]] Stage stage() const noexcept { return static_cast<Stage>(stage_); }
    void enter(Stage stage) noexcept { stage_ = static_cast<double>(stage); }
    void note_typical(const ServiceByPurpose& service);
    void add(const LimitTick& tick);
    void begin_window();
    void begin_leg(double counts_from);
    void watch();

    // Refusals
    [[nodiscard]] bool is_excessive() const;
    [[nodiscard]] bool is_flood() const noexcept;
    [[nodiscard]] bool is_flooded() const noexcept;
    [[nodiscard]] bool serves_nothing() const;
    [[nodiscard]] double served_calls() const;
    [[nodiscard]] double served_rate() const;
    [[nodiscard]] std::string refusals() const;

    // Episodes
    LimitChange begin_episode(double now);
    LimitChange cut_again(double now);
    LimitChange cut_calls(double now, double calls);
    LimitChange cut_rate(double now, double rate);
    LimitChange cut(double now, const std::string& what);

    // The test whether there is a limit at all
    LimitChange test(double now);
    [[nodiscard]] Finding find() const;
    [[nodiscard]] bool were_clearly_more() const;
    LimitChange end_test(double now);
    LimitChange tolerate(double now);

    // A provider that serves nothing
    LimitChange block(double now);
    LimitChange observe_blocked(double now);
    LimitChange unblock(double now);

    // The base, and what is tried above it
    LimitChange hold(double now);
    [[nodiscard]] Probe plan_probe(Kind tried) const;
    LimitChange begin_probe(double now, Kind tried);
    LimitChange decide_probe(double now);
    LimitChange pass_probe(double now);
    LimitChange fail_probe(double now);
    void go_on_from(double now);
    void learn_memory();
    [[nodiscard]] bool is_used() const;
    [[nodiscard]] Kind kind() const noexcept { return rate_ > 0 ? Kind::rate : Kind::calls; }
    void set(Kind kind, double value);
    [[nodiscard]] std::string ceiling() const;
    [[nodiscard]] bool serves_as_much() const;
    [[nodiscard]] double running_at_base() const;
    [[nodiscard]] double least_step() const;
    [[nodiscard]] double first_hold_ms() const;
    [[nodiscard]] double longest_hold_ms() const;
    [[nodiscard]] double shortest_probe_ms() const;

    // All numbers, so that the state can travel; times are of the server's clock in milliseconds.
    double stage_ = 0;
    double calls_ = kMost;
    double rate_ = 0;
    double cut_at_ = 0;
    double settled_at_ = 0;       // until then answers to the present limit are still to come
    double saved_calls_ = kMost;  // before the episode
    double saved_rate_ = 0;
    double share_before_ = 0;  // of calls that were refused when the episode began,
    double total_before_ = 0;  // and out of how many
    double noise_ = 0;         // share of refusals that no cut changes
    double is_real_ = 0;       // a test has shown that refusals depend on how much we call
    double served_calls_ = 0;  // when the test began; 0: cut the rate
    double served_rate_ = 0;   // the same; 0: cut it to that of the long run
    double has_held_ = 0;      // calls were cut, and no more were refused than is usual
    double recuts_ = 0;        // in this episode
    double hold_ms_ = 0;
    double hold_until_ = 0;
    double base_ = 0;      // calls at once or a second, while more are tried
    double step_ = 0;      // of the next probe, as a share of the base
    double probe_ms_ = 0;  // how long a rate must be tried: as far back as the provider counts
    double passes_ = 0;    // probes that were served, one after the other
    double tried_ = 0;     // the next probe is of the other kind
    double base_kind_ = 0;
    double is_kind_sure_ = 0;  // the other kind was tried
    double backoff_ms_ = 0;
    double is_overload_ = 0;  // what blocked us was no limit (503, 529)
    double blocked_at_ = 0;
    double unblocked_at_ = 0;    // after a long time
    double blocked_served_ = 0;  // in the minute before it served nothing any more
    double typical_ms_ = 0;
    double window_ms_ = 0;        // since the evidence was last against too many refusals
    double running_refused_ = 0;  // calls under way x calls refused
    Leg leg_;                     // since the limit changed
    Leg base_leg_;                // the last one at the base
    ServedMinute minute_;
    ShareTest test_;
    CallSums window_;
};

}  // namespace evalfleet::worker
