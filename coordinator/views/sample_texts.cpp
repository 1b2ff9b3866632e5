#include "coordinator/views/sample_texts.hpp"

#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::views {

namespace {

void redact(const redaction::Redactor& redactor, std::string& text) {
    text = redactor.redact(text).text;
}

void redact(const redaction::Redactor& redactor, job::Sample& sample) {
    sample.id = redactor.redact_name(sample.id).text;
    redact(redactor, sample.task);
    for (job::Message& message : sample.messages)
        redact(redactor, message.content);
    if (sample.reference_answer) redact(redactor, *sample.reference_answer);
    if (sample.context) redact(redactor, *sample.context);
    sample.task_type = redactor.redact_name(sample.task_type).text;
    job::Tags tags;
    for (const auto& [key, value] : sample.tags)
        tags.emplace(redactor.redact_name(key).text, redactor.redact_name(value).text);
    sample.tags = std::move(tags);
}

}  // namespace

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
        redact(redactor_, *last_);
    }
    return last_ ? &*last_ : nullptr;
}

std::optional<std::string> SampleTexts::blocking_task(std::uint32_t sample_index) {
    const job::Sample* sample = blocking_sample(sample_index);
    if (sample == nullptr) return std::nullopt;
    return sample->task;
}

}  // namespace evalfleet::views
