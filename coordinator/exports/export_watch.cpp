#include "coordinator/exports/export_watch.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace evalfleet::exports {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxMarkBytes = 4096;

fs::path mark_file(const fs::path& folder) {
    return folder / "work" / "exported";
}

}  // namespace

ExportWatch::ExportWatch(fs::path store, std::string target)
    : catalog_(std::move(store)), target_(std::move(target)) {}

std::string ExportWatch::mark_of(std::chrono::system_clock::time_point since) const {
    const auto moment =
        std::chrono::duration_cast<std::chrono::nanoseconds>(since.time_since_epoch());
    return std::to_string(moment.count()) + " " + target_ + "\n";
}

Result<std::vector<Due>> ExportWatch::blocking_look() {
    const auto runs = catalog_.blocking_look();
    if (!runs) return runs.error();
    std::erase_if(marks_, [&](const auto& mark) { return !(*runs)->contains(mark.first); });
    std::vector<Due> due;
    for (const auto& [id, facts] : **runs) {
        // What failed has no results.
        if (!catalog::is_final(facts->phase)) continue;
        const store::RunFolder folder = catalog_.folder(id);
        const auto since = folder.blocking_phase_time();
        if (!since) continue;  // removed meanwhile
        const std::string mark = mark_of(*since);
        if (const auto known = marks_.find(id); known != marks_.end() && known->second == mark)
            continue;
        const auto written = files::blocking_read_file(mark_file(folder.path()), kMaxMarkBytes);
        if (written && *written == mark)
            marks_.insert_or_assign(id, mark);
        else
            due.push_back({id, folder.path(), *since});
    }
    std::ranges::sort(due, {}, &Due::since);
    return due;
}

Status ExportWatch::blocking_mark(const Due& run) {
    std::error_code code;
    if (!fs::exists(run.folder, code)) return {};
    const std::string mark = mark_of(run.since);
    const Status written = files::blocking_write_atomically(mark_file(run.folder), mark);
    if (written) marks_.insert_or_assign(run.run_id, mark);
    return written;
}

}  // namespace evalfleet::exports
