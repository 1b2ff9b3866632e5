#include "cli/remote/progress.hpp"

#include "common/json/member_reader.hpp"

#include <fmt/format.h>

#include <cmath>

namespace evalfleet::remote {

Result<RunProgress> read_progress(json::Value value) {
    RunProgress progress;
    const Status read = json::MemberReader(value)
                            .take("run_id", progress.run_id)
                            .take("state", progress.state)
                            .take("total", progress.total)
                            .take("done", progress.done)
                            .take("failed", progress.failed)
                            .take("errors", progress.errors)
                            .take("in_flight", progress.in_flight)
                            .take("waiting", progress.waiting)
                            .take("retrying", progress.retrying)
                            .take("pass_rate", progress.pass_rate)
                            .take("pass_rate_ci95_lower", progress.pass_rate_lower)
                            .take("pass_rate_ci95_upper", progress.pass_rate_upper)
                            .take("trials_per_s", progress.trials_per_s)
                            .take("eta_s", progress.eta_s)
                            .take("note", progress.note)
                            .take("release_ready", progress.release_ready)
                            .take("undecided", progress.undecided)
                            .take("measured", progress.measured)
                            .take("folder", progress.folder)
                            .status();
    if (!read) return read.error();
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
    if (progress.waiting.value_or(0) > 0) line += fmt::format("  {} waiting", *progress.waiting);
    if (progress.retrying.value_or(0) > 0) line += fmt::format("  {} retrying", *progress.retrying);
    if (progress.state != "running") line += "  " + progress.state;
    if (progress.note) line += "  (" + *progress.note + ")";
    return line;
}

}  // namespace evalfleet::remote
