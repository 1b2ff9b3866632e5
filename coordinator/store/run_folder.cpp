#include "coordinator/store/run_folder.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/copy_file.hpp"
#include "common/files/file.hpp"
#include "common/files/folder.hpp"
#include "common/files/part_file.hpp"
#include "common/job/manifest.hpp"
#include "coordinator/store/log_epoch.hpp"
#include "coordinator/store/log_salvage.hpp"

#include <algorithm>
#include <system_error>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kUnfinishedPrefix = ".new-";
constexpr std::string_view kRemovedPrefix = ".old-";
constexpr std::uint64_t kMaxHashBytes = 1024;

Error failure(const fs::path& path, std::string_view what, const std::error_code& code) {
    return {ErrorKind::internal, path.string() + ": " + std::string(what) + ": " + code.message()};
}

fs::path hash_file_of(const fs::path& copy) {
    return copy.string() + ".sha256";
}

Error changed(const fs::path& file, const std::string& found, const std::string& expected) {
    return {ErrorKind::invalid,
            file.string() + ": was changed: its sha256 is " + found + ", not " + expected};
}

bool blocking_share(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::create_hard_link(from, to, code);
    return !code;
}

// A copy of the run's own, and its hash beside it. `expected`: that hash, if it is known.
Status blocking_take_in(const fs::path& from, const fs::path& to, const std::string& expected,
                        bool may_share) {
    if (!may_share || !blocking_share(from, to))
        if (auto copied = files::blocking_copy_file(from, to); !copied) return copied;
    const auto hash = job::blocking_sha256_file(to);
    if (!hash) return hash.error();
    if (!expected.empty() && *hash != expected) return changed(from, *hash, expected);
    return files::blocking_write_atomically(hash_file_of(to), *hash + "\n");
}

Status blocking_fill(const RunFolder& folder, const NewRun& run) {
    if (auto done =
            blocking_take_in(run.dataset, folder.dataset(), run.dataset_sha256, run.shares_dataset);
        !done) {
        return done;
    }
    if (!run.answers.empty())
        if (auto done = blocking_take_in(run.answers, folder.answers(), "", false); !done)
            return done;
    if (auto done = files::blocking_write_atomically(folder.spec(), run.spec_json); !done)
        return done;
    if (run.fill)
        if (auto done = run.fill(folder); !done) return done;
    if (auto done = folder.blocking_write_phase("queued"); !done) return done;
    return files::blocking_write_atomically(folder.file("run.json"), run.metadata_json);
}

fs::path runs_of(const fs::path& store) {
    return store / "runs";
}

RunFolder staged(const fs::path& store, std::string_view run_id) {
    return RunFolder(runs_of(store) / (std::string(kUnfinishedPrefix) + std::string(run_id)));
}

}  // namespace

Result<RunFolder> RunFolder::blocking_stage(const fs::path& store, const NewRun& run) {
    const RunFolder fresh = staged(store, run.run_id);
    std::error_code ignored;
    fs::remove_all(fresh.path(), ignored);
    Status done = files::blocking_make_folders(fresh.path() / "work");
    if (done) done = blocking_fill(fresh, run);
    if (done) done = files::blocking_sync_folder(fresh.path());
    if (done) return fresh;
    fs::remove_all(fresh.path(), ignored);
    return done.error();
}

void RunFolder::blocking_unstage(const fs::path& store, std::string_view run_id) {
    std::error_code ignored;
    fs::remove_all(staged(store, run_id).path(), ignored);
}

Result<RunFolder> RunFolder::blocking_publish(const fs::path& store, std::string_view run_id) {
    RunFolder folder(runs_of(store) / run_id);
    std::error_code code;
    fs::rename(staged(store, run_id).path(), folder.path(), code);
    const bool was_done = code && fs::exists(folder.path() / "work" / "phase");
    if (code && !was_done) return failure(folder.path(), "cannot be made", code);
    if (auto synced = files::blocking_sync_folder(runs_of(store)); !synced) return synced.error();
    return folder;
}

Result<RunFolder> RunFolder::blocking_create(const fs::path& store, std::string_view run_id,
                                             std::string_view metadata_json,
                                             std::string_view spec_json, const fs::path& dataset) {
    const NewRun run{run_id, metadata_json, spec_json, dataset, {}, {}};
    if (auto made = blocking_stage(store, run); !made) return made.error();
    return blocking_publish(store, run_id);
}

Result<std::string> RunFolder::blocking_read_phase() const {
    auto text = files::blocking_read_file(path_ / "work" / "phase", 2 * kMaxNoteBytes);
    if (!text) return text.error();
    return text->substr(0, text->find('\n'));
}

Result<std::string> RunFolder::blocking_read_phase_note() const {
    auto text = files::blocking_read_file(path_ / "work" / "phase", 2 * kMaxNoteBytes);
    if (!text) return text.error();
    const std::size_t end = text->find('\n');
    if (end == std::string::npos) return std::string();
    const std::string_view rest = std::string_view(*text).substr(end + 1);
    return std::string(rest.substr(0, rest.find('\n')));
}

Result<std::chrono::system_clock::time_point> RunFolder::blocking_phase_time() const {
    std::error_code code;
    const auto written = fs::last_write_time(path_ / "work" / "phase", code);
    if (code) return failure(path_, "has no phase", code);
    return std::chrono::time_point_cast<std::chrono::system_clock::duration>(
        fs::file_time_type::clock::to_sys(written));
}

std::string RunFolder::shorten_note(std::string_view note) {
    std::string line(note.substr(0, kMaxNoteBytes));
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

Status RunFolder::blocking_write_phase(std::string_view phase, std::string_view note) const {
    std::string text = std::string(phase) + "\n";
    if (!note.empty()) text += shorten_note(note) + "\n";
    return files::blocking_write_atomically(path_ / "work" / "phase", text);
}

Status RunFolder::blocking_check_copy(const fs::path& file, const std::string& otherwise) {
    const auto noted = files::blocking_read_file(hash_file_of(file), kMaxHashBytes);
    if (!noted && noted.error().kind != ErrorKind::not_found) return noted.error();
    const std::string expected = noted ? noted->substr(0, noted->find('\n')) : otherwise;
    if (expected.empty()) return {};
    const auto hash = job::blocking_sha256_file(file);
    if (!hash) return hash.error();
    if (*hash != expected) return changed(file, *hash, expected);
    return {};
}

Status RunFolder::blocking_remove_parts() const {
    for (const fs::path& folder : {path_, path_ / "work", damage_folder_of(log())})
        if (auto removed = files::blocking_remove_parts(folder); !removed) return removed.error();
    return {};
}

Status RunFolder::blocking_drop_work() const {
    for (const fs::path& file :
         {log(), epoch_file_of(log()), answers(), hash_file_of(answers()), records_so_far()}) {
        std::error_code code;
        fs::remove(file, code);
        if (code) return failure(file, "cannot be removed", code);
    }
    return blocking_remove_parts();
}

Status RunFolder::blocking_remove() const {
    const fs::path doomed = path_.parent_path() / (std::string(kRemovedPrefix) + run_id());
    std::error_code code;
    fs::rename(path_, doomed, code);
    if (code) return failure(path_, "cannot be removed", code);
    if (auto synced = files::blocking_sync_folder(path_.parent_path()); !synced) return synced;
    fs::remove_all(doomed, code);
    if (code) return failure(doomed, "cannot be removed", code);
    return {};
}

Status blocking_settle_folders(const fs::path& store, const std::vector<std::string>& wanted) {
    std::error_code code;
    if (auto made = files::blocking_make_folders(runs_of(store)); !made) return made;
    for (const std::string& id : wanted) {
        if (!fs::exists(staged(store, id).path(), code)) continue;
        if (auto done = RunFolder::blocking_publish(store, id); !done) return done.error();
    }
    std::vector<fs::path> leftovers;
    for (const auto& entry : fs::directory_iterator(runs_of(store), code)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kUnfinishedPrefix) || name.starts_with(kRemovedPrefix))
            leftovers.push_back(entry.path());
    }
    for (const fs::path& leftover : leftovers)
        fs::remove_all(leftover, code);
    return {};
}

Result<std::vector<RunFolder>> blocking_list_runs(const fs::path& store) {
    std::vector<RunFolder> folders;
    std::error_code code;
    if (auto made = files::blocking_make_folders(runs_of(store)); !made) return made.error();
    for (const auto& entry : fs::directory_iterator(store / "runs", code)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kUnfinishedPrefix) || name.starts_with(kRemovedPrefix)) continue;
        if (fs::exists(entry.path() / "work" / "phase", code)) folders.emplace_back(entry.path());
    }
    if (code) return failure(store, "cannot be read", code);
    std::sort(folders.begin(), folders.end(),
              [](const RunFolder& a, const RunFolder& b) { return a.path() < b.path(); });
    return folders;
}

}  // namespace evalfleet::store
