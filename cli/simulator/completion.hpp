#pragma once

#include <cstdint>
#include <string>

namespace evalfleet::simulator {

/// A chat completion in the shape of OpenAI's API.
struct Completion {
    std::uint64_t id = 0;
    std::string model;  ///< as asked for; the reply says that it is simulated
    std::string content;
    std::string finish_reason = "stop";
    std::uint64_t prompt_tokens = 0;
    bool has_usage = true;
};

/// The name in every reply, so that no simulated result can pass for a real one.
[[nodiscard]] std::string simulated_name(const std::string& model);

[[nodiscard]] std::string completion_body(const Completion& completion);

/// The body of an error with that status.
[[nodiscard]] std::string error_body(int status, const std::string& message = "");

/// The reply to GET /v1/models.
[[nodiscard]] std::string models_body();

}  // namespace evalfleet::simulator
