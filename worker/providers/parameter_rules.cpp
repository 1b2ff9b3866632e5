#include "worker/providers/parameter_rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace evalfleet::worker {

namespace {

using namespace std::string_view_literals;

constexpr std::array kStatuses{400, 404, 422, 424, 500, 501};
constexpr std::size_t kMaxWords = 4096;
/// How far a name may stand from the words that say what is the matter with it.
constexpr std::size_t kReach = 100;

/// What an error must say of a parameter, so that a call may go without it.
enum class Ground {
    mention,  ///< that there is anything about it: an answer without is better than none
    value,    ///< that only another value of it is taken, which is the same as none
    member,   ///< that it is not taken at all: with another value it might be what the run wants
};

/// A name under which servers speak of a parameter, in small letters; longer ones first.
struct Alias {
    std::string_view word;
    std::string_view parameter;
    Ground ground;
};

constexpr std::array kAliases{
    Alias{"temperature"sv, "temperature"sv, Ground::value},
    Alias{"top_p"sv, "top_p"sv, Ground::value},
    Alias{"topp"sv, "top_p"sv, Ground::value},
    Alias{"seed"sv, "seed"sv, Ground::member},
    Alias{"max_completion_tokens"sv, "max_completion_tokens"sv, Ground::member},
    Alias{"maxcompletiontokens"sv, "max_completion_tokens"sv, Ground::member},
    Alias{"max_tokens"sv, "max_tokens"sv, Ground::member},
    Alias{"maxtokens"sv, "max_tokens"sv, Ground::member},
    Alias{"response_format"sv, "response_format"sv, Ground::mention},
    Alias{"responseformat"sv, "response_format"sv, Ground::mention},
    Alias{"response_mime_type"sv, "response_format"sv, Ground::mention},
    Alias{"responsemimetype"sv, "response_format"sv, Ground::mention},
    Alias{"text.format"sv, "response_format"sv, Ground::mention},
    Alias{"response format"sv, "response_format"sv, Ground::member},
    Alias{"json mode"sv, "response_format"sv, Ground::member},
    Alias{"json_object"sv, "response_format"sv, Ground::member},
    Alias{"stop_sequences"sv, "stop"sv, Ground::member},
    Alias{"stopsequences"sv, "stop"sv, Ground::member},
    Alias{"stop"sv, "stop"sv, Ground::member},
    Alias{"reasoning_effort"sv, "reasoning_effort"sv, Ground::member},
    Alias{"reasoningeffort"sv, "reasoning_effort"sv, Ground::member},
    Alias{"reasoning.effort"sv, "reasoning_effort"sv, Ground::member},
    Alias{"output_config.effort"sv, "reasoning_effort"sv, Ground::member},
    Alias{"effort"sv, "reasoning_effort"sv, Ground::member},
    Alias{"thinking_level"sv, "reasoning_effort"sv, Ground::member},
    Alias{"thinkinglevel"sv, "reasoning_effort"sv, Ground::member},
    Alias{"thinking level"sv, "reasoning_effort"sv, Ground::member},
    Alias{"thinking_budget"sv, "thinking_budget"sv, Ground::member},
    Alias{"thinkingbudget"sv, "thinking_budget"sv, Ground::member},
    Alias{"thinking budget"sv, "thinking_budget"sv, Ground::member},
    Alias{"thinking"sv, "thinking_budget"sv, Ground::member},
    Alias{"stream_options"sv, "stream_options"sv, Ground::member},
};

/// Words that say that a member is not taken, whatever its value; those that speak of its value.
constexpr std::array kNotTaken{
    "unsupported parameter"sv, "not support"sv,       "n't support"sv,     "deprecated"sv,
    "not permitted"sv,         "not allowed"sv,       "extra_forbidden"sv, "unknown"sv,
    "unrecognized"sv,          "unrecognised"sv,      "not recognized"sv,  "unexpected"sv,
    "not available"sv,         "not enabled"sv,       "not implemented"sv, "not accept"sv,
    "not compatible"sv,        "incompatible with"sv, "extraneous"sv,      "cannot find field"sv,
    "is unsupported"sv,        "no such parameter"sv,
};
constexpr std::array kOtherValue{
    "unsupported value"sv, "only 1 is"sv,       "is allowed for this model"sv,
    "only the default"sv,  "> 0.0 and < 1.0"sv,
};

/// The words of `code` that say the same of `param`.
constexpr std::array kNotTakenCodes{"unsupported_parameter"sv, "unknown_parameter"sv,
                                    "parameter_not_supported"sv, "extra_forbidden"sv};
constexpr std::string_view kOtherValueCode = "unsupported_value";

std::string to_small_letters(std::string_view text) {
    std::string out(text.substr(0, kMaxWords));
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

bool is_word_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// Where a word stands in a text from `from` on, not as a part of another.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
    for (std::size_t at = text.find(word, from); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool begins = at == 0 || !is_word_byte(text[at - 1]);
        if (begins && (end == text.size() || !is_word_byte(text[end]))) return at;
    }
    return std::string_view::npos;
}

struct Span {
    std::size_t begin;
    std::size_t end;
};

void find_all(std::string_view text, auto& phrases, std::vector<Span>& spans) {
    for (const std::string_view phrase : phrases) {
        for (std::size_t at = text.find(phrase); at != std::string_view::npos;
             at = text.find(phrase, at + phrase.size()))
            spans.push_back({at, at + phrase.size()});
    }
}

/// Where a text says that something is not taken, and where that a value is not.
struct Complaints {
    std::vector<Span> of_members;
    std::vector<Span> of_values;

    explicit Complaints(std::string_view text) {
        find_all(text, kNotTaken, of_members);
        find_all(text, kOtherValue, of_values);
    }
};

bool is_near(const std::vector<Span>& spans, std::size_t begin, std::size_t end) {
    return std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
        return span.begin <= end + kReach && begin <= span.end + kReach;
    });
}

/// "'reasoning_effort' does not support 'none' with this model" speaks of the value.
bool speaks_of_value(std::string_view text, const Complaints& complaints) {
    return !complaints.of_values.empty() || text.find("supported values") != std::string_view::npos;
}

/// Where a text first gives the ground for an alias.
std::size_t find_ground(std::string_view text, const Alias& alias, const Complaints& complaints) {
    for (std::size_t at = find_word(text, alias.word); at != std::string_view::npos;
         at = find_word(text, alias.word, at + 1)) {
        const std::size_t end = at + alias.word.size();
        if (alias.ground == Ground::mention) return at;
        const bool is_refused = is_near(complaints.of_members, at, end);
        const bool is_value = speaks_of_value(text, complaints);
        if (alias.ground == Ground::member && is_refused && !is_value) return at;
        if (alias.ground == Ground::value && (is_refused || is_near(complaints.of_values, at, end)))
            return at;
    }
    return std::string_view::npos;
}

/// The first of them that a message gives the ground for: "... 'max_tokens' is not supported with
/// this model. Use 'max_completion_tokens' instead".
const Alias* find_in_words(std::string_view text) {
    const Complaints complaints(text);
    const Alias* found = nullptr;
    std::size_t first = std::string_view::npos;
    for (const Alias& alias : kAliases) {
        const std::size_t at = find_ground(text, alias, complaints);
        if (at >= first) continue;
        first = at;
        found = &alias;
    }
    return found;
}

/// `generationConfig.topP` and `response_format.type` name what they are about.
const Alias* find_named(std::string_view param) {
    for (const Alias& alias : kAliases)
        if (find_word(param, alias.word) != std::string_view::npos) return &alias;
    return nullptr;
}

bool is_refused_by_code(const Alias& alias, std::string_view code) {
    if (alias.ground == Ground::mention) return true;
    if (alias.ground == Ground::value && code == kOtherValueCode) return true;
    return std::find(kNotTakenCodes.begin(), kNotTakenCodes.end(), code) != kNotTakenCodes.end();
}

/// Is what `param` names refused, though the words do not name it?
bool is_refused_by_words(const Alias& alias, std::string_view text) {
    const Complaints complaints(text);
    if (alias.ground == Ground::value && !complaints.of_values.empty()) return true;
    return !complaints.of_members.empty() && !speaks_of_value(text, complaints);
}

}  // namespace

std::optional<std::string> find_refused_parameter(int status, std::string_view message,
                                                  const std::optional<std::string>& param,
                                                  const std::optional<std::string>& code) {
    if (std::find(kStatuses.begin(), kStatuses.end(), status) == kStatuses.end())
        return std::nullopt;
    const std::string text = to_small_letters(message);
    // Where two of them exclude each other, temperature is the one that is kept.
    if (text.find("cannot both be specified") != std::string::npos) return "top_p";
    if (param) {
        const Alias* named = find_named(to_small_letters(*param));
        const bool is_refused =
            named != nullptr &&
            (is_refused_by_code(*named, code.value_or("")) || is_refused_by_words(*named, text));
        if (is_refused) return std::string(named->parameter);
    }
    const Alias* found = find_in_words(text);
    if (found == nullptr) return std::nullopt;
    return std::string(found->parameter);
}

}  // namespace evalfleet::worker
