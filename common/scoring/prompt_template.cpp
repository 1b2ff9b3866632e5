#include "common/scoring/prompt_template.hpp"

#include <utility>

namespace evalfleet::scoring {

namespace {

constexpr std::size_t kBraces = 2;

bool starts_name(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool continues_name(char c) {
    return starts_name(c) || (c >= '0' && c <= '9');
}

/// The end of the placeholder that begins at `begin`, or `begin` if none begins there.
std::size_t placeholder_end(std::string_view text, std::size_t begin) {
    if (text.substr(begin, kBraces) != "{{") return begin;
    std::size_t at = begin + kBraces;
    if (at >= text.size() || !starts_name(text[at])) return begin;
    while (at < text.size() && continues_name(text[at]))
        ++at;
    return text.substr(at, kBraces) == "}}" ? at + kBraces : begin;
}

}  // namespace

PromptTemplate::PromptTemplate(std::string text) : text_(std::move(text)) {
    // A name holds no brace, so the next candidate lies behind everything a failed one looked at:
    // the scan is linear.
    std::size_t at = text_.find('{');
    while (at != std::string::npos) {
        const std::size_t end = placeholder_end(text_, at);
        if (end != at) placeholders_.push_back({at, end});
        at = text_.find('{', end != at ? end : at + 1);
    }
}

std::string PromptTemplate::render(const Lookup& lookup) const {
    std::string out;
    std::size_t done = 0;
    for (const Placeholder& placeholder : placeholders_) {
        out.append(text_, done, placeholder.begin - done);
        if (const auto value = lookup(name_of(placeholder))) out.append(*value);
        done = placeholder.end;
    }
    out.append(text_, done);
    return out;
}

std::vector<std::string_view> PromptTemplate::names() const {
    std::vector<std::string_view> names;
    names.reserve(placeholders_.size());
    for (const Placeholder& placeholder : placeholders_)
        names.push_back(name_of(placeholder));
    return names;
}

std::string_view PromptTemplate::name_of(const Placeholder& placeholder) const {
    const std::size_t length = placeholder.end - placeholder.begin - 2 * kBraces;
    return std::string_view(text_).substr(placeholder.begin + kBraces, length);
}

}  // namespace evalfleet::scoring
