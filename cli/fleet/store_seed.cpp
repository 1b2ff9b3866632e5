#include "cli/fleet/store_seed.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/json/writer.hpp"
#include "common/queue/keys.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

namespace evalfleet::fleet {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{64} * 1024 * 1024;
constexpr std::size_t kMaxBaselineName = 64;

/// As the coordinator names baselines.
std::string baseline_name_of(const job::RunMetadata& metadata) {
    const std::string name = metadata.name.value_or("");
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_';
    };
    const bool is_good = !name.empty() && name.size() <= kMaxBaselineName && name.front() != '.' &&
                         std::ranges::all_of(name, is_plain);
    return is_good ? name : "baseline";
}

Status blocking_copy(const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::copy_file(from, to, fs::copy_options::overwrite_existing, code);
    if (!code) return {};
    return Error{ErrorKind::internal, to.string() + ": cannot be written: " + code.message()};
}

Status blocking_plant_run(const SeedRun& run, const fs::path& store) {
    const fs::path place = store / "runs" / run.run_id;
    std::error_code code;
    fs::create_directories(place / "work", code);
    if (code)
        return Error{ErrorKind::internal, place.string() + ": cannot be made: " + code.message()};
    constexpr std::array kFiles{"run.json", "records.jsonl", "summary.json", "work/spec.json",
                                "work/dataset.jsonl"};
    for (const char* name : kFiles) {
        if (!fs::exists(run.folder / name, code)) continue;
        if (const Status copied = blocking_copy(run.folder / name, place / name); !copied)
            return copied;
    }
    return files::blocking_write_atomically(place / "work" / "phase", "done\n");
}

}  // namespace

Result<SeedRun> blocking_read_seed(const fs::path& folder) {
    const auto text = files::blocking_read_file(folder / "run.json", kMaxMetadataBytes);
    if (!text) return text.error();
    auto metadata = job::parse_run_metadata(*text);
    const std::string place = (folder / "run.json").string();
    if (!metadata) return metadata.error().within(place);
    if (!queue::is_run_id(metadata->run_id))
        return Error{ErrorKind::invalid, place + ": run_id: found what is no id of a run"};
    std::error_code ignored;
    for (const char* name : {"records.jsonl", "summary.json"}) {
        if (fs::is_regular_file(folder / name, ignored)) continue;
        return Error{ErrorKind::invalid, folder.string() + ": has no " + name +
                                             "; allowed: the folder of a run that is over"};
    }
    std::string id = metadata->run_id;
    std::string name = baseline_name_of(*metadata);
    return SeedRun{fs::absolute(folder), std::move(id), std::move(name), std::move(*metadata)};
}

Status blocking_plant(const StoreSeed& seed, const fs::path& store) {
    for (const SeedRun& run : seed.runs) {
        if (const Status planted = blocking_plant_run(run, store); !planted) return planted;
    }
    if (seed.baselines.empty()) return {};
    std::string text;
    json::Writer writer(text);
    writer.begin_object();
    for (const auto& [name, run_id] : seed.baselines)
        writer.member(name, run_id);
    writer.end_object();
    return files::blocking_write_atomically(store / "baselines.json", text + "\n");
}

}  // namespace evalfleet::fleet
