#include "coordinator/views/text_search.hpp"

#include "common/redaction/kind.hpp"

#include <algorithm>
#include <cstddef>

namespace evalfleet::views {

namespace {

// What JSON may write in another way without \\u.
bool is_escaped(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F || c == '"' || c == '\\' || c == '/';
}

// Whether the needle can lie in what stands for redacted text, `[REDACTED:kind]`, or across an end
// of it.
bool may_touch_redaction(std::string_view needle) {
    if (needle.find_first_of("[]:") != std::string_view::npos) return true;
    if (records::FoldedSearch(needle).is_in("redacted")) return true;
    for (std::size_t kind = 0; kind < redaction::kKindCount; ++kind) {
        const auto name = redaction::to_string(static_cast<redaction::Kind>(kind));
        if (records::FoldedSearch(needle).is_in(name)) return true;
    }
    return false;
}

}  // namespace

TextSearch::TextSearch(std::string_view needle)
    : search_(needle),
      stands_as_it_is_(std::ranges::none_of(needle, is_escaped) && !may_touch_redaction(needle)) {}

bool TextSearch::may_be_in_json(std::string_view json) const noexcept {
    return !stands_as_it_is_ || search_.is_in(json) || json.find("\\u") != std::string_view::npos;
}

}  // namespace evalfleet::views
