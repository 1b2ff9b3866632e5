#pragma once

#include "cli/simulator/player.hpp"
#include "common/http/reply.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace evalfleet::simulator {

/// Writes so many blanks, without ever holding them all.
[[nodiscard]] boost::asio::awaitable<Status> write_blanks(http::BodyWriter& writer,
                                                          std::uint64_t count);

/// Puts an `error` with nothing in it into a JSON object, alone or in an event.
void add_blank_error(std::string& text);

/// Does a whole (not streamed) reply with that fault need a BodyFaultProducer?
[[nodiscard]] bool breaks_body(Fault fault);

/// Writes a body in the way its fault says: it drips, is followed by endless blanks, stalls or is
/// cut half way.
class BodyFaultProducer final : public http::BodyProducer {
  public:
    BodyFaultProducer(std::string body, const Outcome& outcome, std::chrono::seconds stall);

    [[nodiscard]] boost::asio::awaitable<Status> produce(http::BodyWriter& writer) override;

  private:
    [[nodiscard]] boost::asio::awaitable<Status> drip(http::BodyWriter& writer);

    std::string body_;
    Fault fault_;
    std::chrono::milliseconds pause_;
    std::uint64_t oversized_bytes_;
    std::chrono::seconds stall_;
};

}  // namespace evalfleet::simulator
