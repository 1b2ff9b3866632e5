#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace evalfleet::metrics {

/// Figures of this process, as the kernel tells them.
struct ProcessFigures {
    double cpu_seconds = 0;
    double resident_bytes = 0;
    double threads = 0;
    double open_fds = 0;
    double max_fds = 0;
    double start_time_seconds = 0;  ///< since 1970
};

/// nullopt where there is no /proc.
[[nodiscard]] std::optional<ProcessFigures> read_process_figures();

/// What /proc/<pid>/stat tells, in the kernel's units. Exposed for tests: a program's name may hold
/// blanks and brackets.
struct ProcessStat {
    std::uint64_t user_ticks = 0;
    std::uint64_t system_ticks = 0;
    std::uint64_t threads = 0;
    std::uint64_t start_ticks = 0;  ///< after boot
    std::uint64_t resident_pages = 0;
};
[[nodiscard]] std::optional<ProcessStat> parse_process_stat(std::string_view text);

}  // namespace evalfleet::metrics
