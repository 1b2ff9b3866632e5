#pragma once

#include "common/job/names.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::job {

/// Texts at which a model stops; at least one.
struct StopSequences {
    std::vector<std::string> texts;
    bool operator==(const StopSequences&) const = default;
};

/// The form that the provider is asked to hold an answer to: JSON, of a schema if there is one.
struct ResponseFormat {
    std::string json_schema;  ///< JSON; empty: any JSON
    bool operator==(const ResponseFormat&) const = default;
};

/// How long a provider keeps the constant part of prompts in its cache.
enum class PromptCache { minutes, hour };
template <>
struct Names<PromptCache> {
    static constexpr std::array values{std::string_view("5m"), std::string_view("1h")};
};

/// A JSON object whose meaning is not ours.
struct JsonObject {
    std::string text;
    bool operator==(const JsonObject&) const = default;
};

/// How a model is asked to answer. Rubric 4.1 has the first four; what is empty is not sent.
struct GenerationParams {
    double temperature = 0;
    double top_p = 1;
    std::int64_t max_tokens = 1024;
    std::optional<std::int64_t> seed = 42;
    std::optional<StopSequences> stop{};
    std::optional<ResponseFormat> response_format{};
    std::optional<std::string> reasoning_effort{};  ///< `low`, `high`, ...: the provider's word
    std::optional<std::int64_t> thinking_budget{};  ///< tokens of `max_tokens` for thinking
    std::optional<PromptCache> prompt_cache{};
    std::optional<JsonObject> extra{};  ///< merged into the request's body
    bool operator==(const GenerationParams&) const = default;
};

/// Generation parameters as they went over the wire; empty: not sent.
struct SentParams {
    std::optional<double> temperature;
    std::optional<double> top_p;
    std::optional<std::int64_t> max_tokens;
    std::optional<std::int64_t> seed;
    std::optional<StopSequences> stop{};
    std::optional<ResponseFormat> response_format{};
    std::optional<std::string> reasoning_effort{};
    std::optional<std::int64_t> thinking_budget{};
    std::optional<PromptCache> prompt_cache{};
    std::optional<JsonObject> extra{};  ///< the operator's `extra_body` included
    /// That the operator adds; those whose value is secret say so instead.
    std::map<std::string, std::string, std::less<>> headers{};

    [[nodiscard]] static SentParams of(const GenerationParams& params);
    /// Without one, by its name in run files; false for a name that is none.
    bool leave_out(std::string_view name);

    bool operator==(const SentParams&) const = default;
};

}  // namespace evalfleet::job
