#include "coordinator/store/submission.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/files/folder.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/store/run_folder.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20;

fs::path folder_of(const fs::path& store) {
    return store / "submissions";
}

fs::path file_of(const fs::path& store, std::string_view id) {
    return folder_of(store) / (std::string(id) + ".json");
}

template <class T>
Status read_member(json::Value object, std::string_view name, T& out) {
    auto value = object.get<T>(name);
    if (!value) return value.error();
    out = std::move(*value);
    return {};
}

Status first_failure(std::initializer_list<Status> all) {
    for (const Status& status : all)
        if (!status) return status;
    return {};
}

Status blocking_try_commit(const fs::path& store, const Submission& submission) {
    if (auto made = files::blocking_make_folders(folder_of(store)); !made) return made;
    const fs::path file = file_of(store, submission.id);
    if (auto written = files::blocking_write_atomically(file, to_json(submission)); !written)
        return written;
    for (const std::string& id : submission.run_ids)
        if (auto published = RunFolder::blocking_publish(store, id); !published)
            return published.error();
    return {};
}

// Who submitted is told that it failed: nothing of it may begin later. What makes it one goes
// first.
Status blocking_withdraw(const fs::path& store, const Submission& submission) {
    Status forgotten;
    std::error_code code;
    if (fs::exists(file_of(store, submission.id), code))
        forgotten = blocking_forget(store, submission.id);
    for (const std::string& id : submission.run_ids) {
        RunFolder::blocking_unstage(store, id);
        const RunFolder published(store / "runs" / id);
        if (!fs::exists(published.path(), code)) continue;
        if (auto removed = published.blocking_remove(); !removed) return removed;
    }
    return forgotten;
}

}  // namespace

std::string to_json(const Submission& submission) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object()
        .member("id", submission.id)
        .member("group_id", submission.group_id)
        .member("name", submission.name)
        .member("submitted_at", submission.submitted_at)
        .member("key_sha256", submission.key_sha256)
        .member("body_sha256", submission.body_sha256)
        .key("run_ids")
        .begin_array();
    for (const std::string& id : submission.run_ids)
        writer.value(id);
    writer.end_array().end_object();
    return text + "\n";
}

Result<Submission> parse_submission(std::string_view json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    const json::Value root = document->root();
    Submission read;
    const Status status = first_failure({
        read_member(root, "id", read.id),
        read_member(root, "group_id", read.group_id),
        read_member(root, "name", read.name),
        read_member(root, "submitted_at", read.submitted_at),
        read_member(root, "key_sha256", read.key_sha256),
        read_member(root, "body_sha256", read.body_sha256),
        read_member(root, "run_ids", read.run_ids),
    });
    if (!status) return status.error();
    return read;
}

Status blocking_commit(const fs::path& store, const Submission& submission) {
    const Status done = blocking_try_commit(store, submission);
    if (done) return done;
    const Status undone = blocking_withdraw(store, submission);
    if (undone) return done;
    return Error{done.error().kind, "it may begin after a restart (" + undone.error().message +
                                        "): " + done.error().message};
}

Result<std::vector<Submission>> blocking_open_submissions(const fs::path& store) {
    std::vector<Submission> submissions;
    std::vector<std::string> wanted;
    std::error_code code;
    if (auto made = files::blocking_make_folders(folder_of(store)); !made) return made.error();
    for (const auto& entry : fs::directory_iterator(folder_of(store), code)) {
        if (entry.path().extension() != ".json") continue;
        const auto text = files::blocking_read_file(entry.path(), kMaxBytes);
        if (!text) return text.error();
        auto submission = parse_submission(*text);
        if (!submission) return submission.error().within(entry.path().string());
        wanted.insert(wanted.end(), submission->run_ids.begin(), submission->run_ids.end());
        submissions.push_back(std::move(*submission));
    }
    if (auto settled = blocking_settle_folders(store, wanted); !settled) return settled.error();
    std::sort(submissions.begin(), submissions.end(),
              [](const Submission& a, const Submission& b) { return a.id < b.id; });
    return submissions;
}

Status blocking_forget(const fs::path& store, std::string_view id) {
    std::error_code code;
    fs::remove(file_of(store, id), code);
    if (code) {
        return Error{ErrorKind::internal,
                     file_of(store, id).string() + ": cannot be removed: " + code.message()};
    }
    return files::blocking_sync_folder(folder_of(store));
}

}  // namespace evalfleet::store
