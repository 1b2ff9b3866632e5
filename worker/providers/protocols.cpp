#include "worker/providers/protocols.hpp"

#include "worker/providers/anthropic_messages.hpp"
#include "worker/providers/azure_openai.hpp"
#include "worker/providers/bedrock_converse.hpp"
#include "worker/providers/command_chat.hpp"
#include "worker/providers/gemini_content.hpp"
#include "worker/providers/ollama_chat.hpp"
#include "worker/providers/openai_chat.hpp"
#include "worker/providers/openai_completions.hpp"
#include "worker/providers/openai_responses.hpp"
#include "worker/providers/vertex.hpp"

namespace evalfleet::worker {

namespace {

template <class P>
const Protocol& the_only() {
    static const P protocol;
    return protocol;
}

}  // namespace

const Protocol& find_protocol(providers::ProviderType type) noexcept {
    using Type = providers::ProviderType;
    switch (type) {
        case Type::openai:
            break;
        case Type::azure_openai:
            return the_only<AzureOpenAi>();
        case Type::anthropic:
            return the_only<AnthropicMessages>();
        case Type::gemini:
            return the_only<GeminiContent>();
        case Type::ollama:
            return the_only<OllamaChat>();
        case Type::openai_responses:
            return the_only<OpenAiResponses>();
        case Type::openai_completions:
            return the_only<OpenAiCompletions>();
        case Type::bedrock:
            return the_only<BedrockConverse>();
        case Type::vertex_gemini:
            return the_only<VertexGemini>();
        case Type::vertex_anthropic:
            return the_only<VertexAnthropic>();
        case Type::command:
            return the_only<CommandChat>();
    }
    return the_only<OpenAiChat>();
}

}  // namespace evalfleet::worker
