#pragma once

#include "common/http/message.hpp"
#include "worker/providers/protocol.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// A response as it came over the wire, with the moments at which the pieces of a streamed body
/// arrived. Nothing of it was read yet: noting a piece costs next to nothing, so that nothing
/// stands between the arrival of bytes and their timestamp.
class WireResponse {
  public:
    int status = 0;
    http::Headers headers;
    http::Timings timings;

    /// A streamed one: the body was taken in pieces.
    bool is_streamed = false;

    void set_body(std::string body) { body_ = std::move(body); }

    /// The next piece of the body came at `at`. Beyond 65,536 pieces, more than any answer has,
    /// they count as part of the last one, so that a drip of single bytes costs bounded memory.
    void add_piece(std::string_view bytes, async::TimePoint at);

    [[nodiscard]] const std::string& body() const noexcept { return body_; }

    /// What the provider of `protocol` says in it. Pure; may be heavy for long bodies, so not for
    /// I/O threads. The status must be 2xx. Errors: `transient` (a stream that broke off), others:
    /// it is not what the protocol promises.
    [[nodiscard]] Result<ModelReply> read(const Protocol& protocol) const;

    /// Does it hold the protocol's own mark of the end? Pure, as `read` is.
    [[nodiscard]] bool has_ended(const Protocol& protocol) const;

    /// The tokens that it counts, even if it broke off. Pure, as `read` is.
    [[nodiscard]] Usage read_usage(const Protocol& protocol) const;

  private:
    struct Piece {
        std::size_t end;  // of it in the body
        async::TimePoint at;
    };

    /// All pieces, or those before the first that is wrong.
    [[nodiscard]] Status feed(StreamReader& reader) const;

    std::string body_;
    std::vector<Piece> pieces_;
};

/// Does a response come as a stream? A server may ignore the wish for one, and answers in JSON.
[[nodiscard]] bool is_stream(const http::Headers& headers, bool asked_for);

}  // namespace evalfleet::worker
