#include "coordinator/runs/joined_dataset.hpp"

#include "common/files/part_file.hpp"
#include "common/runfile/labels_file.hpp"

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
           fmt::format(".labelled-{}.{:06}{}", ::getpid(), ++count % 1'000'000, files::kPartSuffix);
}

}  // namespace

Result<JoinedDataset> JoinedDataset::blocking_make(const job::RunSpec& spec,
                                                   const runfile::Dataset& dataset,
                                                   const std::filesystem::path& folder) {
    if (!spec.labels) return JoinedDataset(dataset.path(), std::nullopt);
    const auto labels = runfile::LabelsFile::blocking_read(spec.labels->path);
    if (!labels) return labels.error().status().error();
    const auto path = free_name(folder);
    const Status joined = runfile::blocking_join_labels(dataset, *labels, path);
    if (!joined) return joined.error();
    return JoinedDataset(path, labels->sha256());
}

JoinedDataset::JoinedDataset(JoinedDataset&& other) noexcept
    : path_(std::move(other.path_)), labels_hash_(std::exchange(other.labels_hash_, {})) {}

JoinedDataset::~JoinedDataset() {
    std::error_code ignored;
    if (labels_hash_) std::filesystem::remove(path_, ignored);
}

}  // namespace evalfleet::runs
