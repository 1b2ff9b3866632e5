#include "coordinator/runs/group_file.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/folder.hpp"
#include "coordinator/reduce/group_reducer.hpp"
#include "coordinator/runs/run_phase.hpp"
#include "coordinator/store/run_folder.hpp"

#include <utility>

namespace evalfleet::runs {

Status blocking_write_group(const std::filesystem::path& store,
                            const std::vector<std::string>& run_ids,
                            const std::filesystem::path& file) {
    if (run_ids.empty()) return {};
    std::vector<reduce::GroupMember> members;
    for (const std::string& id : run_ids) {
        const store::RunFolder folder(store / "runs" / id);
        const auto phase = folder.blocking_read_phase();
        if (!phase || *phase != to_string(RunPhase::done)) return {};
        auto member = reduce::blocking_read_member(folder.path());
        if (!member) return member.error();
        members.push_back(std::move(*member));
    }
    const auto summary = reduce::reduce_group(members);
    if (!summary) return summary.error();
    if (auto made = files::blocking_make_folders(file.parent_path()); !made) return made;
    return files::blocking_write_atomically(file, reduce::to_json(*summary));
}

}  // namespace evalfleet::runs
