#pragma once

#include "cli/simulator/player.hpp"
#include "cli/simulator/protocols/protocol.hpp"
#include "cli/simulator/visit.hpp"
#include "common/http/reply.hpp"

#include <memory>
#include <string_view>

namespace evalfleet::simulator {

/// What is known when a reply is made.
struct Moment {
    async::TimePoint now{};
    std::chrono::system_clock::time_point utc{};
    std::optional<QuotaView> quota{};
};

/// Turns what was decided into what goes over the wire: the protocol's words, the provider's
/// headers, and what is broken on purpose. `visit` goes with the reply; its entry tells the
/// request's id and arrival.
class Responder {
  public:
    explicit Responder(const SimulatorConfig& config) : config_(config) {}

    [[nodiscard]] http::Reply answer(const Protocol& protocol, Outcome outcome,
                                     std::unique_ptr<Visit> visit, const Moment& moment) const;

    [[nodiscard]] http::Reply refuse(const Protocol& protocol, Failure failure,
                                     std::unique_ptr<Visit> visit, const Moment& moment) const;

    /// How long the work on a request takes.
    [[nodiscard]] async::Duration service_time(const Outcome& outcome) const;

    /// When a reply's head is due, counted from the moment when the work on it began.
    [[nodiscard]] async::Duration head_due(const Outcome& outcome) const;

  private:
    [[nodiscard]] http::Reply whole(const Protocol& protocol, const Outcome& outcome,
                                    const Visit& visit, const Moment& moment) const;
    [[nodiscard]] http::Reply streamed(const Protocol& protocol, Outcome outcome,
                                       Visit& visit) const;

    const SimulatorConfig& config_;
};

}  // namespace evalfleet::simulator
