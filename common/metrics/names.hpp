#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::metrics {

enum class Type { counter, gauge, histogram };

/// What is wrong with a metric's name, if anything. Names read
/// `evalfleet_<role>_<what>_<unit or total>`: small letters, digits and single underscores, at
/// least a role and a subject; a counter ends in `_total`, nothing else does; a histogram ends in
/// the unit it measures (seconds, bytes, tokens, ratio, jobs, commands, records).
[[nodiscard]] std::optional<std::string> fault_of_name(std::string_view name, Type type);

/// What is wrong with a label's name, if anything. Labels that would make a series for every job,
/// trial, sample or request are refused: they drown a Prometheus server.
[[nodiscard]] std::optional<std::string> fault_of_label(std::string_view name);

/// The most bytes of a label's value.
inline constexpr std::size_t kMaxLabelBytes = 256;

/// A value of at most `kMaxLabelBytes`: a longer one is cut between characters and ends in `~` and
/// a checksum, so that different names stay different.
[[nodiscard]] std::string bound_label_value(std::string_view value);

}  // namespace evalfleet::metrics
