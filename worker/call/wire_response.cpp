#include "worker/call/wire_response.hpp"

namespace evalfleet::worker {

namespace {

constexpr std::size_t kMaxPieces = 65'536;

/// Without its parameters: `application/json` of `application/json; charset=utf-8`.
std::string_view media_type(const http::Headers& headers) {
    const std::string_view type = headers.find("content-type").value_or("");
    return http::trim(type.substr(0, type.find(';')));
}

}  // namespace

bool is_stream(const http::Headers& headers, bool asked_for) {
    const std::string_view type = media_type(headers);
    if (http::iequals(type, "text/event-stream")) return true;
    return asked_for && !http::iequals(type, "application/json");
}

void WireResponse::add_piece(std::string_view bytes, async::TimePoint at) {
    body_ += bytes;
    if (pieces_.size() < kMaxPieces) {
        pieces_.push_back({body_.size(), at});
    } else {
        pieces_.back().end = body_.size();
    }
}

Status WireResponse::feed(StreamReader& reader) const {
    std::size_t begin = 0;
    for (const Piece& piece : pieces_) {
        const auto bytes = std::string_view(body_).substr(begin, piece.end - begin);
        if (const Status fed = reader.feed(bytes, piece.at); !fed) return fed;
        begin = piece.end;
    }
    return {};
}

Result<ModelReply> WireResponse::read(const Protocol& protocol) const {
    if (!is_streamed) return protocol.read_reply(headers, body_);
    const auto reader = protocol.read_stream(headers);
    const Status fed = feed(*reader);
    auto reply = fed ? reader->finish() : Result<ModelReply>(fed.error());
    if (reply || !http::trim(body_).starts_with('{')) return reply;
    // A server that ignores the wish for a stream need not call its answer JSON.
    auto whole = protocol.read_reply(headers, body_);
    const bool is_whole = whole && (whole->finish_reason || whole->refusal);
    return is_whole ? std::move(whole) : std::move(reply);
}

bool WireResponse::has_ended(const Protocol& protocol) const {
    if (!is_streamed) return false;
    const auto reader = protocol.read_stream(headers);
    return feed(*reader) && reader->has_ended();
}

Usage WireResponse::read_usage(const Protocol& protocol) const {
    if (!is_streamed) {
        const auto reply = protocol.read_reply(headers, body_);
        return reply ? reply->usage : Usage{};
    }
    const auto reader = protocol.read_stream(headers);
    static_cast<void>(feed(*reader));
    return reader->usage();
}

}  // namespace evalfleet::worker
