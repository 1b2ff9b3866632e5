#pragma once

#include "cli/simulator/chat_request.hpp"
#include "cli/simulator/completion.hpp"
#include "cli/simulator/config.hpp"
#include "cli/simulator/directive.hpp"
#include "cli/simulator/draw.hpp"
#include "cli/simulator/failure.hpp"
#include "cli/simulator/reference_book.hpp"
#include "cli/simulator/request_counter.hpp"
#include "common/async/clock.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::simulator {

/// What shall become of one request, in no provider's terms.
struct Outcome {
    int status = 200;           ///< another one: an error, and there is no answer
    Fault fault = Fault::none;  ///< with status 200
    async::Duration delay{};    ///< of the work on it, until the last byte of its reply
    Completion completion{};    ///< with status 200
    FailureKind failure = FailureKind::plain;
    std::string error_code{};
    std::string refused_member{};  ///< of the request, which is refused for it
    std::optional<std::chrono::milliseconds> retry_after{};
    std::chrono::milliseconds drip{};
    std::uint64_t oversized_bytes = 0;
    bool stream = false;

    bool is_judge = false;
    std::uint64_t key = 0;  ///< of the request
    std::uint64_t nth = 0;  ///< how many equal requests there were, this one included
};

/// Decides what the simulated provider answers. Without I/O and clock, so that every reply can be
/// tested. Keeps a count for each different request. Any thread may call it.
class Player {
  public:
    Player(SimulatorConfig config, ReferenceBook book);

    /// `header`: the directive of the request's own header, if it has one. `invalid` for a
    /// directive that cannot be read.
    [[nodiscard]] Result<Outcome> play(const ChatRequest& request,
                                       const std::optional<Directive>& header);

  private:
    /// What is known of the request at hand.
    struct Turn;

    [[nodiscard]] bool apply(const Directive::Call& call, Outcome& outcome) const;
    void draw_fault(const Turn& turn, Outcome& outcome) const;
    [[nodiscard]] async::Duration draw_delay(const Draw& draw) const;
    [[nodiscard]] async::Duration time_to_write(const TokenCounts& tokens) const;
    void answer(const ChatRequest& request, const Turn& turn, Outcome& outcome) const;
    [[nodiscard]] std::string speak(const ChatRequest& request, const Turn& turn) const;
    [[nodiscard]] std::string say(const ChatRequest& request, const Turn& turn, Fault fault) const;

    const SimulatorConfig config_;
    const ReferenceBook book_;
    RequestCounter counter_;
};

}  // namespace evalfleet::simulator
