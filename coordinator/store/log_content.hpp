#pragma once

#include "coordinator/store/frame_walker.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace evalfleet::store {

/// Bytes of a log that are no sound frames.
struct LogDamage {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    bool operator==(const LogDamage&) const = default;
};

/// What a log holds.
struct LogContent {
    std::uint64_t entries = 0;  ///< sound ones
    std::uint64_t epoch = 0;    ///< the highest that was begun
    /// At the end: the beginning of one frame, whose write was cut short.
    std::uint64_t torn_bytes = 0;
    /// Whatever else is not sound, in order; sound frames before and behind it count.
    std::vector<LogDamage> damage;
};

/// Gets every sound entry, in order, with its offset.
using OnFrame = std::function<void(const Entry& entry, std::uint64_t offset)>;

/// Reads a log from `begin` to `size`, over whatever is damaged. Errors are those of reading.
[[nodiscard]] Result<LogContent> blocking_read_log(const ReadAt& read, std::uint64_t begin,
                                                   std::uint64_t size, const OnFrame& on_frame);

}  // namespace evalfleet::store
