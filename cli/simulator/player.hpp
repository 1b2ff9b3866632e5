#pragma once

#include "cli/simulator/chat_request.hpp"
#include "cli/simulator/config.hpp"
#include "cli/simulator/directive.hpp"
#include "cli/simulator/draw.hpp"
#include "cli/simulator/rate_window.hpp"
#include "cli/simulator/reference_book.hpp"
#include "common/async/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace evalfleet::simulator {

/// What shall become of one request.
struct Outcome {
    int status = 200;
    Fault fault = Fault::none;  ///< hang and reset: there is no reply
    async::Duration delay{};    ///< from the request's arrival to its reply
    std::string body;
    std::optional<std::uint64_t> retry_after_s;

    bool is_judge = false;
    std::uint64_t key = 0;  ///< of the request
    std::uint64_t nth = 0;  ///< how many equal requests there were, this one included
};

/// Decides what the simulated provider answers. Without I/O and clock, so that every reply can be
/// tested. Keeps a count for each different request.
class Player {
  public:
    Player(SimulatorConfig config, ReferenceBook book);

    /// `header`: the directive of the request's own header, if it has one. `invalid` for a
    /// directive that cannot be read.
    [[nodiscard]] Result<Outcome> play(const ChatRequest& request,
                                       const std::optional<Directive>& header,
                                       async::TimePoint now);

  private:
    /// What is known of the request at hand.
    struct Turn;

    [[nodiscard]] std::uint64_t count(std::uint64_t key);
    [[nodiscard]] bool apply(const Directive::Call& call, Outcome& outcome) const;
    void draw_fault(const Draw& draw, Outcome& outcome) const;
    [[nodiscard]] async::Duration draw_delay(const Draw& draw) const;
    void write_reply(const ChatRequest& request, const Turn& turn, Outcome& outcome) const;

    SimulatorConfig config_;
    ReferenceBook book_;
    RateWindow window_;
    std::unordered_map<std::uint64_t, std::uint32_t> counts_;  ///< by request key
};

}  // namespace evalfleet::simulator
