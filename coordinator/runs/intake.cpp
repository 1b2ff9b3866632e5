#include "coordinator/runs/intake.hpp"

#include "common/disclosure/record.hpp"
#include "common/job/trial_index.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/scoring/derive.hpp"
#include "coordinator/runs/taken_over.hpp"

namespace evalfleet::runs {

Result<Intake::Accepted> Intake::accept(const queue::RunResult& result,
                                        const ReadSample& read_sample) {
    if (result.index >= terms_.total)
        return Error{ErrorKind::invalid, "the run has no trial of this index"};
    if (result.kind == queue::RunResult::Kind::dead)
        return lost(result.index, result.value, read_sample);
    return accept_record(result);
}

Result<Intake::Accepted> Intake::accept_record(const queue::RunResult& result) {
    const auto root = parser_.parse(result.value);
    if (!root) return root.error();
    const auto record = job::read_trial_record(*root);
    if (!record) return record.error();
    if (record->run_id != terms_.run_id)
        return Error{ErrorKind::invalid, "run_id: is another run's"};
    if (job::TrialIndex::of(*record) != job::TrialIndex::of(result.index, terms_.repeats))
        return Error{ErrorKind::invalid, "sample_index, repeat: are another trial's"};
    return Accepted{job::to_json(*record), Tally::of(*record, terms_.policy)};
}

Result<Tally::Trial> Intake::recount(std::string_view record) {
    const auto root = parser_.parse(record);
    if (!root) return root.error();
    const auto read = job::read_trial_record(*root);
    if (!read) return read.error();
    Tally::Trial trial = Tally::of(*read, terms_.policy);
    // What another run paid for is not of this one's budgets.
    if (root->find(kTakenOverFrom)) trial.spent = {};
    return trial;
}

Intake::Accepted Intake::lost(std::uint64_t index, std::string_view reason,
                              const ReadSample& read_sample) const {
    const auto trial = job::TrialIndex::of(index, terms_.repeats);
    job::TrialRecord record;
    record.run_id = terms_.run_id;
    trial.enter(record);
    if (const auto sample = read_sample(trial.sample_index)) {
        record.sample_id = sample->id;
        record.task_type = sample->task_type;
        record.tags = sample->tags;
    }
    record.error_kind = job::CallError::worker_lost;
    record.error_message = std::string(reason);
    disclosure::redact(redaction::Redactor({}, {.pii = terms_.pii}), record);
    scoring::derive(record, terms_.policy);
    return {job::to_json(record), Tally::of(record, terms_.policy)};
}

}  // namespace evalfleet::runs
