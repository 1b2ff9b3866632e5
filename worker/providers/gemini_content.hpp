#pragma once

#include "worker/providers/protocol.hpp"

namespace evalfleet::worker {

/// Gemini's generateContent: POST <base_url>/v1beta/models/<name>:generateContent, or
/// :streamGenerateContent?alt=sse, with the key in `x-goog-api-key`.
///
/// Thoughts are billed as output and counted as such, but are no part of the answer. A prompt that
/// was blocked gets no answer: it ends as `empty_response` with the finish reason `content_filter`.
/// From generation 3.6 on (3.5 for flash-lite) temperature and top_p are not sent.
class GeminiContent : public Protocol {
  public:
    [[nodiscard]] WireRequest make_request(const Endpoint& endpoint,
                                           const ModelRequest& request) const override;
    [[nodiscard]] Result<ModelReply> read_reply(const http::Headers& headers,
                                                std::string_view body) const override;
    [[nodiscard]] std::unique_ptr<StreamReader> read_stream(
        const http::Headers& headers) const override;
    [[nodiscard]] Refusal read_refusal(int status, const http::Headers& headers,
                                       std::string_view body,
                                       std::chrono::system_clock::time_point now) const override;
};

/// A POST of the question to `url`; `model` is the name on the wire.
[[nodiscard]] WireRequest make_gemini_request(http::Url url, std::string_view model,
                                              const ModelRequest& request);

}  // namespace evalfleet::worker
