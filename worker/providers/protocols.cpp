#include "worker/providers/protocols.hpp"

#include "worker/providers/openai_chat.hpp"

namespace evalfleet::worker {

const Protocol* find_protocol(providers::ProviderType type) noexcept {
    static const OpenAiChat openai;
    switch (type) {
        case providers::ProviderType::openai:
            return &openai;
        case providers::ProviderType::azure_openai:
        case providers::ProviderType::anthropic:
        case providers::ProviderType::gemini:
        case providers::ProviderType::ollama:
            return nullptr;
    }
    return nullptr;
}

}  // namespace evalfleet::worker
