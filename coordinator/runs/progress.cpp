#include "coordinator/runs/progress.hpp"

#include "common/json/writer.hpp"

namespace evalfleet::runs {

namespace {

std::optional<double> seconds_left(const Progress& progress) {
    if (!progress.trials_per_s || *progress.trials_per_s <= 0) return std::nullopt;
    return static_cast<double>(progress.total - progress.done) / *progress.trials_per_s;
}

void write_pass_rate(json::Writer& writer, const Progress& progress) {
    const auto& interval = progress.pass_rate_ci95;
    std::optional<double> rate;
    if (progress.done > 0)
        rate = static_cast<double>(progress.passed) / static_cast<double>(progress.done);
    writer.member("pass_rate", rate);
    writer.key("pass_rate_ci95_lower");
    interval ? writer.value(interval->lower) : writer.null();
    writer.key("pass_rate_ci95_upper");
    interval ? writer.value(interval->upper) : writer.null();
}

}  // namespace

std::string to_json(const Progress& progress) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object()
        .member("run_id", progress.run_id)
        .member("name", progress.name)
        .member("group_id", progress.group_id)
        .member("state", to_string(progress.phase))
        .member("total", progress.total)
        .member("done", progress.done)
        .member("passed", progress.passed)
        .member("failed", progress.done - progress.passed)
        .member("errors", progress.errors);
    write_pass_rate(writer, progress);
    writer.member("in_flight", progress.in_flight)
        .member("waiting", progress.waiting)
        .member("retrying", progress.retrying)
        .member("queued", progress.queued)
        .member("workers", progress.workers)
        .member("trials_per_s", progress.trials_per_s)
        .member("eta_s", seconds_left(progress))
        .member("elapsed_s", progress.elapsed_s)
        .member("note", progress.note)
        .member("release_ready", progress.release_ready)
        .member("undecided", progress.is_undecided)
        .key("measured");
    progress.measured ? writer.value(job::to_string(*progress.measured)) : writer.null();
    writer.member("folder", progress.folder).end_object();
    return text;
}

}  // namespace evalfleet::runs
