#include "tests/support/leftovers.hpp"

#include "common/files/file.hpp"
#include "common/files/part_file.hpp"
#include "common/job/manifest.hpp"

#include <set>
#include <system_error>

namespace evalfleet::testing {

namespace fs = std::filesystem;

namespace {

using Findings = std::vector<std::string>;

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 24;

std::vector<fs::path> list(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;  // what is gone meanwhile is no leftover
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        found.push_back(entry.path());
    return found;
}

void look_at_files(const fs::path& folder, Findings& findings) {
    const auto text = files::blocking_read_file(folder / job::kManifestName, kMaxBytes);
    const auto manifest = text ? job::parse_manifest(*text) : Result<job::Manifest>(text.error());
    if (!manifest) {
        findings.push_back(folder.string() + ": " + manifest.error().message);
        return;
    }
    const auto differences = job::blocking_check_manifest(folder, *manifest);
    if (!differences) return;
    for (const std::string& difference : *differences)
        findings.push_back(folder.string() + ": " + difference);
    for (const auto& [name, hash] : manifest->sha256)
        if (files::is_part_name(name)) findings.push_back(name + ": is named by the manifest");
}

void look_at_work(const fs::path& folder, Findings& findings) {
    const std::set<std::string> kept{"damaged",   "dataset.jsonl", "dataset.jsonl.sha256", "phase",
                                     "spec.json", "submitted_by",  "trials.table"};
    for (const fs::path& file : list(folder / "work"))
        if (!kept.contains(file.filename().string()))
            findings.push_back(file.string() + ": of a run that is over");
}

void look_at_run(const fs::path& folder, Findings& findings) {
    if (folder.filename().string().starts_with('.')) {
        findings.push_back(folder.string() + ": is no run");
        return;
    }
    const auto phase = files::blocking_read_file(folder / "work" / "phase", kMaxBytes);
    if (!phase || !(phase->starts_with("done") || phase->starts_with("cancelled"))) return;
    look_at_files(folder, findings);
    look_at_work(folder, findings);
}

}  // namespace

std::set<std::string> find_open_runs(const fs::path& store) {
    std::set<std::string> open;
    for (const fs::path& folder : list(store / "runs")) {
        const auto phase = files::blocking_read_file(folder / "work" / "phase", kMaxBytes);
        const bool is_over =
            phase && (phase->starts_with("done") || phase->starts_with("cancelled"));
        if (!is_over) open.insert(folder.filename().string());
    }
    return open;
}

RunKey parse_run_key(const std::string& key) {
    const std::set<std::string> kinds{"run", "job", "q", "try", "past", "fly", "res"};
    const auto last = key.rfind(':');
    const auto before = last == std::string::npos ? last : key.rfind(':', last - 1);
    if (before == std::string::npos) return {};
    const std::string kind = key.substr(before + 1, last - before - 1);
    if (!kinds.contains(kind)) return {};
    return {kind, key.substr(last + 1)};
}

std::vector<std::string> find_leftovers(const fs::path& store) {
    Findings findings;
    std::error_code code;
    for (fs::recursive_directory_iterator entry(store, code); !code && entry != end(entry);
         entry.increment(code)) {
        if (files::is_part_name(entry->path().filename().string()))
            findings.push_back(entry->path().string() + ": is half-written");
    }
    for (const fs::path& upload : list(store / "datasets" / "incoming"))
        findings.push_back(upload.string() + ": is no upload any more");
    for (const fs::path& folder : list(store / "runs"))
        look_at_run(folder, findings);
    return findings;
}

}  // namespace evalfleet::testing
