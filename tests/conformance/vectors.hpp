#pragma once

#include "common/json/document.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::conformance {

/// Where the vectors are.
[[nodiscard]] std::filesystem::path vectors();

/// The names of the reduce cases, in order.
[[nodiscard]] std::vector<std::string> reduce_cases();

/// The whole of a file; throws if it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

/// The lines of a JSON Lines text that are not blank; a line ends at U+000A only.
[[nodiscard]] std::vector<std::string> split_lines(const std::string& text);

/// A text that must be JSON; throws if it is not.
[[nodiscard]] json::Document parse(const std::string& text);

/// (sample_index, repeat) of a record.
using Identity = std::pair<std::int64_t, std::int64_t>;
[[nodiscard]] Identity identity(json::Value record);

/// The differences between two files of records, matched by identity.
[[nodiscard]] std::vector<std::string> record_differences(const std::string& expected,
                                                          const std::string& actual);

/// The differences between the `expected` of each case and the line that came out for it.
[[nodiscard]] std::vector<std::string> case_differences(const std::string& cases,
                                                        const std::string& actual);

}  // namespace evalfleet::conformance
