#include "cli/commands/local.hpp"
#include "cli/fetched_run.hpp"
#include "cli/run_place.hpp"
#include "common/archive/archiver.hpp"
#include "common/files/file.hpp"
#include "common/job/manifest.hpp"
#include "common/job/run_metadata.hpp"
#include "common/json/writer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace evalfleet::cli {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{64} << 20;

bool is_run(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(folder / job::kManifestName, ignored);
}

// A run's folder, or those of the runs in a group's.
std::vector<fs::path> folders_of_runs(const fs::path& folder) {
    if (is_run(folder)) return {folder};
    std::vector<fs::path> runs;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(folder, code)) {
        if (entry.is_directory(code) && is_run(entry.path())) runs.push_back(entry.path());
    }
    std::ranges::sort(runs);
    // Its error says what the folder lacks.
    return runs.empty() ? std::vector{folder} : runs;
}

// What it is called in the archive: an id is safe in a path.
Result<std::string> blocking_run_id(const fs::path& folder) {
    const fs::path file = folder / "run.json";
    const auto text = files::blocking_read_file(file, kMaxMetadataBytes);
    if (!text) {
        return Error{ErrorKind::invalid,
                     folder.string() +
                         ": has no run.json; allowed: the folder of a run that is "
                         "over, or of a group"};
    }
    const auto metadata = job::parse_run_metadata(*text);
    if (!metadata) return metadata.error().within(file.string());
    const std::string& id = metadata->run_id;
    const bool is_safe = !id.empty() && id.front() != '.' && id.size() <= 255 &&
                         std::ranges::all_of(id, [](unsigned char c) {
                             return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
                         });
    if (is_safe) return id;
    return Error{ErrorKind::invalid, file.string() + ": run_id: is no name of a folder"};
}

Result<archive::Archived> blocking_put(archive::Archiver& archiver, asio::io_context& context,
                                       const std::string& id, const fs::path& folder,
                                       bool read_back) {
    std::exception_ptr failure;
    Result<archive::Archived> result = archive::Archived{};
    asio::co_spawn(context, archiver.put(id, folder, read_back),
                   [&](std::exception_ptr thrown, Result<archive::Archived> done) {
                       failure = std::move(thrown);
                       result = std::move(done);
                   });
    context.restart();
    context.run();
    if (failure) std::rethrow_exception(failure);
    return result;
}

void tell(const archive::Target& target, const std::string& id, const archive::Archived& done,
          bool json) {
    if (json) {
        std::string line;
        json::Writer writer(line);
        writer.begin_object()
            .member("run_id", id)
            .member("target", target.name(id))
            .member("files", done.files)
            .member("sent", done.sent)
            .member("bytes", done.bytes)
            .end_object();
        std::printf("%s\n", line.c_str());
        return;
    }
    std::printf("%s: %llu files, %llu sent (%llu bytes)\n", target.name(id).c_str(),
                static_cast<unsigned long long>(done.files),
                static_cast<unsigned long long>(done.sent),
                static_cast<unsigned long long>(done.bytes));
}

}  // namespace

Result<ExitCode> run_export(const ExportOptions& options) {
    const auto target = archive::parse_target(options.to);
    if (!target) return target.error().within("--to");
    archive::S3Access access;
    if (target->is_bucket()) {
        auto found = archive::blocking_find_access({options.s3_endpoint, options.s3_region},
                                                   config::process_environment());
        if (!found) return found.error();
        access = *std::move(found);
    }
    std::optional<FetchedRun> fetched;
    fs::path folder = options.run;
    if (!means_folder(options.run)) {
        auto run = FetchedRun::blocking_fetch(options.connection, options.run);
        if (!run) return run.error();
        folder = fetched.emplace(*std::move(run)).folder();
    }
    asio::io_context context(1);
    async::SystemClock clock;
    async::BlockingPool pool({.threads = 1, .max_queued = 8, .name = "export"});
    archive::Archiver archiver(context.get_executor(), clock, pool, *target, std::move(access));
    for (const fs::path& run : folders_of_runs(folder)) {
        const auto id = blocking_run_id(run);
        if (!id) return id.error();
        const auto done = blocking_put(archiver, context, *id, run, options.read_back);
        if (!done) return done.error();
        tell(*target, *id, *done, options.json);
    }
    return ExitCode::done;
}

}  // namespace evalfleet::cli
