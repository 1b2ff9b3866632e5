#include "cli/group_summary.hpp"

#include "cli/text_file.hpp"
#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

/// A group's runs are numbered: its id is that of a run without the number.
std::string without_number(const std::string& run_id) {
    return run_id.substr(0, run_id.find_last_of('-'));
}

std::string find_group_id(const std::vector<reduce::GroupMember>& members,
                          const fs::path& first_folder) {
    for (const reduce::GroupMember& member : members)
        if (member.metadata.group_id) return *member.metadata.group_id;
    return without_number(first_folder.filename().string());
}

/// Group files come from elsewhere: a name that leads out of the folder is no run's.
bool is_folder_name(const std::string& run_id) {
    return !run_id.empty() && run_id.front() != '.' && run_id.find('/') == std::string::npos;
}

Result<fs::path> find_run(const fs::path& folder, const std::string& run_id) {
    std::error_code ignored;
    if (is_folder_name(run_id)) {
        for (const fs::path& parent : {folder, folder / "runs", folder / ".." / ".." / "runs"}) {
            if (fs::exists(parent / run_id / "run.json", ignored))
                return (parent / run_id).lexically_normal();
        }
    }
    return Error{ErrorKind::not_found,
                 fmt::format("{}: run \"{}\": its folder is neither in {} nor in a store around it",
                             (folder / kGroupFile).string(), run_id, folder.string())};
}

}  // namespace

bool is_group_folder(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / kGroupFile, ignored) && !fs::exists(folder / "run.json", ignored);
}

Result<std::vector<fs::path>> blocking_find_runs(const fs::path& folder) {
    const std::string file = (folder / kGroupFile).string();
    const auto text = read_text_file(file);
    if (!text) return text.error();
    const auto document = json::Document::parse(*text);
    if (!document) return document.error().within(file);
    const auto runs = document->root().get<std::vector<json::Value>>("runs");
    if (!runs) return runs.error().within(file);
    std::vector<fs::path> folders;
    for (const json::Value run : *runs) {
        const auto run_id = run.get<std::string>("run_id");
        if (!run_id) return run_id.error().within(file);
        auto found = find_run(folder, *run_id);
        if (!found) return found.error();
        folders.push_back(std::move(*found));
    }
    return folders;
}

Result<reduce::GroupSummary> blocking_reduce_runs(const std::vector<fs::path>& folders) {
    std::vector<reduce::GroupMember> members;
    for (const fs::path& folder : folders) {
        auto member = reduce::blocking_read_member(folder);
        if (!member) return member.error();
        members.push_back(std::move(*member));
    }
    if (members.empty()) return Error{ErrorKind::invalid, "a group has at least one run"};
    members.front().metadata.group_id = find_group_id(members, folders.front());
    return reduce::reduce_group(members);
}

ExitCode exit_code_of(const reduce::GroupSummary& summary) {
    const auto any = [&](reduce::Decision decision) {
        return std::ranges::any_of(summary.ranking, [decision](const reduce::RankedRun& ranked) {
            return ranked.run != 0 && reduce::decision_of(ranked.differences) == decision;
        });
    };
    if (any(reduce::Decision::worse)) return ExitCode::failed;
    return any(reduce::Decision::cannot_tell) ? ExitCode::unfinished : ExitCode::done;
}

Result<GroupResult> blocking_write_group(const fs::path& out,
                                         const std::vector<fs::path>& folders) {
    auto summary = blocking_reduce_runs(folders);
    if (!summary) return summary.error();
    GroupResult group{std::move(*summary), out / kGroupFile};
    const Status written =
        files::blocking_write_atomically(group.file, reduce::to_json(group.summary));
    if (!written) return written.error();
    return group;
}

void write(json::Writer& writer, const GroupResult* group) {
    if (group == nullptr) {
        writer.null();
        return;
    }
    const reduce::GroupSummary& summary = group->summary;
    writer.begin_object()
        .member("group_id", summary.group_id)
        .member("file", group->file.string())
        .key("ranking")
        .begin_array();
    for (const reduce::RankedRun& ranked : summary.ranking) {
        const reduce::GroupRun& run = summary.runs[ranked.run];
        writer.begin_object()
            .member("rank", ranked.rank)
            .member("run_id", run.run_id)
            .member("model", run.model)
            .member("prompt_template_version", run.prompt_template)
            .member("aggregate_score", run.blocks.rubric.aggregate_score.value)
            .member("release_ready", run.gates.all_passed())
            .end_object();
    }
    writer.end_array().end_object();
}

}  // namespace evalfleet::cli
