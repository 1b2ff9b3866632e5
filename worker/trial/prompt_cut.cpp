#include "worker/trial/prompt_cut.hpp"

#include "common/providers/context_size.hpp"
#include "common/scoring/cost.hpp"

#include <bit>

namespace evalfleet::worker {

namespace {

/// Counts below it may be of what was not in the cache: earlier versions of Ollama left that out.
constexpr std::int64_t kSmallestContext = 1024;

/// Versions differ by what they keep free at the end.
constexpr std::int64_t kSlack = 8;

constexpr double kDoubt = 1.5;

providers::TextSize size_of(const std::vector<job::Message>& messages) {
    providers::TextSize size;
    for (const job::Message& message : messages) {
        size.add(message.content);
        if (!message.content.empty()) continue;
        for (const job::ContentPart& part : message.parts)
            if (!part.image) size.add(part.text);
    }
    return size;
}

bool is_context(std::int64_t count, std::optional<std::int64_t> context) {
    if (context) return count + kSlack >= *context;
    return std::has_single_bit(static_cast<std::uint64_t>(count));
}

}  // namespace

bool was_prompt_cut(const std::vector<job::Message>& messages, const Usage& usage,
                    std::optional<std::int64_t> context) {
    const providers::TextSize size = size_of(messages);
    const bool exceeds = context && size.clearly_exceeds(*context);
    const std::int64_t count = usage.input_tokens.value_or(0);
    const bool is_telling = count >= kSmallestContext || (context && count >= *context / 2);
    if (!is_telling) return exceeds;
    if (size.words > count) return true;
    const std::int64_t estimate = size.estimated_tokens();
    if (estimate <= count) return false;
    const bool doubtful = static_cast<double>(estimate) > kDoubt * static_cast<double>(count);
    return exceeds || doubtful || is_context(count, context);
}

bool was_prompt_cut(const Provider& provider, const ModelRequest& question,
                    const CallOutcome& outcome) {
    constexpr std::string_view kOllamasBuild = "fp_ollama";
    const bool is_native = provider.type == providers::ProviderType::ollama;
    const bool is_ollama =
        is_native || (outcome.reply && outcome.reply->system_fingerprint == kOllamasBuild);
    if (!is_ollama) return false;
    const auto context = providers::configured_context(provider.type, provider.extra_body,
                                                       question.generation.extra);
    return was_prompt_cut(question.messages, outcome.usage, context);
}

}  // namespace evalfleet::worker
