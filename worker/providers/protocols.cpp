#include "worker/providers/protocols.hpp"

#include "worker/providers/anthropic_messages.hpp"
#include "worker/providers/azure_openai.hpp"
#include "worker/providers/gemini_content.hpp"
#include "worker/providers/ollama_chat.hpp"
#include "worker/providers/openai_chat.hpp"

namespace evalfleet::worker {

const Protocol& find_protocol(providers::ProviderType type) noexcept {
    static const OpenAiChat openai;
    static const AzureOpenAi azure;
    static const AnthropicMessages anthropic;
    static const GeminiContent gemini;
    static const OllamaChat ollama;
    switch (type) {
        case providers::ProviderType::openai:
            return openai;
        case providers::ProviderType::azure_openai:
            return azure;
        case providers::ProviderType::anthropic:
            return anthropic;
        case providers::ProviderType::gemini:
            return gemini;
        case providers::ProviderType::ollama:
            return ollama;
    }
    return openai;
}

}  // namespace evalfleet::worker
