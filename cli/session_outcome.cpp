#include "cli/session_outcome.hpp"

#include "cli/commands/follow.hpp"
#include "cli/commands/local.hpp"
#include "cli/group_summary.hpp"
#include "common/json/writer.hpp"

#include <algorithm>
#include <cstdio>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

void print_json(const fleet::SessionResult& result, const GroupResult* group) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object().member("interrupted", result.interrupted).key("runs").begin_array();
    for (std::size_t i = 0; i < result.runs.size(); ++i) {
        const fleet::RunProgress& run = result.runs[i];
        const std::string folder =
            i < result.folders.size() ? result.folders[i].string() : run.folder;
        writer.begin_object()
            .member("run_id", run.run_id)
            .member("state", run.state)
            .member("total", run.total)
            .member("done", run.done)
            .member("failed", run.failed)
            .member("errors", run.errors)
            .member("pass_rate", run.pass_rate)
            .member("release_ready", run.release_ready)
            .member("measured", run.measured)
            .member("note", run.note)
            .member("folder", folder)
            .end_object();
    }
    writer.end_array().key("group");
    write(writer, group);
    writer.end_object();
    std::printf("%s\n", text.c_str());
}

/// Of several runs that are all done; a cancelled one has no place in a ranking.
Result<std::optional<GroupResult>> conclude_group(const fs::path& out,
                                                  const fleet::SessionResult& result) {
    const bool is_done =
        std::ranges::all_of(result.runs, [](const auto& run) { return run.state == "done"; });
    if (result.folders.size() < 2 || !is_done) return std::optional<GroupResult>();
    auto group = blocking_write_group(out, result.folders);
    if (!group) return group.error().within("group.json");
    return std::optional(std::move(*group));
}

Status print_reports(const fleet::SessionResult& result, const std::optional<GroupResult>& group) {
    for (const fs::path& folder : result.folders) {
        ReportOptions report;
        report.run = folder.string();
        const auto shown = run_report(report);
        if (!shown) return shown.error();
        std::printf("\nThe run's folder: %s\n", folder.c_str());
    }
    if (!group) return {};
    std::printf("\n%s\nThe group's summary: %s\n", reduce::to_text(group->summary).c_str(),
                group->file.c_str());
    return {};
}

ExitCode verdict_of(const fleet::SessionResult& result) {
    ExitCode code = ExitCode::done;
    for (const fleet::RunProgress& run : result.runs)
        code = std::max(code, exit_code_of(run));
    return code;
}

}  // namespace

Result<ExitCode> blocking_tell(const fs::path& out, const fleet::SessionResult& result, bool json) {
    const auto group = conclude_group(out, result);
    if (!group) return group.error();
    if (json) print_json(result, group->has_value() ? &**group : nullptr);
    if (result.interrupted) {
        std::fprintf(stderr,
                     "interrupted; nothing is lost. Go on with:\n  evalfleet run --resume %s\n",
                     out.c_str());
        return ExitCode::interrupted;
    }
    bool goes_on = false;
    for (const fleet::RunProgress& run : result.runs) {
        goes_on = goes_on || run.state == "paused" || run.is_unmeasured();
        if (run.is_unmeasured())
            std::fprintf(stderr, "evalfleet: run %s: %s\n", run.run_id.c_str(),
                         run.note.value_or("could not measure").c_str());
        if (run.state == "paused")
            std::fprintf(stderr, "evalfleet: run %s was paused: %s\n", run.run_id.c_str(),
                         run.note.value_or("nobody said why").c_str());
        if (run.state == "failed" && run.note)
            std::fprintf(stderr, "evalfleet: run %s failed: %s\n", run.run_id.c_str(),
                         run.note->c_str());
    }
    if (goes_on) {
        std::fprintf(stderr,
                     "nothing is lost. Mend that, then try those trials again:\n"
                     "  evalfleet run --resume %s\n",
                     out.c_str());
    }
    if (!json) {
        if (const Status printed = print_reports(result, *group); !printed) return printed.error();
        if (!result.folders.empty())
            std::printf("\nSee every sample in a browser: evalfleet view %s\n", out.c_str());
    }
    return verdict_of(result);
}

}  // namespace evalfleet::cli
