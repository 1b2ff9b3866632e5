#pragma once

#include "common/result/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace evalfleet::store {

/// What is known of a log apart from it, in a file beside it: so that damage to the log does not
/// take its epoch back, and a log that lost its end is noticed.
struct LogEpoch {
    std::uint64_t epoch = 0;      ///< the last one that was begun
    std::uint64_t log_bytes = 0;  ///< of the log when that began: it never has fewer again
    bool operator==(const LogEpoch&) const = default;
};

/// `trials.log.epoch` beside `trials.log`.
[[nodiscard]] std::filesystem::path epoch_file_of(const std::filesystem::path& log);

/// None if it is not there or makes no sense. Blocks.
[[nodiscard]] std::optional<LogEpoch> blocking_read_epoch(const std::filesystem::path& log);
/// Durably. Blocks.
[[nodiscard]] Status blocking_write_epoch(const std::filesystem::path& log, const LogEpoch& epoch);

}  // namespace evalfleet::store
