#pragma once

#include "common/job/trial_record.hpp"
#include "common/redaction/redactor.hpp"

namespace evalfleet::disclosure {

/// Makes a record fit to be stored: every text in it that somebody else wrote is redacted, and what
/// was replaced is added to its `redactions`. What records are looked up, joined or counted by
/// (`sample_id`, `task_type`, tags, the names of models) keeps its identity, see `redact_name`.
/// Doing it twice changes nothing more.
void redact(const redaction::Redactor& redactor, job::TrialRecord& record);

/// The same with a name that somebody asks for, so that it can be compared with a record's.
[[nodiscard]] std::string as_in_records(const redaction::Redactor& redactor, std::string_view name);

}  // namespace evalfleet::disclosure
