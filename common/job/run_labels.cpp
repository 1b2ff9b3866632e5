#include "common/job/run_labels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::job {

namespace {

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_key_character(char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-' || c == '/';
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::optional<std::string> fault_of_label_key(std::string_view key) {
    const bool is_good = !key.empty() && key.size() <= kMaxLabelKeyBytes &&
                         is_letter_or_digit(key.front()) &&
                         std::ranges::all_of(key, is_key_character);
    if (is_good) return std::nullopt;
    return fmt::format("1 to {} of letters, digits and ._-/, a letter or digit first",
                       kMaxLabelKeyBytes);
}

std::optional<std::string> fault_of_label_value(std::string_view value) {
    if (value.size() <= kMaxLabelValueBytes && std::ranges::none_of(value, is_control))
        return std::nullopt;
    return fmt::format("at most {} bytes, without control characters", kMaxLabelValueBytes);
}

std::optional<std::string> fault_of_description(std::string_view text) {
    const auto is_wrong = [](char c) { return is_control(c) && c != '\n' && c != '\t'; };
    if (text.size() <= kMaxDescriptionBytes && std::ranges::none_of(text, is_wrong))
        return std::nullopt;
    return fmt::format("at most {} bytes, without control characters", kMaxDescriptionBytes);
}

Status add_run_labels(RunLabels& labels, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
        const auto equals = text.find('=');
        if (equals == std::string::npos)
            return Error{ErrorKind::invalid, "found '" + text + "', allowed: KEY=VALUE"};
        const std::string key = text.substr(0, equals);
        std::string value = text.substr(equals + 1);
        if (const auto allowed = fault_of_label_key(key))
            return Error{ErrorKind::invalid, "found the key '" + key + "', allowed: " + *allowed};
        if (const auto allowed = fault_of_label_value(value))
            return Error{ErrorKind::invalid, "value of " + key + ": allowed: " + *allowed};
        labels.insert_or_assign(key, std::move(value));
    }
    if (labels.size() <= kMaxRunLabels) return {};
    return Error{ErrorKind::invalid,
                 fmt::format("found {} labels, allowed: at most {}", labels.size(), kMaxRunLabels)};
}

std::string labels_text(const RunLabels& labels) {
    std::string text;
    for (const auto& [key, value] : labels) {
        if (!text.empty()) text += ", ";
        text += key + "=" + value;
    }
    return text;
}

}  // namespace evalfleet::job
