#include "common/archive/run_files.hpp"

#include "common/files/file.hpp"
#include "common/job/manifest.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

namespace evalfleet::archive {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 20;
constexpr std::array<std::string_view, 7> kWork{
    "work/spec.json",     "work/dataset.jsonl",        "work/dataset.jsonl.sha256",
    "work/answers.jsonl", "work/answers.jsonl.sha256", "work/phase",
    "work/submitted_by"};

Result<std::vector<std::string>> blocking_list_names(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_symlink(code) || !entry.is_regular_file(code)) continue;
        if (name.front() != '.' && name != job::kManifestName) names.push_back(name);
    }
    if (code) return Error{ErrorKind::internal, folder.string() + ": " + code.message()};
    std::ranges::sort(names);
    for (const std::string_view name : kWork)
        if (fs::is_regular_file(folder / name, code)) names.emplace_back(name);
    names.emplace_back(job::kManifestName);
    return names;
}

}  // namespace

Result<std::vector<RunFile>> blocking_list_run_files(const fs::path& folder) {
    const auto text = files::blocking_read_file(folder / job::kManifestName, kMaxManifestBytes);
    if (!text) {
        return Error{ErrorKind::invalid,
                     folder.string() +
                         ": has no manifest.json; only the folder of a run that is "
                         "over can be exported"};
    }
    const auto manifest = job::parse_manifest(*text);
    if (!manifest) return manifest.error().within((folder / job::kManifestName).string());
    const auto names = blocking_list_names(folder);
    if (!names) return names.error();
    for (const auto& [name, hash] : manifest->sha256) {
        if (std::ranges::find(*names, name) == names->end())
            return Error{ErrorKind::invalid,
                         folder.string() + ": " + name + " is in manifest.json and not there"};
    }
    std::vector<RunFile> found;
    for (const std::string& name : *names) {
        std::error_code code;
        RunFile file{name, fs::file_size(folder / name, code), ""};
        const auto hash = job::blocking_sha256_file(folder / name);
        if (!hash) return hash.error();
        file.sha256 = *hash;
        const auto known = manifest->sha256.find(name);
        if (known != manifest->sha256.end() && known->second != *hash) {
            return Error{ErrorKind::invalid, (folder / name).string() +
                                                 ": is not what manifest.json says; see "
                                                 "evalfleet verify"};
        }
        found.push_back(std::move(file));
    }
    return found;
}

}  // namespace evalfleet::archive
