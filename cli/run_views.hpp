#pragma once

#include "common/json/value.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// What a coordinator answers, for people. Each takes the answer as JSON, and the width of the
/// terminal (none: no bound). A member that is missing or null is shown as "-": coordinators and
/// command lines need not be of one version. Pure.
namespace evalfleet::cli {

using Width = std::optional<std::size_t>;

/// `RUN` objects as rows.
[[nodiscard]] std::string runs_table(const json::Array& runs, Width width);

/// One `RUN`, a line for each thing that can be said of it.
[[nodiscard]] std::string run_details(const json::Value& run, Width width = std::nullopt);

[[nodiscard]] Result<std::string> workers_table(std::string_view answer, Width width);
[[nodiscard]] Result<std::string> queues_table(std::string_view answer, Width width);
[[nodiscard]] Result<std::string> baselines_table(std::string_view answer, Width width);

}  // namespace evalfleet::cli
