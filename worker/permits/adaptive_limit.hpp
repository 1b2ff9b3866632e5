#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::worker {

/// A moment of the Redis server's clock, which all workers share.
using ServerTime = std::chrono::milliseconds;

/// What calls have told about a provider since somebody last reckoned with it.
struct CallSignals {
    std::uint64_t successes = 0;
    std::uint64_t faults = 0;  ///< 5xx, time-outs, lost connections: it may be in trouble
    std::optional<ServerTime> throttled;  ///< when the call that was refused (429) had been sent;
                                          ///< of several, the one that was sent last

    void add_throttled(ServerTime sent);
    void add(const CallSignals& other);
    [[nodiscard]] bool empty() const noexcept;
    bool operator==(const CallSignals&) const = default;
};

/// How many calls a provider of unknown limits can bear at once, felt for as TCP feels for the
/// width of a line:
///
/// - It begins low and doubles with every round of successful calls (slow start) until the first
///   refusal; after that it grows by a twentieth a round, at least by one.
/// - It grows only while the limit is used: what nobody tried is not known to work.
/// - A refusal cuts it once an episode: refusals of calls that were sent before the cut are answers
///   to the old limit and say nothing about the new one.
/// - Server errors and time-outs stop growth for a while. They do not cut: they say that something
///   is wrong, not that we are too many.
/// - It never falls below one call, so that it always finds its way back.
///
/// Pure. Workers share one: each applies its signals to the state it was told and offers the result
/// to Redis, which takes it only from whoever knew the latest state.
class AdaptiveLimit {
  public:
    static constexpr double kFirst = 16;
    static constexpr double kLeast = 1;
    static constexpr double kMost = 100'000;
    static constexpr double kCut = 0.7;
    static constexpr double kGrowth = 0.05;  ///< of the limit, in a round
    static constexpr std::chrono::seconds kFaultPause{5};

    AdaptiveLimit() = default;

    /// Out of `text()`; the first state for anything else.
    [[nodiscard]] static AdaptiveLimit parse(std::string_view text);
    [[nodiscard]] std::string text() const;

    /// `is_used`: the fleet used most of the limit when the calls were made.
    void reckon(const CallSignals& signals, bool is_used, ServerTime now);

    /// Whole calls at once.
    [[nodiscard]] double limit() const noexcept { return limit_; }
    [[nodiscard]] bool is_slow_start() const noexcept { return limit_ < threshold_; }
    [[nodiscard]] ServerTime last_cut() const noexcept { return last_cut_; }

    bool operator==(const AdaptiveLimit&) const = default;

  private:
    void cut(ServerTime now);
    void grow(std::uint64_t successes);

    double limit_ = kFirst;
    double threshold_ = kMost;  // slow start below it
    ServerTime last_cut_{0};
    ServerTime growth_from_{0};  // no growth before
};

}  // namespace evalfleet::worker
