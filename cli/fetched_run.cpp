#include "cli/fetched_run.hpp"

#include "cli/remote/run_name.hpp"
#include "cli/remote/session.hpp"
#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/manifest.hpp"

#include <stdlib.h>

#include <array>
#include <system_error>
#include <utility>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{1} << 20;

// What a coordinator serves a file of a run as.
std::string route_of(const std::string& name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOther{
        {{"run.json", "metadata"},
         {"summary.json", "summary"},
         {"manifest.json", "manifest"},
         {"regression.json", "regression"}}};
    for (const auto& [file, route] : kOther)
        if (name == file) return std::string(route);
    return name;
}

Status blocking_fetch(remote::Session& session, const std::string& run, const std::string& name,
                      const fs::path& folder) {
    auto file = files::AtomicFile::blocking_create(folder / name);
    if (!file) return file.error();
    const std::string path = "/runs/" + remote::encode(run) + "/" + remote::encode(route_of(name));
    const Status fetched = session.blocking_download(
        path, [&file](std::string_view part) { return file->blocking_append(part); });
    return fetched ? file->blocking_commit() : fetched;
}

}  // namespace

Result<FetchedRun> FetchedRun::blocking_fetch(const remote::ConnectionOptions& connection,
                                              const std::string& said) {
    auto session = remote::Session::blocking_open(connection);
    if (!session) return session.error();
    const auto id = remote::blocking_find_run(*session, said);
    if (!id) return id.error();
    std::string pattern = (fs::temp_directory_path() / "evalfleet-export-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        return files::last_system_error("cannot be made", pattern);
    FetchedRun run{fs::path(pattern)};
    const std::string manifest_name(job::kManifestName);
    if (const Status got = cli::blocking_fetch(*session, *id, manifest_name, run.folder_); !got)
        return got.error();
    const auto text = files::blocking_read_file(run.folder_ / manifest_name, kMaxManifestBytes);
    if (!text) return text.error();
    const auto manifest = job::parse_manifest(*text);
    if (!manifest) return manifest.error().within(manifest_name);
    for (const auto& [name, hash] : manifest->sha256) {
        // A coordinator is somebody else's program.
        if (name.find('/') != std::string::npos || name.starts_with('.'))
            return Error{ErrorKind::invalid, manifest_name + ": names '" + name + "'"};
        if (const Status got = cli::blocking_fetch(*session, *id, name, run.folder_); !got)
            return got.error();
    }
    return run;
}

FetchedRun::FetchedRun(FetchedRun&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}

FetchedRun::~FetchedRun() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace evalfleet::cli
