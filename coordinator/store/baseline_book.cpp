#include "coordinator/store/baseline_book.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"

#include <algorithm>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20;
constexpr std::size_t kMaxNameBytes = 64;

fs::path file_of(const fs::path& store) {
    return store / "baselines.json";
}

}  // namespace

bool is_baseline_name(std::string_view name) noexcept {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '-' || c == '_';
    };
    return !name.empty() && name.size() <= kMaxNameBytes && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), is_plain);
}

Result<Baselines> blocking_read_baselines(const fs::path& store) {
    const auto text = files::blocking_read_file(file_of(store), kMaxBytes);
    if (!text && text.error().kind == ErrorKind::not_found) return Baselines();
    if (!text) return text.error();
    const auto document = json::Document::parse(*text);
    if (!document) return document.error().within(file_of(store).string());
    const auto members = document->root().as_object();
    if (!members) return members.error().within(file_of(store).string());
    Baselines baselines;
    for (const auto [name, value] : *members) {
        const auto run_id = value.as_string();
        if (!run_id) return run_id.error().within(file_of(store).string());
        baselines.emplace(name, *run_id);
    }
    return baselines;
}

Status blocking_write_baselines(const fs::path& store, const Baselines& baselines) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object();
    for (const auto& [name, run_id] : baselines)
        writer.member(name, run_id);
    writer.end_object();
    return files::blocking_write_atomically(file_of(store), text + "\n");
}

}  // namespace evalfleet::store
