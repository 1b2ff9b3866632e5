#include "common/disclosure/record.hpp"

#include "common/disclosure/keyed_name.hpp"

#include <utility>

namespace evalfleet::disclosure {

namespace {

void take(redaction::Redacted redacted, std::string& text, job::TrialRecord& record) {
    text = std::move(redacted.text);
    redaction::add(record.redactions, redacted.counts);
}

}  // namespace

void redact(const redaction::Redactor& redactor, job::TrialRecord& record) {
    for (auto* text : {&record.answer, &record.error_message, &record.rationale,
                       &record.evaluator_raw_output, &record.evaluator_error_message}) {
        if (*text) take(redactor.redact(**text), **text, record);
    }
    for (std::string& fault : record.evaluator_reply_faults)
        take(redactor.redact(fault), fault, record);
    for (auto* name : {&record.sample_id, &record.finish_reason, &record.provider_request_id,
                       &record.model_reported, &record.system_fingerprint,
                       &record.evaluator_finish_reason, &record.evaluator_model_reported,
                       &record.judge_failure_label, &record.worker_environment}) {
        if (*name) take(redactor.redact_name(**name), **name, record);
    }
    take(redactor.redact_name(record.task_type), record.task_type, record);
    job::Tags tags;
    for (auto& [key, value] : record.tags) {
        std::string clean_key = key;
        take(redactor.redact_name(key), clean_key, record);
        take(redact_keyed_name(redactor, key, value), value, record);
        tags.insert_or_assign(std::move(clean_key), std::move(value));
    }
    record.tags = std::move(tags);
}

std::string as_in_records(const redaction::Redactor& redactor, std::string_view name) {
    return redactor.redact_name(name).text;
}

}  // namespace evalfleet::disclosure
