#include "coordinator/datasets/dataset_library.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/folder.hpp"
#include "common/files/part_file.hpp"
#include "common/json/document.hpp"
#include "common/runfile/dataset.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::datasets {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxNamesBytes = std::uint64_t{4} * 1024 * 1024;

Error failure(const fs::path& path, const std::error_code& code) {
    return {ErrorKind::internal, path.string() + ": " + code.message()};
}

Result<std::vector<DatasetEntry>> blocking_read_entries(const fs::path& file) {
    const auto text = files::blocking_read_file(file, kMaxNamesBytes);
    if (!text) return text.error();
    const auto document = json::Document::parse(*text);
    if (!document) return document.error().within(file.string());
    const auto list = document->root().as_array();
    if (!list) return list.error().within(file.string());
    std::vector<DatasetEntry> entries;
    for (const json::Value value : *list) {
        auto entry = read_dataset_entry(value);
        if (!entry) return entry.error().within(file.string());
        entries.push_back(std::move(*entry));
    }
    return entries;
}

runfile::FaultList hash_fault(const std::string& expected, const std::string& found) {
    runfile::FaultList faults;
    faults.add({"", 0, 0, "hash", "the body's sha256 is " + found + ", not " + expected});
    return faults;
}

std::string describe(const std::string& id, const std::optional<std::string>& version,
                     const std::optional<std::string>& hash) {
    std::string text = "there is no data set \"" + id + "\"";
    if (version) text += " of version \"" + *version + "\"";
    if (hash) text += " with the hash " + *hash;
    return text;
}

}  // namespace

DatasetLibrary::DatasetLibrary(fs::path store) : folder_(std::move(store) / "datasets") {}

fs::path DatasetLibrary::content(std::string_view hash) const {
    return folder_ / "content" / (std::string(hash) + ".jsonl");
}

Status DatasetLibrary::blocking_open() {
    if (is_open_) return {};
    std::error_code code;
    // What a crash left of uploads is of no use to anybody.
    fs::remove_all(folder_ / "incoming", code);
    for (const char* name : {"content", "names", "incoming"})
        if (auto made = files::blocking_make_folders(folder_ / name); !made) return made;
    if (auto tidied = files::blocking_remove_parts(folder_ / "names"); !tidied)
        return tidied.error();
    if (const Status read = blocking_read_names(); !read) return read;
    is_open_ = true;
    return {};
}

Status DatasetLibrary::blocking_read_names() {
    std::error_code code;
    for (const auto& file : fs::directory_iterator(folder_ / "names", code)) {
        if (file.path().extension() != ".json") continue;
        auto entries = blocking_read_entries(file.path());
        if (!entries) return entries.error();
        if (!entries->empty()) names_[entries->front().id] = std::move(*entries);
    }
    if (code) return failure(folder_ / "names", code);
    return {};
}

Status DatasetLibrary::blocking_write_names(const std::string& id, const Entries& entries) const {
    std::string text;
    json::Writer writer(text);
    writer.begin_array();
    for (const DatasetEntry& entry : entries)
        write(writer, entry);
    writer.end_array();
    return files::blocking_write_atomically(folder_ / "names" / (id + ".json"), text + "\n");
}

Result<DatasetUpload> DatasetLibrary::blocking_begin_upload() {
    {
        const std::scoped_lock lock(mutex_);
        if (const Status open = blocking_open(); !open) return open.error();
    }
    return DatasetUpload::blocking_begin(folder_ / "incoming");
}

Status DatasetLibrary::blocking_keep(const DatasetUpload& upload, std::string_view hash) const {
    const fs::path target = content(hash);
    std::error_code code;
    // Over one of the same hash, too: should the disk have damaged that, it is whole again.
    fs::rename(upload.path(), target, code);
    if (code) return failure(target, code);
    return files::blocking_sync_folder(folder_ / "content");
}

Result<boost::system::result<DatasetLibrary::Added, runfile::FaultList>>
DatasetLibrary::blocking_add(DatasetUpload upload, const Label& label) {
    using Outcome = boost::system::result<Added, runfile::FaultList>;
    const auto hash = upload.blocking_finish();
    if (!hash) return hash.error();
    if (label.expected_hash && *label.expected_hash != *hash)
        return Outcome(hash_fault(*label.expected_hash, *hash));
    // Outside the lock: it takes a second for a million lines.
    const auto dataset =
        runfile::Dataset::blocking_validate(upload.path(), runfile::Dataset::ImageFiles::nowhere);
    if (!dataset) return Outcome(dataset.error());
    const std::scoped_lock lock(mutex_);
    if (const Status kept = blocking_keep(upload, *hash); !kept) return kept.error();
    auto added = blocking_enter(
        {label.id, label.version, *hash, dataset->size(), upload.bytes(), label.at, label.by});
    if (!added) return added.error();
    return Outcome(std::move(*added));
}

Result<DatasetLibrary::Added> DatasetLibrary::blocking_enter(DatasetEntry entry) {
    Entries entries = names_[entry.id];
    for (const DatasetEntry& known : entries) {
        if (known.version != entry.version) continue;
        if (known.hash == entry.hash) return Added{known, false};
        if (known.version)
            return Error{ErrorKind::denied, "the data set \"" + entry.id + "\" has a version \"" +
                                                *known.version +
                                                "\" with other content; versions do not change"};
    }
    entries.push_back(entry);
    if (entries.size() > kMaxVersions) entries.erase(entries.begin());
    if (const Status written = blocking_write_names(entry.id, entries); !written)
        return written.error();
    names_[entry.id] = std::move(entries);
    return Added{std::move(entry), true};
}

Result<DatasetEntry> DatasetLibrary::blocking_find(const std::string& id,
                                                   const std::optional<std::string>& version,
                                                   const std::optional<std::string>& hash) {
    const std::scoped_lock lock(mutex_);
    if (const Status open = blocking_open(); !open) return open.error();
    const auto known = names_.find(id);
    if (known != names_.end()) {
        const Entries& entries = known->second;
        const auto found =
            std::find_if(entries.rbegin(), entries.rend(), [&](const DatasetEntry& entry) {
                return (!version || entry.version == version) && (!hash || entry.hash == *hash);
            });
        if (found != entries.rend()) return *found;
    }
    return Error{ErrorKind::not_found, describe(id, version, hash)};
}

Result<std::vector<DatasetEntry>> DatasetLibrary::blocking_list(std::string_view after,
                                                                std::size_t limit) {
    const std::scoped_lock lock(mutex_);
    if (const Status open = blocking_open(); !open) return open.error();
    std::vector<DatasetEntry> page;
    auto name = after.empty() ? names_.begin() : names_.upper_bound(after);
    for (; name != names_.end() && page.size() < limit; ++name)
        if (!name->second.empty()) page.push_back(name->second.back());
    return page;
}

Result<std::vector<DatasetEntry>> DatasetLibrary::blocking_versions(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    if (const Status open = blocking_open(); !open) return open.error();
    const auto known = names_.find(id);
    if (known == names_.end()) return std::vector<DatasetEntry>{};
    return std::vector<DatasetEntry>(known->second.rbegin(), known->second.rend());
}

}  // namespace evalfleet::datasets
