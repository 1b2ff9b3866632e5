#include "common/config/yaml_fault.hpp"

#include "common/config/yaml_openings.hpp"
#include "common/json/escape.hpp"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace evalfleet::config {
namespace {

struct Explanation {
    std::string_view complaint;
    std::string_view words;
};

const std::array kExplanations{
    Explanation{
        YAML::ErrorMsg::MAP_VALUE,
        "found a second \": \" in one value, or a line that is indented too far; put a value "
        "that holds \": \" in quotes"},
    Explanation{YAML::ErrorMsg::END_OF_SEQ_FLOW, "found a \"[\" that is not closed"},
    Explanation{YAML::ErrorMsg::END_OF_MAP_FLOW, "found a \"{\" that is not closed"},
    Explanation{YAML::ErrorMsg::END_OF_MAP,
                "found a line that is not indented like its neighbours"},
    Explanation{YAML::ErrorMsg::END_OF_SEQ,
                "found a line that is not indented like its neighbours"},
    Explanation{YAML::ErrorMsg::EOF_IN_SCALAR, "found a quote that is not closed"},
    Explanation{YAML::ErrorMsg::UNKNOWN_ANCHOR,
                "found an alias (*name) without its anchor (&name)"},
};

std::vector<std::string_view> first_lines(std::string_view text, int count) {
    std::vector<std::string_view> lines;
    while (!text.empty() && std::cmp_less(lines.size(), count)) {
        const auto end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool is_blank(std::string_view line) {
    return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

bool is_indented_by_tab(std::string_view line) {
    const auto indent = line.substr(0, line.find_first_not_of(" \t"));
    return !is_blank(line) && indent.find('\t') != std::string_view::npos;
}

/// The line complained about, or the one with content before it.
std::optional<int> find_tab(std::string_view text, int line) {
    const auto lines = first_lines(text, line);
    int looked_at = 0;
    for (auto i = static_cast<int>(lines.size()); i > 0 && looked_at < 2; --i) {
        const std::string_view each = lines[static_cast<std::size_t>(i - 1)];
        if (is_indented_by_tab(each)) return i;
        if (!is_blank(each)) ++looked_at;
    }
    return std::nullopt;
}

}  // namespace

YamlFault explain_yaml(std::string_view text, int line, std::string_view complaint) {
    if (const auto tab = find_tab(text, line)) return {*tab, "tabs cannot indent YAML; use spaces"};
    if (auto opening = find_unclosed(text, line)) return *std::move(opening);
    const auto* const known = std::ranges::find(kExplanations, complaint, &Explanation::complaint);
    if (known != kExplanations.end()) return {line, std::string(known->words)};
    return {line, "is not YAML: " + std::string(complaint)};
}

std::optional<YamlFault> find_bad_character(std::string_view text) {
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        return YamlFault{1, "found UTF-16, allowed: UTF-8"};
    int line = 1;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const std::size_t length = byte < 0x80 ? 1 : json::utf8_sequence_length(text.substr(i));
        if (length == 0)
            return YamlFault{line, fmt::format("found the byte 0x{:02x}, which is no UTF-8", byte)};
        const bool is_control = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
        if (is_control) {
            return YamlFault{
                line, fmt::format("found the control character 0x{:02x}, allowed: text", byte)};
        }
        line += byte == '\n' ? 1 : 0;
        i += length;
    }
    return std::nullopt;
}

std::optional<YamlFault> find_open_quote(std::string_view text, int line, int column) {
    const auto lines = first_lines(text, line);
    if (line < 1 || std::cmp_less(lines.size(), line)) return std::nullopt;
    const std::string_view last = lines.back();
    const auto at = static_cast<std::size_t>(column - 1);
    if (column < 1 || at >= last.size() || (last[at] != '"' && last[at] != '\''))
        return std::nullopt;
    const char quote = last[at];
    const auto begin = static_cast<std::size_t>(last.data() - text.data()) + at;
    for (std::size_t i = begin + 1; i < text.size(); ++i) {
        if (text[i] == '\\' && quote == '"')
            ++i;
        else if (text[i] == quote)
            return std::nullopt;
    }
    return YamlFault{line, fmt::format("found a {} that is not closed", quote)};
}

}  // namespace evalfleet::config
