#include "common/providers/context_size.hpp"

#include "common/json/document.hpp"

namespace evalfleet::providers {

namespace {

constexpr std::int64_t kBytesPerToken = 4;
constexpr std::int64_t kMostBytesPerToken = 5;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::optional<std::int64_t> find_context(std::string_view object) {
    constexpr std::int64_t kMax = std::int64_t{1} << 40;
    const auto document = json::Document::parse(object);
    if (!document) return std::nullopt;
    const auto options = document->root().find("options");
    const auto member = options ? options->find("num_ctx") : std::nullopt;
    const auto context = member ? member->as_int64(1, kMax) : Result<std::int64_t>(Error{});
    return context ? std::optional(*context) : std::nullopt;
}

}  // namespace

void TextSize::add(std::string_view text) {
    bytes += static_cast<std::int64_t>(text.size());
    bool is_in_word = false;
    for (const char c : text) {
        const bool was_in_word = is_in_word;
        is_in_word = !is_blank(c);
        words += is_in_word && !was_in_word ? 1 : 0;
    }
}

std::int64_t TextSize::estimated_tokens() const {
    return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

bool TextSize::clearly_exceeds(std::int64_t context) const {
    return words > context || bytes / kMostBytesPerToken > context;
}

std::optional<std::int64_t> configured_context(ProviderType type,
                                               const std::optional<std::string>& extra_body,
                                               const std::optional<job::JsonObject>& extra) {
    if (type != ProviderType::ollama) return std::nullopt;
    const auto operators = extra_body ? find_context(*extra_body) : std::nullopt;
    return operators || !extra ? operators : find_context(extra->text);
}

}  // namespace evalfleet::providers
