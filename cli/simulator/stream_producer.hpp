#pragma once

#include "cli/simulator/player.hpp"
#include "cli/simulator/protocols/protocol.hpp"
#include "cli/simulator/visit.hpp"
#include "common/http/reply.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// When the parts of a streamed reply are due, counted from the moment when the work on it began.
struct StreamSchedule {
    async::Duration first_text{};
    async::Duration last_text{};

    /// Piece `i` of `count`: evenly spread, the last one at `last_text`.
    [[nodiscard]] async::Duration due(std::size_t i, std::size_t count) const {
        if (count <= 1) return last_text;
        const auto step = (last_text - first_text) / static_cast<std::int64_t>(count - 1);
        return first_text + step * static_cast<std::int64_t>(i);
    }
};

/// Sends an answer piece by piece, at the moments that its schedule says, or goes wrong half way.
/// Pieces that are due together go out together.
class StreamProducer final : public http::BodyProducer {
  public:
    /// `visit` is told when the first text goes out; it must outlive this. `stall`: how long a
    /// stream that stalls is kept.
    StreamProducer(const Protocol& protocol, Outcome outcome, Visit& visit, StreamSchedule schedule,
                   std::chrono::seconds stall);

    [[nodiscard]] boost::asio::awaitable<Status> produce(http::BodyWriter& writer) override;

  private:
    /// What becomes of the stream after its middle.
    enum class Next { go_on, end, cut };

    [[nodiscard]] boost::asio::awaitable<Result<Next>> go_wrong(http::BodyWriter& writer);
    [[nodiscard]] boost::asio::awaitable<Status> wait_until_due(http::BodyWriter& writer,
                                                                std::size_t i, std::size_t count);
    [[nodiscard]] boost::asio::awaitable<Status> flush(http::BodyWriter& writer);
    [[nodiscard]] std::string in_halves(std::string_view piece);
    void add_text(std::string_view piece, bool is_malformed, http::BodyWriter& writer);

    Outcome outcome_;
    std::unique_ptr<StreamWriter> stream_;
    Visit& visit_;
    StreamSchedule schedule_;
    std::chrono::seconds stall_;
    std::string pending_;  // made and not yet sent
};

}  // namespace evalfleet::simulator
