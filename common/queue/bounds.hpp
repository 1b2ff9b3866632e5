#pragma once

#include <cstdint>

namespace evalfleet::queue {

/// The largest record that a worker hands on, and the least that whoever reads results must be able
/// to take in one answer (`redis::ReplyLimits`). An answer of a model has at most 16 MiB, and no
/// field of a record quotes more than one.
inline constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{32} << 20;

}  // namespace evalfleet::queue
