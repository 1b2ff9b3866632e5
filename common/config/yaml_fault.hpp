#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::config {

struct YamlFault {
    int line = 0;
    std::string message;
};

/// What yaml-cpp complained about at `line`, in words that say what to change, and where the cause
/// of it is: a tab in the indentation shows as something else, sometimes a line later.
[[nodiscard]] YamlFault explain_yaml(std::string_view text, int line, std::string_view complaint);

/// What is wrong with a text before it is read as YAML: bytes that are no UTF-8, or control
/// characters, which YAML has only as escapes in double quotes. nullopt if there is none. Pure.
[[nodiscard]] std::optional<YamlFault> find_bad_character(std::string_view text);

/// The quote that opens a value at `line` and `column`, from 1, if nothing closes it: yaml-cpp
/// takes the rest of the text for the value then. nullopt if it is closed, or no quote is there.
[[nodiscard]] std::optional<YamlFault> find_open_quote(std::string_view text, int line, int column);

}  // namespace evalfleet::config
