#include "common/disclosure/sample.hpp"

#include <utility>

namespace evalfleet::disclosure {

namespace {

void redact_text(const redaction::Redactor& redactor, std::string& text) {
    text = redactor.redact(text).text;
}

}  // namespace

void redact(const redaction::Redactor& redactor, job::Sample& sample) {
    sample.id = redactor.redact_name(sample.id).text;
    redact_text(redactor, sample.task);
    for (job::Message& message : sample.messages)
        redact_text(redactor, message.content);
    if (sample.reference_answer) redact_text(redactor, *sample.reference_answer);
    if (sample.context) redact_text(redactor, *sample.context);
    sample.task_type = redactor.redact_name(sample.task_type).text;
    job::Tags tags;
    for (const auto& [key, value] : sample.tags)
        tags.emplace(redactor.redact_name(key).text, redactor.redact_name(value).text);
    sample.tags = std::move(tags);
}

}  // namespace evalfleet::disclosure
