#pragma once

#include "common/json/writer.hpp"
#include "worker/providers/protocol.hpp"

#include <memory>
#include <string>
#include <string_view>

/// The bodies of OpenAI's chat completions, shared by all who speak them: OpenAI, Azure, vLLM,
/// llama.cpp, TGI, Groq, OpenRouter, LiteLLM, each with small deviations that are tolerated here:
/// `error` as text or object, under status 200 too; usage or its details absent or null; text as
/// a list of parts. Pure.
namespace evalfleet::worker {

/// A POST of the question to `url`. `model` is the name on the wire.
[[nodiscard]] WireRequest make_openai_request(http::Url url, std::string_view model,
                                              const ModelRequest& request);

/// The member `response_format`.
void write_openai_response_format(json::Writer& writer, const job::ResponseFormat& format);

/// Does a model, by its name, take neither temperature nor top_p?
[[nodiscard]] bool has_fixed_openai_sampling(std::string_view model);

/// A refusal in `message.refusal` is the answer, with `refusal` as the finish reason, so that it is
/// never taken for a wrong answer silently.
[[nodiscard]] Result<ModelReply> read_openai_reply(const http::Headers& headers,
                                                   std::string_view body);

[[nodiscard]] std::unique_ptr<StreamReader> read_openai_stream(const http::Headers& headers);

[[nodiscard]] Refusal read_openai_refusal(int status, const http::Headers& headers,
                                          std::string_view body,
                                          std::chrono::system_clock::time_point now);

}  // namespace evalfleet::worker
