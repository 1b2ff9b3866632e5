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
    if (task_index_ == sample_index) return task_;
    task_index_ = sample_index;
    task_.reset();
    if (dataset_ == nullptr || sample_index >= dataset_->size()) return task_;
    const auto line = dataset_->blocking_read_line(sample_index);
    if (line) task_ = task_of(*line, sample_index);
    return task_;
}

std::optional<std::string> SampleTexts::task_of(std::string_view line,
                                                std::uint32_t sample_index) const {
    const auto document = json::Document::parse(line);
    if (!document) return std::nullopt;
    const auto sample = job::read_sample(document->root(), sample_index + 1);
    if (!sample) return std::nullopt;
    return redactor_.redact(sample->task).text;
}

bool SampleTexts::blocking_is_in_task(std::uint32_t sample_index, const TextSearch& search) {
    if (searched_index_ == sample_index) return is_found_;
    searched_index_ = sample_index;
    is_found_ = false;
    if (dataset_ == nullptr || sample_index >= dataset_->size()) return false;
    const auto line = dataset_->blocking_read_line(sample_index);
    // Redaction is dear, and most lines have nothing of what is searched.
    if (!line || !search.may_be_in_json(*line)) return false;
    task_index_ = sample_index;
    task_ = task_of(*line, sample_index);
    is_found_ = task_ && search.is_in(*task_);
    return is_found_;
}

}  // namespace evalfleet::views
