#pragma once

#include "common/json/document.hpp"
#include "worker/call/wire_response.hpp"
#include "worker/providers/protocol.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// A question with a system prompt and a chat.
inline ModelRequest question(std::string model, std::optional<std::string> version = {}) {
    return {.model = std::move(model),
            .version = std::move(version),
            .messages = {{job::MessageRole::system, "Be brief."},
                         {job::MessageRole::user, "Hello"},
                         {job::MessageRole::assistant, "Hi"},
                         {job::MessageRole::user, "Capital of France?\n"}},
            .generation = {.temperature = 0.5, .top_p = 1, .max_tokens = 64, .seed = 42}};
}

inline WireRequest make(const Protocol& protocol, std::string_view base_url,
                        const ModelRequest& request, std::optional<std::string> version = {}) {
    return protocol.make_request({http::Url::parse(base_url).value(), std::move(version)}, request);
}

inline json::Document body_of(const WireRequest& request) {
    return json::Document::parse(request.http.body).value();
}

/// When the n-th piece of a stream comes.
inline async::TimePoint moment(int piece) {
    return async::TimePoint(std::chrono::seconds(100)) + std::chrono::milliseconds(piece);
}

/// What a protocol reads from a stream that comes in these pieces, a millisecond apart.
inline Result<ModelReply> stream(const Protocol& protocol, const std::vector<std::string>& pieces,
                                 http::Headers headers = {}) {
    WireResponse response;
    response.status = 200;
    response.headers = std::move(headers);
    response.is_streamed = true;
    int number = 0;
    for (const std::string& piece : pieces)
        response.add_piece(piece, moment(number++));
    return response.read(protocol);
}

/// The same, cut into pieces of `size` bytes.
inline Result<ModelReply> stream_cut(const Protocol& protocol, std::string_view body,
                                     std::size_t size) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < body.size(); at += size)
        pieces.emplace_back(body.substr(at, size));
    return stream(protocol, pieces);
}

}  // namespace evalfleet::worker
