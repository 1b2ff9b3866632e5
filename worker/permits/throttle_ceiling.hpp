#pragma once

#include "worker/permits/call_sums.hpp"

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
/// - A window is at least a second and one round trip. One refusal means nothing: the share must
///   be above 5 % beyond doubt. Providers refuse a few calls at any rate.
/// - An episode begins with a test: for a few dozen calls half of the rate that was served. If as
///   many are refused as before, that has nothing to do with how much we call: the share is
///   tolerated from then on. No limit looks so: at half of what it served it refuses nothing.
/// - Else calls are cut to what was really served: calls at once first. If that does not help it is
///   a limit of calls a second, and that is cut to what was served; if calls are still refused
///   when the provider must have forgotten what came before, it is tested again.
/// - A cut has helped only if far fewer calls are refused than before, beyond doubt; until enough
///   were made nothing is decided.
/// - A provider that serves nothing at all, or asks for a rest of seconds, is left alone but for
///   one call now and then. Once it serves again, the rate is what it served in the long run,
///   the time in which it served nothing included: so a limit a minute is found after a minute.
/// - After a cut nothing grows for a while; then in steps that double, until the next cut. Each cut
///   that confirms the one before doubles the while.
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
        for (auto* number : {&self.stage_,        &self.calls_,        &self.rate_,
                             &self.cut_at_,       &self.saved_calls_,  &self.saved_rate_,
                             &self.share_before_, &self.total_before_, &self.noise_,
                             &self.hold_ms_,      &self.hold_until_,   &self.step_,
                             &self.backoff_ms_,   &self.recuts_,       &self.long_answered_,
                             &self.long_ms_,      &self.is_real_,      &self.served_calls_,
                             &self.served_rate_,  &self.is_overload_,  &self.typical_ms_,
                             &self.window_ms_,    &self.running_ms_,   &self.running_refused_})
            visit(*number);
        CallSums::each(self.window_, visit);
    }
    bool operator==(const ThrottleCeiling&) const = default;

  private:
    enum class Stage { open, testing, cutting_calls, cutting_rate, holding, growing, blocked };
    enum class Finding { open, limit, exhausted, noise };

    [[nodiscard]] Stage stage() const noexcept { return static_cast<Stage>(stage_); }
    void enter(Stage stage) noexcept { stage_ = static_cast<double>(stage); }
    [[nodiscard]] bool has_window() const;
    [[nodiscard]] bool is_cutting() const noexcept;
    [[nodiscard]] bool shows_that_cut_helps() const;
    [[nodiscard]] double tolerated() const;
    [[nodiscard]] bool is_excessive() const;
    [[nodiscard]] bool is_flooded() const noexcept;
    [[nodiscard]] double served_calls() const;
    [[nodiscard]] double served_rate() const;
    [[nodiscard]] double sustained_rate() const;
    [[nodiscard]] double long_run_rate() const;
    [[nodiscard]] bool serves_nothing() const;
    LimitChange decide(double now);
    LimitChange settle(double now);
    LimitChange grow(double now);
    LimitChange begin_episode(double now);
    LimitChange cut_again(double now);
    LimitChange test(double now);
    [[nodiscard]] Finding find() const;
    [[nodiscard]] bool were_clearly_more() const;
    LimitChange end_test(double now);
    LimitChange cut_calls(double now, double calls);
    LimitChange cut_rate(double now, double rate);
    LimitChange tolerate(double now);
    LimitChange block(double now);
    LimitChange observe_blocked(double now);
    LimitChange unblock(double now);
    void lengthen_hold(double before, double after);
    void begin_window();
    [[nodiscard]] std::string refusals() const;

    // All numbers, so that the state can travel; times are of the server's clock in milliseconds.
    double stage_ = 0;
    double calls_ = kMost;
    double rate_ = 0;
    double cut_at_ = 0;
    double saved_calls_ = kMost;  // before the episode
    double saved_rate_ = 0;
    double share_before_ = 0;  // of calls that were refused when the episode began,
    double total_before_ = 0;  // and out of how many
    double noise_ = 0;         // share of refusals that no cut changes
    double hold_ms_ = 0;
    double hold_until_ = 0;
    double step_ = 0;  // of the next growth
    double backoff_ms_ = 0;
    double recuts_ = 0;         // of the rate, in this episode
    double long_answered_ = 0;  // in the long run
    double long_ms_ = 0;
    double is_real_ = 0;       // a test has shown that refusals depend on how much we call
    double served_calls_ = 0;  // when the test began; 0: cut the rate
    double served_rate_ = 0;   // the same; 0: cut it to that of the long run
    double is_overload_ = 0;   // what blocked us was no limit (503, 529)
    double typical_ms_ = 0;
    double window_ms_ = 0;
    double running_ms_ = 0;
    double running_refused_ = 0;  // calls under way x calls refused
    CallSums window_;
};

}  // namespace evalfleet::worker
