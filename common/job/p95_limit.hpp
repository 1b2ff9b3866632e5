#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::job {

/// So many samples at least have one above their 95th percentile with 95 % confidence: 0.95^59 <
/// 0.05.
inline constexpr std::uint64_t kFewestForP95 = 59;

/// Why a p95 of so many samples has no interval; none if it has one. With fewer than 59 no upper
/// limit of the percentile holds without assumptions, whatever a bootstrap says; repeats of one
/// sample are not independent, and count once.
[[nodiscard]] std::optional<std::string> why_no_p95_limit(std::uint64_t samples);

}  // namespace evalfleet::job
