#include "common/runfile/shown_samples.hpp"

#include "common/disclosure/sample.hpp"
#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::runfile {

ShownDataset ShownDataset::blocking_open(const std::filesystem::path& dataset,
                                         const std::string& sha256, bool redacts_pii) {
    auto opened = Dataset::blocking_open(dataset);
    if (!opened || (!sha256.empty() && opened->sha256() != sha256))
        return {std::nullopt, redacts_pii};
    return {std::move(*opened), redacts_pii};
}

const job::Sample* ShownDataset::blocking_sample(std::int64_t index) {
    if (!dataset_ || index < 0 || static_cast<std::uint64_t>(index) >= dataset_->size())
        return nullptr;
    if (index == last_index_) return last_ ? &*last_ : nullptr;
    last_index_ = index;
    last_.reset();
    const auto place = static_cast<std::size_t>(index);
    const auto line = dataset_->blocking_read_line(place);
    if (!line) return nullptr;
    const auto document = json::Document::parse(*line);
    if (!document) return nullptr;
    auto sample = job::read_sample(document->root(), place + 1);
    if (!sample) return nullptr;
    disclosure::redact(redactor_, *sample);
    last_ = std::move(*sample);
    return &*last_;
}

ShownSamples blocking_read_shown_samples(const std::filesystem::path& dataset,
                                         const std::string& sha256,
                                         const std::set<std::int64_t>& indexes, bool redacts_pii) {
    ShownSamples shown;
    if (indexes.empty()) return shown;
    auto opened = ShownDataset::blocking_open(dataset, sha256, redacts_pii);
    for (const std::int64_t index : indexes) {
        if (const job::Sample* sample = opened.blocking_sample(index))
            shown.emplace(index, *sample);
    }
    return shown;
}

}  // namespace evalfleet::runfile
