#pragma once

#include "common/job/names.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace evalfleet::providers {

/// The wire protocol that a provider speaks.
enum class ProviderType {
    openai,
    azure_openai,
    anthropic,
    gemini,
    ollama,
    openai_responses,
    openai_completions,
    bedrock,
    vertex_gemini,
    vertex_anthropic,
    command,
};

/// What is true of a protocol wherever it is spoken. What a run may ask of it is checked by this
/// table before anything is sent.
struct ProtocolTraits {
    ProviderType type;
    std::string_view name;             ///< `type` in providers files
    std::string_view key_header;       ///< the header of `api_key_*`; empty: it takes none
    std::string_view key_prefix = {};  ///< of its value
    bool has_api_version = false;
    bool has_json_mode = true;  ///< JSON of any shape can be asked for
    bool has_json_schema = true;
    bool has_stop = true;
    bool has_reasoning_effort = true;
    bool has_thinking_budget = false;
    bool has_prompt_cache = false;
    bool has_streams = true;
    std::string_view simulated_base{};  ///< the path of `base_url` at the simulator
};

/// One row for each protocol, in the order of the enumeration: the registration that workers, the
/// simulator, validation, documentation and fuzzing are checked against.
inline constexpr std::array kProtocols{
    ProtocolTraits{.type = ProviderType::openai,
                   .name = "openai",
                   .key_header = "Authorization",
                   .key_prefix = "Bearer ",
                   .simulated_base = "/v1"},
    ProtocolTraits{.type = ProviderType::azure_openai,
                   .name = "azure-openai",
                   .key_header = "api-key",
                   .has_api_version = true},
    ProtocolTraits{.type = ProviderType::anthropic,
                   .name = "anthropic",
                   .key_header = "x-api-key",
                   .has_api_version = true,
                   .has_json_mode = false,
                   .has_thinking_budget = true,
                   .has_prompt_cache = true},
    ProtocolTraits{.type = ProviderType::gemini,
                   .name = "gemini",
                   .key_header = "x-goog-api-key",
                   .has_thinking_budget = true},
    ProtocolTraits{.type = ProviderType::ollama,
                   .name = "ollama",
                   .key_header = "Authorization",
                   .key_prefix = "Bearer "},
    ProtocolTraits{.type = ProviderType::openai_responses,
                   .name = "openai-responses",
                   .key_header = "Authorization",
                   .key_prefix = "Bearer ",
                   .has_stop = false,
                   .simulated_base = "/v1"},
    ProtocolTraits{.type = ProviderType::openai_completions,
                   .name = "openai-completions",
                   .key_header = "Authorization",
                   .key_prefix = "Bearer ",
                   .has_reasoning_effort = false,
                   .simulated_base = "/v1"},
    ProtocolTraits{.type = ProviderType::bedrock,
                   .name = "bedrock",
                   .key_header = "Authorization",
                   .key_prefix = "Bearer ",
                   .has_json_mode = false,
                   .has_json_schema = false,
                   .has_reasoning_effort = false},
    ProtocolTraits{.type = ProviderType::vertex_gemini,
                   .name = "vertex-gemini",
                   .key_header = "x-goog-api-key",
                   .has_thinking_budget = true,
                   .simulated_base = "/v1/projects/p/locations/l"},
    ProtocolTraits{.type = ProviderType::vertex_anthropic,
                   .name = "vertex-anthropic",
                   .key_header = "",
                   .has_api_version = true,
                   .has_json_mode = false,
                   .has_thinking_budget = true,
                   .has_prompt_cache = true,
                   .simulated_base = "/v1/projects/p/locations/l"},
    ProtocolTraits{
        .type = ProviderType::command, .name = "command", .key_header = "", .has_streams = false},
};

[[nodiscard]] constexpr bool is_in_order() noexcept {
    for (std::size_t i = 0; i < kProtocols.size(); ++i) {
        if (kProtocols[i].type != static_cast<ProviderType>(i)) return false;
    }
    return true;
}
static_assert(is_in_order());

[[nodiscard]] constexpr const ProtocolTraits& traits_of(ProviderType type) noexcept {
    return kProtocols[static_cast<std::size_t>(type)];
}

}  // namespace evalfleet::providers

template <>
struct evalfleet::job::Names<evalfleet::providers::ProviderType> {
    static constexpr auto values = [] {
        std::array<std::string_view, evalfleet::providers::kProtocols.size()> names;
        for (std::size_t i = 0; i < names.size(); ++i)
            names[i] = evalfleet::providers::kProtocols[i].name;
        return names;
    }();
};
