#include "worker/trial/rejudgement.hpp"

#include "common/job/trial_index.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::worker {

namespace {

constexpr std::string_view kPlace = "the job's payload";

void forget_verdict(job::TrialRecord& record) {
    const job::TrialRecord blank;
    record.correctness_score = blank.correctness_score;
    record.faithfulness_score = blank.faithfulness_score;
    record.hallucination_score = blank.hallucination_score;
    record.hallucination_source = blank.hallucination_source;
    record.rationale = blank.rationale;
    record.evaluator_error = blank.evaluator_error;
    record.evaluator_attempts = blank.evaluator_attempts;
    record.evaluator_http_status = blank.evaluator_http_status;
    record.evaluator_error_message = blank.evaluator_error_message;
    record.evaluator_finish_reason = blank.evaluator_finish_reason;
    record.evaluator_refused_parameters = blank.evaluator_refused_parameters;
    record.evaluator_reply_faults = blank.evaluator_reply_faults;
    record.evaluator_failed_attempts = blank.evaluator_failed_attempts;
    record.evaluator_raw_output = blank.evaluator_raw_output;
    record.evaluator_latency_ms = blank.evaluator_latency_ms;
    record.evaluator_input_tokens = blank.evaluator_input_tokens;
    record.evaluator_output_tokens = blank.evaluator_output_tokens;
    record.evaluator_reasoning_tokens = blank.evaluator_reasoning_tokens;
    record.evaluator_cache_read_input_tokens = blank.evaluator_cache_read_input_tokens;
    record.evaluator_cache_write_input_tokens = blank.evaluator_cache_write_input_tokens;
    record.evaluator_cost_usd = blank.evaluator_cost_usd;
    record.evaluator_model_reported = blank.evaluator_model_reported;
    record.judge_failure_label = blank.judge_failure_label;
    record.timing.judge_ms = blank.timing.judge_ms;
}

/// What the judge is to see of an answer that is stored redacted.
Status take_answer(const RunContext& run, job::TrialRecord& record) {
    if (!job::is_answer_redacted(record)) return {};
    record.judged_answer = run.spec.judged_answers.value_or(job::JudgedAnswer::redacted);
    if (*record.judged_answer == job::JudgedAnswer::redacted) return {};
    if (!run.originals || !record.answer_original)
        return Error{ErrorKind::invalid, "answer_original: is missing, or there is no key for it"};
    auto said = run.originals->open(*record.answer_original, place_of(record));
    if (!said) return said.error().within("answer_original");
    record.answer = *std::move(said);
    record.answer_original.reset();
    // What is redacted now is counted now.
    record.redactions.clear();
    return {};
}

}  // namespace

Result<PreparedTrial> prepare_rejudgement(const RunContext& run, std::uint64_t index,
                                          std::string_view payload) {
    const auto document = json::Document::parse(payload);
    if (!document) return document.error().within(kPlace);
    const auto sample_json = document->root().required("sample");
    if (!sample_json) return sample_json.error().within(kPlace);
    const auto record_json = document->root().required("record");
    if (!record_json) return record_json.error().within(kPlace);
    const auto trial_index =
        job::TrialIndex::of(index, static_cast<std::uint64_t>(run.spec.repeats));
    auto sample = job::read_sample(*sample_json, trial_index.sample_index + 1);
    if (!sample) return sample.error().within(kPlace);
    auto record = job::read_trial_record(*record_json);
    if (!record) return record.error().within(kPlace);
    if (job::TrialIndex::of(*record) != trial_index)
        return Error{ErrorKind::invalid, "the job's payload: is another trial's"};
    if (!job::is_answered(*record))
        return Error{ErrorKind::invalid, "the job's payload: has no answer to judge"};

    if (const Status taken = take_answer(run, *record); !taken) return taken.error().within(kPlace);

    PreparedTrial trial;
    trial.sample = *std::move(sample);
    trial.record = *std::move(record);
    trial.record.run_id = run.run_id;
    trial.record.rejudged_from = run.spec.rejudged_from;
    forget_verdict(trial.record);
    // The run that made the call paid for it.
    if (trial.record.cost_usd) trial.record.cost_usd = 0;
    return trial;
}

}  // namespace evalfleet::worker
