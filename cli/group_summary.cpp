#include "cli/group_summary.hpp"

#include "common/files/atomic_file.hpp"

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

}  // namespace

Result<GroupResult> blocking_write_group(const fs::path& out,
                                         const std::vector<fs::path>& folders) {
    std::vector<reduce::GroupMember> members;
    for (const fs::path& folder : folders) {
        auto member = reduce::blocking_read_member(folder);
        if (!member) return member.error();
        members.push_back(std::move(*member));
    }
    if (members.empty()) return Error{ErrorKind::invalid, "a group has at least one run"};
    members.front().metadata.group_id = find_group_id(members, folders.front());
    auto summary = reduce::reduce_group(members);
    if (!summary) return summary.error();
    GroupResult group{std::move(*summary), out / "group.json"};
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
