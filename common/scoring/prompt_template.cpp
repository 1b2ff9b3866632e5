#include "common/scoring/prompt_template.hpp"

#include <algorithm>
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

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

template <class Predicate>
std::size_t skip(std::string_view text, std::size_t at, Predicate holds) {
    while (at < text.size() && holds(text[at]))
        ++at;
    return at;
}

constexpr std::size_t kMaxShown = 40;

}  // namespace

std::optional<PromptTemplate::Placeholder> PromptTemplate::placeholder_at(std::string_view text,
                                                                          std::size_t begin) {
    if (text.substr(begin, kBraces) != "{{") return std::nullopt;
    const std::size_t name_begin = skip(text, begin + kBraces, is_blank);
    if (name_begin >= text.size() || !starts_name(text[name_begin])) return std::nullopt;
    const std::size_t name_end = skip(text, name_begin, continues_name);
    const std::size_t close = skip(text, name_end, is_blank);
    if (text.substr(close, kBraces) != "}}") return std::nullopt;
    return Placeholder{begin, close + kBraces, name_begin, name_end};
}

PromptTemplate::PromptTemplate(std::string text) : text_(std::move(text)) {
    // Names and blanks hold no brace, so the next candidate lies behind everything a failed one
    // looked at: the scan is linear.
    std::size_t at = text_.find('{');
    while (at != std::string::npos) {
        const auto found = placeholder_at(text_, at);
        if (found) placeholders_.push_back(*found);
        at = text_.find('{', found ? found->end : at + 1);
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

bool PromptTemplate::has(std::string_view name) const {
    return std::any_of(
        placeholders_.begin(), placeholders_.end(),
        [&](const Placeholder& placeholder) { return name_of(placeholder) == name; });
}

std::optional<std::string_view> PromptTemplate::leftover() const {
    const std::string_view text = text_;
    std::size_t done = 0;
    const auto find_until = [&](std::size_t end) -> std::optional<std::string_view> {
        const std::size_t at = text.substr(0, end).find("{{", done);
        if (at == std::string_view::npos) return std::nullopt;
        const std::string_view rest = text.substr(at, kMaxShown);
        return rest.substr(0, rest.find('\n'));
    };
    for (const Placeholder& placeholder : placeholders_) {
        if (const auto found = find_until(placeholder.begin)) return found;
        done = placeholder.end;
    }
    return find_until(text.size());
}

std::string_view PromptTemplate::name_of(const Placeholder& placeholder) const {
    return std::string_view(text_).substr(placeholder.name_begin,
                                          placeholder.name_end - placeholder.name_begin);
}

}  // namespace evalfleet::scoring
