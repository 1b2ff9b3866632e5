#include "coordinator/store/run_folder.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"

#include <algorithm>
#include <system_error>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUnfinishedPrefix = ".new-";

Error failure(const fs::path& path, std::string_view what, const std::error_code& code) {
    return {ErrorKind::internal, path.string() + ": " + std::string(what) + ": " + code.message()};
}

Status blocking_link_or_copy(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::create_hard_link(from, to, code);
    if (!code) return {};
    fs::copy_file(from, to, code);
    if (code) return failure(from, "cannot be copied into the store", code);
    auto copy = files::File::blocking_open(to, files::File::Mode::read_write);
    if (!copy) return copy.error();
    return copy->blocking_sync();
}

Status blocking_fill(const RunFolder& folder, std::string_view metadata_json,
                     std::string_view spec_json, const fs::path& dataset) {
    if (auto done = blocking_link_or_copy(dataset, folder.dataset()); !done) return done;
    if (auto done = files::blocking_write_atomically(folder.spec(), spec_json); !done) return done;
    if (auto done = folder.blocking_write_phase("queued"); !done) return done;
    return files::blocking_write_atomically(folder.file("run.json"), metadata_json);
}

}  // namespace

Result<RunFolder> RunFolder::blocking_create(const fs::path& store, std::string_view run_id,
                                             std::string_view metadata_json,
                                             std::string_view spec_json, const fs::path& dataset) {
    const fs::path runs = store / "runs";
    const RunFolder fresh(runs / (std::string(kUnfinishedPrefix) + std::string(run_id)));
    std::error_code code;
    fs::create_directories(fresh.path() / "work", code);
    if (code) return failure(fresh.path(), "cannot be made", code);
    if (auto filled = blocking_fill(fresh, metadata_json, spec_json, dataset); !filled) {
        fs::remove_all(fresh.path(), code);
        return filled.error();
    }
    RunFolder folder(runs / run_id);
    fs::rename(fresh.path(), folder.path(), code);
    if (code) return failure(folder.path(), "cannot be made", code);
    if (auto synced = files::blocking_sync_folder(runs); !synced) return synced.error();
    return folder;
}

Result<std::string> RunFolder::blocking_read_phase() const {
    auto text = files::blocking_read_file(path_ / "work" / "phase", 64);
    if (text && text->ends_with('\n')) text->pop_back();
    return text;
}

Status RunFolder::blocking_write_phase(std::string_view phase) const {
    return files::blocking_write_atomically(path_ / "work" / "phase", std::string(phase) + "\n");
}

Status RunFolder::blocking_drop_work() const {
    for (const fs::path& file : {log(), dataset()}) {
        std::error_code code;
        fs::remove(file, code);
        if (code) return failure(file, "cannot be removed", code);
    }
    return {};
}

Result<std::vector<RunFolder>> blocking_list_runs(const fs::path& store) {
    std::vector<RunFolder> folders;
    std::error_code code;
    fs::create_directories(store / "runs", code);
    if (code) return failure(store, "cannot be used as a store", code);
    for (const auto& entry : fs::directory_iterator(store / "runs", code)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kUnfinishedPrefix)) continue;
        if (fs::exists(entry.path() / "work" / "phase", code)) folders.emplace_back(entry.path());
    }
    if (code) return failure(store, "cannot be read", code);
    std::sort(folders.begin(), folders.end(),
              [](const RunFolder& a, const RunFolder& b) { return a.path() < b.path(); });
    return folders;
}

}  // namespace evalfleet::store
