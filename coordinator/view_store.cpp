#include "coordinator/view_store.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/run_metadata.hpp"
#include "common/queue/keys.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

namespace evalfleet::coordinator {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{64} * 1024 * 1024;

// What is read of a run. Reviews may not be there yet: who appends the first makes them.
constexpr std::array<const char*, 10> kFiles{
    "run.json",  "records.jsonl", "summary.json",  "slices.jsonl",    "report.html",
    "report.md", "junit.xml",     "manifest.json", "regression.json", "reviews.jsonl"};
constexpr std::array<const char*, 3> kWorkFiles{"dataset.jsonl", "trials.log", "trials.table"};

bool is_run(const fs::path& folder) {
    std::error_code code;
    return fs::is_regular_file(folder / "run.json", code);
}

std::vector<fs::path> blocking_runs_in(const fs::path& folder) {
    std::vector<fs::path> runs;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code))
        if (is_run(entry.path())) runs.push_back(entry.path());
    std::sort(runs.begin(), runs.end());
    return runs;
}

// A run that was taken out of its store has its results, and no phase.
std::string blocking_phase(const fs::path& run) {
    if (auto phase = files::blocking_read_file(run / "work" / "phase", 4096)) return *phase;
    std::error_code code;
    return fs::exists(run / "summary.json", code) ? "done\n"
                                                  : "failed\nits results are not there\n";
}

Result<std::string> blocking_id(const fs::path& run) {
    const auto text = files::blocking_read_file(run / "run.json", kMaxMetadataBytes);
    if (!text) return text.error();
    const auto metadata = job::parse_run_metadata(*text);
    if (!metadata) return metadata.error().within((run / "run.json").string());
    if (!queue::is_run_id(metadata->run_id))
        return Error{ErrorKind::invalid,
                     (run / "run.json").string() + ": run_id: found what is no id of a run"};
    return metadata->run_id;
}

Error cannot_be_made(const fs::path& path, const std::error_code& code) {
    return Error{ErrorKind::internal, path.string() + ": cannot be made: " + code.message()};
}

}  // namespace

ViewStore::ViewStore(ViewStore&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())), runs_(other.runs_) {}

ViewStore::~ViewStore() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);  // links, not what they lead to
}

Result<ViewStore> ViewStore::blocking_make(const std::vector<fs::path>& folders) {
    std::error_code code;
    std::string name = (fs::temp_directory_path(code) / "evalfleet-view-XXXXXX").string();
    if (code || ::mkdtemp(name.data()) == nullptr)
        return files::last_system_error("cannot be made", name);
    ViewStore store{fs::path(name)};
    for (const fs::path& folder : folders)
        if (const Status added = store.blocking_add(folder); !added) return added.error();
    return store;
}

Status ViewStore::blocking_add(const fs::path& folder) {
    std::error_code code;
    const fs::path whole = fs::absolute(folder, code).lexically_normal();
    if (is_run(whole)) return blocking_link(whole);
    std::vector<fs::path> runs = blocking_runs_in(whole / "runs");
    if (runs.empty()) runs = blocking_runs_in(whole);
    if (runs.empty())
        return Error{ErrorKind::invalid,
                     folder.string() +
                         ": found no run, allowed: a folder with run.json, one with such folders, "
                         "or a coordinator's store"};
    for (const fs::path& run : runs)
        if (const Status linked = blocking_link(run); !linked) return linked;
    return {};
}

Status ViewStore::blocking_link(const fs::path& run) {
    const auto id = blocking_id(run);
    if (!id) return id.error();
    const fs::path place = path_ / "runs" / *id;
    std::error_code code;
    if (fs::exists(place, code)) return {};  // given twice
    fs::create_directories(place / "work", code);
    if (code) return cannot_be_made(place, code);
    const auto link = [&code](const fs::path& from, const fs::path& to, bool must_exist) {
        std::error_code ignored;
        if (!must_exist || fs::exists(from, ignored)) fs::create_symlink(from, to, code);
    };
    for (const char* name : kFiles)
        if (!code) link(run / name, place / name, std::string_view(name) != "reviews.jsonl");
    for (const char* name : kWorkFiles)
        if (!code) link(run / "work" / name, place / "work" / name, true);
    if (code) return cannot_be_made(place, code);
    ++runs_;
    return files::blocking_write_atomically(place / "work" / "phase", blocking_phase(run));
}

}  // namespace evalfleet::coordinator
