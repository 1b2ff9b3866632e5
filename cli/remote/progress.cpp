#include "cli/remote/progress.hpp"

#include <fmt/format.h>

#include <cmath>

namespace evalfleet::remote {

namespace {

template <class T>
bool fetch(const json::Value& value, std::string_view name, T& field, Status& status) {
    if (!status) return false;
    auto found = value.get<T>(name);
    if (!found)
        status = found.error();
    else
        field = std::move(*found);
    return status.has_value();
}

template <class T>
bool fetch(const json::Value& value, std::string_view name, std::optional<T>& field,
           Status& status) {
    if (!status) return false;
    auto found = value.optional<T>(name);
    if (!found)
        status = found.error();
    else
        field = std::move(*found);
    return status.has_value();
}

}  // namespace

Result<RunProgress> read_progress(json::Value value) {
    RunProgress progress;
    Status status;
    fetch(value, "run_id", progress.run_id, status);
    fetch(value, "state", progress.state, status);
    fetch(value, "total", progress.total, status);
    fetch(value, "done", progress.done, status);
    fetch(value, "failed", progress.failed, status);
    fetch(value, "errors", progress.errors, status);
    fetch(value, "in_flight", progress.in_flight, status);
    fetch(value, "pass_rate", progress.pass_rate, status);
    fetch(value, "pass_rate_ci95_lower", progress.pass_rate_lower, status);
    fetch(value, "pass_rate_ci95_upper", progress.pass_rate_upper, status);
    fetch(value, "trials_per_s", progress.trials_per_s, status);
    fetch(value, "eta_s", progress.eta_s, status);
    fetch(value, "note", progress.note, status);
    fetch(value, "release_ready", progress.release_ready, status);
    fetch(value, "folder", progress.folder, status);
    if (!status) return status.error();
    return progress;
}

std::string describe_seconds(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string progress_line(const RunProgress& progress) {
    const double share = progress.total == 0 ? 0
                                             : static_cast<double>(progress.done) /
                                                   static_cast<double>(progress.total);
    std::string line = fmt::format("{}/{} trials  {:.0f} %", progress.done, progress.total,
                                   std::floor(share * 100));
    if (progress.trials_per_s) line += fmt::format("  {:.1f}/s", *progress.trials_per_s);
    if (progress.eta_s && progress.state == "running")
        line += "  ETA " + describe_seconds(*progress.eta_s);
    if (progress.pass_rate && progress.pass_rate_lower && progress.pass_rate_upper) {
        line += fmt::format("  pass {:.1f} % [{:.1f}, {:.1f}]", *progress.pass_rate * 100,
                            *progress.pass_rate_lower * 100, *progress.pass_rate_upper * 100);
    }
    line += fmt::format("  {} failed  {} in flight", progress.failed, progress.in_flight);
    if (progress.state != "running") line += "  " + progress.state;
    if (progress.note) line += "  (" + *progress.note + ")";
    return line;
}

}  // namespace evalfleet::remote
