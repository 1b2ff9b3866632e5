#pragma once

#include "common/job/generation_params.hpp"
#include "common/providers/protocol_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How long a prompt may be, where that is configured. All pure.
namespace evalfleet::providers {

/// What can be said of a text's tokens without the model's vocabulary.
struct TextSize {
    std::int64_t bytes = 0;
    std::int64_t words = 0;  ///< between blanks: no vocabulary has fewer tokens

    void add(std::string_view text);

    /// Four bytes each.
    [[nodiscard]] std::int64_t estimated_tokens() const;

    /// More tokens than `context` in every likely vocabulary: more words than that, or more than
    /// five bytes for each of its tokens.
    [[nodiscard]] bool clearly_exceeds(std::int64_t context) const;
};

/// `options.num_ctx` that requests to Ollama carry, from a provider's `extra_body` or a run's
/// `extra`. Nothing if neither says it, or another type of provider is asked.
[[nodiscard]] std::optional<std::int64_t> configured_context(
    ProviderType type, const std::optional<std::string>& extra_body,
    const std::optional<job::JsonObject>& extra);

}  // namespace evalfleet::providers
