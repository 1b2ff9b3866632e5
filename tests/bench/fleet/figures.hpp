#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::bench {

/// One thing that is measured of a fleet, per trial unless its name says otherwise.
enum class Figure {
    rate,
    share_of_wrk,
    share_of_ideal,
    worker_us,
    redis_us,
    coordinator_us,
    together_us,
    simulator_us,
    redis_function_us,
    redis_functions,
    redis_commands,
    worker_syscalls,
    redis_syscalls,
    coordinator_syscalls,
    worker_mib,
    redis_mib,
    coordinator_mib,
    kib_a_call,
    count,
};

inline constexpr std::size_t kFigures = static_cast<std::size_t>(Figure::count);

struct FigureInfo {
    const char* name;  ///< in JSON
    const char* text;  ///< in the table
    int digits;
};

[[nodiscard]] const FigureInfo& info_of(Figure figure);

/// Empty: was not measured.
class Figures {
  public:
    std::optional<double>& operator[](Figure figure) {
        return values_[static_cast<std::size_t>(figure)];
    }
    const std::optional<double>& operator[](Figure figure) const {
        return values_[static_cast<std::size_t>(figure)];
    }

  private:
    std::array<std::optional<double>, kFigures> values_;
};

/// Of each figure the median of the rounds that have it.
[[nodiscard]] Figures median_of(const std::vector<Figures>& rounds);

/// One line of the result: a build under one load.
struct Row {
    std::string build;
    std::string load;
    Figures medians;
};

/// A line for each figure, a column for each row.
[[nodiscard]] std::string as_table(const std::vector<Row>& rows);
[[nodiscard]] std::string as_json(const std::vector<Row>& rows);

}  // namespace evalfleet::bench
