#pragma once

#include "worker/permits/limit_pair.hpp"
#include "worker/permits/throttle_ceiling.hpp"

namespace evalfleet::worker {

/// How many calls at once make a provider faster, learnt from how long calls take. A server that
/// queues never refuses: beyond what it works on at once, more calls only wait there, on the
/// model's clock.
///
/// Calls at two limits are compared. If twice the calls take as long each, they were served side by
/// side; if they take twice as long, they stood in a queue, and throughput is the same. In between,
/// the limit at which the queue begins follows from both (Little's law).
///
/// - It searches: it begins low and doubles with every round of calls that was served side by side.
///   A round that seems not to be is measured again, since calls sent together find an empty queue;
///   it ends the search only if that is no chance.
/// - Then it keeps a base, and probes: in turns a tenth (at least one call) more and less, for a
/// few
///   rounds of calls, with as many or more at the base before and after. What probes of a pair of
///   limits told is added up until it is no chance. Only then the base moves.
/// - As long as a pair is open, that one is probed: above a base that may be too high nothing is
///   tried, nor below one that may be too low. The surer it is of both, the rarer it probes.
/// - It moves only while calls wait for it, and no other ceiling is lower. But a search that has
///   passed what the fleet calls at once still finds that those calls stand in a queue.
///
/// Pure; its state travels as numbers.
class LatencyCeiling {
  public:
    static constexpr double kMost = ThrottleCeiling::kMost;

    LatencyCeiling() = default;
    /// `first`: calls at once to begin with. `most`: never more. `is_given`: the operator named
    /// `first`, so it is the base instead of doubling.
    LatencyCeiling(double first, double most, bool is_given);

    /// `others`: the lowest of the other ceilings. `is_suspicious`: calls are being refused.
    LimitChange observe(const LimitTick& tick, double others, bool is_suspicious);

    [[nodiscard]] double calls() const noexcept { return limit_; }
    /// Calls sent before this say nothing about the present limit.
    [[nodiscard]] ServerTime measure_from() const noexcept;
    /// How soon there may be something to decide.
    [[nodiscard]] double tick_ms() const;

    [[nodiscard]] bool is_sound() const noexcept;

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        for (auto* number :
             {&self.phase_, &self.limit_, &self.most_, &self.base_, &self.step_,
              &self.measure_from_, &self.count_from_, &self.count_until_, &self.patience_,
              &self.moved_, &self.probed_, &self.probes_, &self.waited_, &self.total_})
            visit(*number);
        LimitPair::each(self.above_, visit);
        LimitPair::each(self.below_, visit);
        for (auto* window : {&self.before_, &self.probe_, &self.now_})
            for (auto& sums : *window)
                ServiceSums::each(sums, visit);
    }
    bool operator==(const LatencyCeiling&) const = default;

  private:
    static constexpr double kLeastStep = 0.1;  // of probes
    static constexpr double kVerySure = 3;     // standard errors

    enum class Phase { doubling, confirming, at_base, above, below };

    [[nodiscard]] Phase phase() const noexcept { return static_cast<Phase>(phase_); }
    [[nodiscard]] bool is_binding(double running) const noexcept;
    [[nodiscard]] bool is_searching() const noexcept;
    [[nodiscard]] bool has_before() const;
    [[nodiscard]] double round() const;
    void go(Phase phase, double limit);
    void forget_window();

    // The search
    LimitChange decide_doubling(double now);
    LimitChange decide_confirming(double now);
    LimitChange decide_unbound(double now, double running);
    LimitChange double_up(double now, bool is_side_by_side);
    LimitChange end_search(double now, double level, const ServiceChange& change, double errors);

    // Probes
    [[nodiscard]] double leg_ms(const LimitPair& pair) const;
    [[nodiscard]] double base_leg_ms(const LimitPair& pair) const;
    void begin_leg(Phase phase, double limit, double now, double ms);
    LimitChange end_leg(double now, double running);
    [[nodiscard]] bool has_changed() const;
    void weigh_probe();
    LimitChange probe(double now);
    [[nodiscard]] bool goes_above() const;
    LimitChange keep(double now, double base, double step);
    LimitChange move_up(double now);
    LimitChange move_down(double now);
    void note_move(double direction);
    void narrow();
    void set_above();
    void set_below();

    double phase_ = 0;
    double limit_ = 1;
    double most_ = kMost;
    double base_ = 0;          // the best limit known; 0: none yet
    double step_ = 0;          // from the base to a probe, as a share of it
    double measure_from_ = 0;  // of a search
    double count_from_ = 0;    // a leg: calls that end between these
    double count_until_ = 0;
    double patience_ = 1;  // how many times as long as at a probe it is at the base
    double moved_ = 0;     // quick moves in a row; below 0: down
    double probes_ = 0;    // since the base moved
    double probed_ = 0;    // what is or was probed: 1 above, -1 below; 0: nothing since
    double waited_ = 0;    // of the calls of this window
    double total_ = 0;
    LimitPair above_;            // the base and the limit above it
    LimitPair below_;            // the limit below, and the base
    ServiceByPurpose before_{};  // at base_
    ServiceByPurpose probe_{};   // since then
    ServiceByPurpose now_{};     // at limit_
};

}  // namespace evalfleet::worker
