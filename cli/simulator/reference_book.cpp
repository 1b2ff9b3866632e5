#include "cli/simulator/reference_book.hpp"

#include "cli/simulator/draw.hpp"
#include "common/job/sample.hpp"
#include "common/json/document.hpp"
#include "common/runfile/dataset.hpp"
#include "common/runfile/image_files.hpp"

#include <fmt/format.h>

#include <cstring>

namespace evalfleet::simulator {

namespace {

/// Of twelve bytes: cheap, since it is taken at every place of a prompt.
std::uint64_t end_hash(const char* bytes) noexcept {
    std::uint64_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, bytes, sizeof first);
    std::memcpy(&last, bytes + sizeof first, sizeof last);
    const std::uint64_t hash = (first ^ (std::uint64_t{last} << 17)) * 0x9E3779B97F4A7C15;
    return hash ^ (hash >> 32);
}

}  // namespace

Result<ReferenceBook> ReferenceBook::blocking_read(const std::filesystem::path& dataset) {
    const auto lines = runfile::Dataset::blocking_open(dataset);
    if (!lines) return lines.error();
    ReferenceBook book;
    json::Parser parser;
    for (std::size_t i = 0; i < lines->size(); ++i) {
        const auto line = lines->blocking_read_line(i);
        if (!line) return line.error();
        const auto place = [&] { return fmt::format("{}:{}", dataset.string(), i + 1); };
        const auto value = parser.parse(*line);
        if (!value) return value.error().within(place());
        auto sample = job::read_sample(*value, i + 1);
        if (!sample) return sample.error().within(place());
        if (job::has_image_files(*sample)) {
            const Status embedded = runfile::blocking_embed_images(*sample, dataset.parent_path());
            if (!embedded) return embedded.error().within(place());
        }
        // Where an answer stands in the data set, it is one.
        if (!sample->reference_answer && !job::take_reference(*sample)) continue;
        book.add(std::move(sample->task), std::move(*sample->reference_answer));
    }
    return book;
}

void ReferenceBook::add(std::string task, std::string reference_answer) {
    if (task.size() < kEndBytes) {
        short_ones_.push_back(entries_.size());
    } else {
        const std::uint64_t hash = end_hash(task.data() + task.size() - kEndBytes);
        by_end_.emplace(hash, entries_.size());
        ends_[hash % kFilterBits] = true;
    }
    entries_.push_back({std::move(task), std::move(reference_answer)});
}

std::optional<std::string_view> ReferenceBook::find(std::string_view prompt) const {
    if (entries_.empty()) return std::nullopt;
    const Entry* best = nullptr;
    const auto consider = [&best](const Entry& entry) {
        if (best == nullptr || entry.task.size() > best->task.size()) best = &entry;
    };
    for (std::size_t end = kEndBytes; end <= prompt.size(); ++end) {
        const std::uint64_t hash = end_hash(prompt.data() + end - kEndBytes);
        if (!ends_[hash % kFilterBits]) continue;
        const auto [first, last] = by_end_.equal_range(hash);
        for (auto at = first; at != last; ++at) {
            const Entry& entry = entries_[at->second];
            if (prompt.substr(0, end).ends_with(entry.task)) consider(entry);
        }
    }
    if (best == nullptr) {
        for (const std::size_t index : short_ones_) {
            if (prompt.find(entries_[index].task) != std::string_view::npos) {
                consider(entries_[index]);
            }
        }
    }
    if (best == nullptr) return std::nullopt;
    return best->reference_answer;
}

}  // namespace evalfleet::simulator
