#pragma once

#include "common/result/result.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::job {

/// What people note of a run to find it again: commit, branch, pull request. Nothing depends on it.
using RunLabels = std::map<std::string, std::string, std::less<>>;

inline constexpr std::size_t kMaxRunLabels = 32;
inline constexpr std::size_t kMaxLabelKeyBytes = 64;
inline constexpr std::size_t kMaxLabelValueBytes = 256;
inline constexpr std::size_t kMaxDescriptionBytes = 1024;

/// What is allowed, if a key is not: letters, digits and `._-/`, a letter or digit first.
[[nodiscard]] std::optional<std::string> fault_of_label_key(std::string_view key);

/// What is allowed, if a value is not: any text without control characters.
[[nodiscard]] std::optional<std::string> fault_of_label_value(std::string_view value);

/// Line feeds and tabs may stand in a description.
[[nodiscard]] std::optional<std::string> fault_of_description(std::string_view text);

/// Enters `KEY=VALUE` texts, each in the place of what had its key. The error says which is wrong,
/// and what is allowed.
[[nodiscard]] Status add_run_labels(RunLabels& labels, const std::vector<std::string>& texts);

/// `branch=main, commit=41ed580`, in the order of keys.
[[nodiscard]] std::string labels_text(const RunLabels& labels);

}  // namespace evalfleet::job
