#pragma once

#include "common/async/clock.hpp"
#include "common/result/result.hpp"

#include <atomic>
#include <optional>
#include <string_view>
#include <vector>

namespace evalfleet::simulator {

/// A stretch of time in which the provider answers nobody.
struct Outage {
    async::Duration start{};  ///< after the first request
    async::Duration duration{};
    std::optional<int> status{};  ///< what every call gets; none: connections are refused

    /// "START:DURATION:KIND" in seconds; KIND is a status or "refuse".
    [[nodiscard]] static Result<Outage> parse(std::string_view text);

    bool operator==(const Outage&) const = default;
};

/// Says what is out of order when. Any thread may call it.
class OutagePlan {
  public:
    struct Stretch {
        async::TimePoint from{};
        async::TimePoint until{};
        bool operator==(const Stretch&) const = default;
    };

    explicit OutagePlan(std::vector<Outage> outages) : outages_(std::move(outages)) {}

    /// A request came; the plan's time runs from the first one.
    void note_request(async::TimePoint arrival);

    /// The status that every call gets now, if there is one.
    [[nodiscard]] std::optional<int> status_at(async::TimePoint now) const;

    [[nodiscard]] bool has_refusals() const;

    /// The first stretch with refused connections that is not over; nothing if there is none, or
    /// if no request has come yet.
    [[nodiscard]] std::optional<Stretch> next_refusal(async::TimePoint now) const;

  private:
    [[nodiscard]] std::optional<Stretch> stretch_of(const Outage& outage) const;

    const std::vector<Outage> outages_;
    std::atomic<async::TimePoint> first_request_{async::kNever};
};

}  // namespace evalfleet::simulator
