#include "coordinator/views/sample_texts.hpp"

#include "common/disclosure/sample.hpp"
#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::views {

SampleTexts::SampleTexts(const runfile::Dataset* dataset, bool redacts_pii)
    : dataset_(dataset), redactor_({}, {.pii = redacts_pii}) {}

const job::Sample* SampleTexts::blocking_sample(std::uint32_t sample_index) {
    if (last_index_ != sample_index) {
        last_index_ = sample_index;
        last_.reset();
        if (dataset_ == nullptr || sample_index >= dataset_->size()) return nullptr;
        const auto line = dataset_->blocking_read_line(sample_index);
        if (!line) return nullptr;
        const auto document = json::Document::parse(*line);
        if (!document) return nullptr;
        auto sample = job::read_sample(document->root(), sample_index + 1);
        if (!sample) return nullptr;
        last_ = std::move(*sample);
        disclosure::redact(redactor_, *last_);
    }
    return last_ ? &*last_ : nullptr;
}

std::optional<std::string> SampleTexts::blocking_task(std::uint32_t sample_index) {
    const job::Sample* sample = blocking_sample(sample_index);
    if (sample == nullptr) return std::nullopt;
    return sample->task;
}

}  // namespace evalfleet::views
