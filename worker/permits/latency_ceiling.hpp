#pragma once

#include "worker/permits/throttle_ceiling.hpp"

namespace evalfleet::worker {

/// How many calls at once make a provider faster, learnt from how long calls take. A server that
/// queues never refuses: beyond what it works on at once, more calls only wait there, on the
/// model's clock.
///
/// Two windows at different limits are compared. If twice the calls take as long each, they were
/// served side by side; if they take twice as long, they stood in a queue, and throughput is the
/// same. In between, the limit at which the queue begins follows from both (Little's law).
///
/// - It begins low and doubles with every round of calls that was served side by side. A round that
///   seems not to be is measured again, since calls sent together find an empty queue; it ends the
///   search only if that is no chance. Service times vary, and to stop too low costs more, and for
///   longer, than to go too far.
/// - Then it holds, and now and then tries a little more, or a little less: more if that is served
///   side by side, less if throughput stays. The more service times vary, the larger the step, so
///   that its effect can be told from chance. Trials that fail become rarer.
/// - It moves only while calls wait for it, and no other ceiling is lower. But a search that has
///   passed what the fleet calls at once still finds that those calls stand in a queue.
///
/// Pure; its state travels as numbers.
class LatencyCeiling {
  public:
    static constexpr double kMost = ThrottleCeiling::kMost;

    LatencyCeiling() = default;
    /// `first`: calls at once to begin with. `most`: never more. `is_given`: the operator named
    /// `first`, so it holds instead of doubling.
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
             {&self.phase_, &self.limit_, &self.most_, &self.earlier_limit_, &self.measure_from_,
              &self.hold_until_, &self.patience_, &self.is_down_next_, &self.falls_, &self.rises_,
              &self.waited_, &self.total_})
            visit(*number);
        for (auto& sums : self.earlier_)
            ServiceSums::each(sums, visit);
        for (auto& sums : self.now_)
            ServiceSums::each(sums, visit);
    }
    bool operator==(const LatencyCeiling&) const = default;

  private:
    enum class Phase { doubling, confirming, holding, more, less };
    enum class Verdict { open, good, bad };

    [[nodiscard]] Phase phase() const noexcept { return static_cast<Phase>(phase_); }
    [[nodiscard]] bool is_binding() const noexcept;
    [[nodiscard]] bool is_searching() const noexcept;
    [[nodiscard]] bool has_earlier() const;
    [[nodiscard]] double round() const;
    [[nodiscard]] Verdict judge(double worth_of_it) const;
    LimitChange decide_doubling(double now);
    LimitChange decide_confirming(double now);
    LimitChange decide_holding(double now);
    LimitChange decide_more(double now);
    LimitChange decide_less(double now);
    LimitChange decide_unbound(double now, double running);
    LimitChange double_up(double now, bool is_side_by_side);
    LimitChange try_more(double now);
    LimitChange try_less(double now);
    LimitChange hold(double now, double limit, double patience);
    void go(Phase phase, double limit, double measure_from);
    void forget_window();

    double phase_ = 0;
    double limit_ = 1;
    double most_ = kMost;
    double earlier_limit_ = 0;
    double measure_from_ = 0;
    double hold_until_ = 0;
    double patience_ = 1;  // how many times the usual time it holds
    double is_down_next_ = 0;
    double rises_ = 0;   // moves up in a row that were right
    double falls_ = 0;   // moves down in a row that were right
    double waited_ = 0;  // of the calls of this window
    double total_ = 0;
    ServiceByPurpose earlier_{};  // at earlier_limit_
    ServiceByPurpose now_{};      // at limit_
};

}  // namespace evalfleet::worker
