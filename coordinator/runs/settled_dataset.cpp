#include "coordinator/runs/settled_dataset.hpp"

#include "common/files/part_file.hpp"
#include "common/runfile/settled_dataset.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <utility>

namespace evalfleet::runs {

namespace {

std::filesystem::path free_name(const std::filesystem::path& folder) {
    static std::atomic<unsigned> count = 0;
    // If this process is killed, it is removed like any other file that was half-written.
    return folder /
           fmt::format(".settled-{}.{:06}{}", ::getpid(), ++count % 1'000'000, files::kPartSuffix);
}

void blocking_remove(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
}

}  // namespace

Result<SettledDataset> SettledDataset::blocking_make(const job::RunSpec& spec,
                                                     const runfile::Dataset& source,
                                                     const std::filesystem::path& folder) {
    SettledDataset settled;
    if (!runfile::needs_settling(source, spec.dataset.last_assistant)) return settled;
    const auto path = free_name(folder);
    const auto changed = runfile::blocking_settle(source, spec.dataset.last_assistant, path);
    if (!changed) return changed.error();
    if (!*changed) {
        blocking_remove(path);
        return settled;
    }
    auto opened = runfile::Dataset::blocking_open(path);
    if (!opened) {
        blocking_remove(path);
        return opened.error();
    }
    settled.own_ = std::move(*opened);
    return settled;
}

SettledDataset::SettledDataset(SettledDataset&& other) noexcept
    : own_(std::exchange(other.own_, std::nullopt)) {}

SettledDataset::~SettledDataset() {
    if (own_) blocking_remove(own_->path());
}

}  // namespace evalfleet::runs
