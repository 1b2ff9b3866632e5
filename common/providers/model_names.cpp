#include "common/providers/model_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace evalfleet::providers {

namespace {

using namespace std::string_view_literals;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_all_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// 2024-08-06.
bool is_dashed_date(std::string_view text) {
    return text.size() == 10 && text[4] == '-' && text[7] == '-' &&
           std::count_if(text.begin(), text.end(), is_digit) == 8;
}

/// 2024-08-06, 20240806 or 0613.
bool is_date(std::string_view text) {
    return is_dashed_date(text) || (is_all_digits(text) && (text.size() == 8 || text.size() == 4));
}

bool ends_in_date(std::string_view name) {
    const auto last = name.substr(name.find_last_of('-') + 1);
    if (last.size() < name.size() && is_all_digits(last) && is_date(last)) return true;
    return name.size() > 11 && name[name.size() - 11] == '-' &&
           is_dashed_date(name.substr(name.size() - 10));
}

/// `sha256:...`, or twelve hexadecimal digits and more.
bool is_digest(std::string_view text) {
    constexpr std::size_t kShortest = 12;
    if (text.starts_with("sha256:")) text.remove_prefix(7);
    return text.size() >= kShortest &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string without_dashes(std::string text) {
    std::erase(text, '-');
    return text;
}

std::string append(std::string_view name, std::string_view joint, std::string_view version) {
    std::string full(name);
    if (!name.ends_with(version)) full.append(joint).append(version);
    return full;
}

std::string_view without_prefix(std::string_view text, std::string_view prefix) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

/// A number of one or two digits: more would be a date.
std::optional<int> small_number(std::string_view text) {
    if (text.size() > 2 || !is_all_digits(text)) return std::nullopt;
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

std::string_view behind_last_slash(std::string_view name) {
    return name.substr(name.find_last_of('/') + 1);
}

using Reason = std::optional<std::string>;

/// Names whose whole meaning is "whatever is newest".
Reason moving_word(std::string_view name) {
    for (const std::string_view word : {"-latest"sv, ":latest"sv, "@latest"sv}) {
        if (name.ends_with(word)) return fmt::format("'{}' moves to whatever is newest", name);
    }
    if (name == "latest" || name.starts_with('~')) {
        return fmt::format("'{}' moves to whatever is newest", name);
    }
    return std::nullopt;
}

/// OpenAI's own models without a date, of which there is no dated form.
constexpr std::array kOpenAiPinned{"gpt-5.6-sol"sv, "gpt-6-astra"sv, "gpt-6.1-sol"sv};

bool is_openai_model(std::string_view name) {
    const bool is_o_series = name.size() >= 2 && name[0] == 'o' && is_digit(name[1]);
    const bool is_gpt = name.starts_with("gpt-") && name.size() > 4 && is_digit(name[4]);
    return is_o_series || is_gpt || name.starts_with("chatgpt-");
}

Reason no_version(const job::ModelRef& model) {
    if (model.version && !model.version->empty()) return std::nullopt;
    return fmt::format("'{}' has no version", model.name);
}

Reason openai_reason(const job::ModelRef& model) {
    const std::string wire = wire_model_name(ProviderType::openai, model.name, model.version);
    const std::string_view name = behind_last_slash(wire);
    for (const std::string_view routing : {":nitro"sv, ":floor"sv, ":exacto"sv}) {
        if (name.ends_with(routing)) return fmt::format("'{}' is routed by price or speed", name);
    }
    if (!is_openai_model(name)) return no_version(model);
    const bool is_pinned =
        ends_in_date(name) ||
        std::find(kOpenAiPinned.begin(), kOpenAiPinned.end(), name) != kOpenAiPinned.end();
    if (is_pinned) return std::nullopt;
    return fmt::format("'{}' has no date, such as version: \"2024-08-06\"", name);
}

Reason anthropic_reason(const job::ModelRef& model) {
    constexpr ModelGeneration kPinnedByName{4, 6};
    const std::string wire = wire_model_name(ProviderType::anthropic, model.name, model.version);
    const auto generation = claude_generation(wire);
    if (!generation) return no_version(model);
    if (ends_in_date(wire) || *generation >= kPinnedByName) return std::nullopt;
    return fmt::format("'{}' has no date, such as version: \"20250929\"", wire);
}

Reason gemini_reason(const job::ModelRef& model) {
    const std::string wire = wire_model_name(ProviderType::gemini, model.name, model.version);
    if (!gemini_generation(wire)) return no_version(model);
    for (const std::string_view word : {"-preview"sv, "-exp"sv}) {
        if (wire.find(word) != std::string::npos) {
            return fmt::format("'{}' may be redirected to another model", wire);
        }
    }
    return std::nullopt;
}

Reason ollama_reason(const job::ModelRef& model) {
    const std::string wire = wire_model_name(ProviderType::ollama, model.name, model.version);
    if (wire.ends_with("-cloud") || wire.ends_with(":cloud")) {
        return fmt::format("'{}' is served from elsewhere", wire);
    }
    const bool has_tag = wire.find(':') != std::string::npos;
    if (has_tag || (model.version && is_digest(*model.version))) return moving_word(wire);
    return fmt::format("'{}' has no tag, which stands for the latest", wire);
}

/// `claude-opus-4-5@20251101`; from generation 4.6 on the plain name.
Reason vertex_anthropic_reason(const job::ModelRef& model) {
    const std::string wire =
        wire_model_name(ProviderType::vertex_anthropic, model.name, model.version);
    const std::size_t at = wire.find('@');
    if (at == std::string::npos) return anthropic_reason({model.provider, wire, std::nullopt});
    if (wire.substr(at) == "@default") return fmt::format("'{}' moves with the newest", wire);
    return std::nullopt;
}

/// `amazon.nova-pro-v1:0`, `us.anthropic.claude-sonnet-4-5-20250929-v1:0`: what ends in a version
/// stays what it is. An inference profile's own name says nothing.
Reason bedrock_reason(const job::ModelRef& model) {
    const std::string_view last = behind_last_slash(model.name);
    const std::size_t mark = last.rfind("-v");
    const bool has_version =
        mark != std::string_view::npos && mark + 2 < last.size() && is_digit(last[mark + 2]);
    return has_version ? std::nullopt : no_version(model);
}

}  // namespace

std::string wire_model_name(ProviderType type, std::string_view name,
                            const std::optional<std::string>& version) {
    switch (type) {
        case ProviderType::openai:
        case ProviderType::openai_responses:
        case ProviderType::openai_completions:
            if (version && is_date(*version)) return append(name, "-", *version);
            break;
        case ProviderType::anthropic:
            if (version && is_date(*version)) return append(name, "-", without_dashes(*version));
            break;
        case ProviderType::vertex_anthropic:
            if (version && is_date(*version) && name.find('@') == std::string_view::npos)
                return append(name, "@", without_dashes(*version));
            break;
        case ProviderType::gemini:
        case ProviderType::vertex_gemini:
            name = without_prefix(name, "models/");
            if (version && version->size() == 3 && is_all_digits(*version)) {
                return append(name, "-", *version);
            }
            break;
        case ProviderType::ollama:
            if (version && !is_digest(*version) && name.find(':') == std::string_view::npos) {
                return append(name, ":", *version);
            }
            break;
        case ProviderType::azure_openai:
        case ProviderType::bedrock:
        case ProviderType::command:
            break;
    }
    return std::string(name);
}

Reason floating_reason(ProviderType type, const job::ModelRef& model) {
    if (model.version) {
        if (Reason moving = moving_word(*model.version)) return moving;
    }
    if (Reason moving = moving_word(model.name)) return moving;
    switch (type) {
        case ProviderType::openai:
        case ProviderType::openai_responses:
        case ProviderType::openai_completions:
            return openai_reason(model);
        case ProviderType::anthropic:
            return anthropic_reason(model);
        case ProviderType::vertex_anthropic:
            return vertex_anthropic_reason(model);
        case ProviderType::gemini:
        case ProviderType::vertex_gemini:
            return gemini_reason(model);
        case ProviderType::bedrock:
            return bedrock_reason(model);
        case ProviderType::ollama:
            return ollama_reason(model);
        case ProviderType::azure_openai:
        case ProviderType::command:
            return no_version(model);
    }
    return no_version(model);
}

Reason floating_reason(const Providers& known, const job::ModelRef& model) {
    const auto provider = known.find(model.provider);
    if (provider != known.end()) return floating_reason(provider->second.type, model);
    if (Reason moving = moving_word(model.version.value_or(""))) return moving;
    if (Reason moving = moving_word(model.name)) return moving;
    return no_version(model);
}

namespace {

/// 08-2024.
bool is_month_and_year(std::string_view text) {
    return text[2] == '-' && is_all_digits(text.substr(0, 2)) && text.substr(3, 2) == "20" &&
           is_all_digits(text.substr(3));
}

/// Where in a name its date begins: a part between dashes, colons or other marks that is one.
std::size_t find_date(std::string_view name) {
    constexpr std::string_view kMarks = "-_.:@/";
    for (std::size_t begin = 0; begin < name.size(); ++begin) {
        const bool is_start = begin > 0 && kMarks.find(name[begin - 1]) != std::string_view::npos;
        if (!is_start || !is_digit(name[begin])) continue;
        const std::string_view rest = name.substr(begin);
        const auto ends_at = [&](std::size_t length) {
            return rest.size() == length ||
                   (rest.size() > length && kMarks.find(rest[length]) != std::string_view::npos);
        };
        if (ends_at(10) && is_dashed_date(rest.substr(0, 10))) return begin;
        if (ends_at(8) && rest.starts_with("20") && is_all_digits(rest.substr(0, 8))) return begin;
        if (ends_at(7) && is_month_and_year(rest.substr(0, 7))) return begin;
        if (ends_at(4) && is_all_digits(rest.substr(0, 4))) return begin;
    }
    return std::string_view::npos;
}

/// Behind the last `mark`, unless that is empty or says "whatever is newest" or how to route.
std::optional<std::string> behind(std::string_view name, char mark) {
    const std::size_t at = name.find_last_of(mark);
    if (at == std::string_view::npos || at + 1 == name.size()) return std::nullopt;
    const std::string_view part = name.substr(at + 1);
    for (const std::string_view word : {"latest"sv, "nitro"sv, "floor"sv, "exacto"sv, "free"sv,
                                        "online"sv, "thinking"sv, "cloud"sv}) {
        if (part == word) return std::nullopt;
    }
    return std::string(part);
}

}  // namespace

std::optional<std::string> pinned_part(std::string_view name) {
    constexpr std::size_t kBuildDigits = 3;
    name = behind_last_slash(name);
    if (auto version = behind(name, '@')) return version;
    if (const std::size_t date = find_date(name); date != std::string_view::npos)
        return std::string(name.substr(date));
    if (auto tag = behind(name, ':')) return tag;
    const std::string_view last = name.substr(name.find_last_of('-') + 1);
    const bool is_build = last.size() == kBuildDigits && last.size() < name.size();
    if (is_build && is_all_digits(last)) return std::string(last);
    return std::nullopt;
}

std::optional<std::string> pinned_version(const Providers& known, const job::ModelRef& model) {
    if (model.version && !model.version->empty()) return model.version;
    const auto provider = known.find(model.provider);
    const bool is_known = provider != known.end();
    if (is_known && provider->second.type == ProviderType::azure_openai) return std::nullopt;
    if (auto part = pinned_part(model.name)) return part;
    if (!is_known || floating_reason(provider->second.type, model)) return std::nullopt;
    const std::string_view name = behind_last_slash(model.name);
    return std::string(name.substr(std::min(name.find_first_of("0123456789"), name.size() - 1)));
}

std::optional<ModelGeneration> claude_generation(std::string_view model) {
    // Bedrock has a maker, perhaps a region, before it; Vertex a version behind it.
    model = behind_last_slash(model);
    if (const auto dot = model.find(".claude-"); dot != std::string_view::npos)
        model.remove_prefix(dot + 1);
    const auto parts = split(model.substr(0, model.find('@')), '-');
    if (parts.size() < 2 || parts.front() != "claude") return std::nullopt;
    const auto first = std::find_if(parts.begin() + 1, parts.end(), [](std::string_view part) {
        return small_number(part).has_value();
    });
    if (first == parts.end()) return std::nullopt;
    const auto second = first + 1 == parts.end() ? std::nullopt : small_number(*(first + 1));
    return ModelGeneration{*small_number(*first), second.value_or(0)};
}

std::optional<ModelGeneration> gemini_generation(std::string_view model) {
    const auto parts = split(behind_last_slash(model), '-');
    if (parts.size() < 2 || parts.front() != "gemini") return std::nullopt;
    const auto numbers = split(parts[1], '.');
    const auto major = small_number(numbers.front());
    if (!major) return std::nullopt;
    const auto minor = numbers.size() > 1 ? small_number(numbers[1]) : std::nullopt;
    return ModelGeneration{*major, minor.value_or(0)};
}

}  // namespace evalfleet::providers
