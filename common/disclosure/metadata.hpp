#pragma once

#include "common/job/run_metadata.hpp"
#include "common/redaction/redactor.hpp"

namespace evalfleet::disclosure {

/// The same for `run.json`: prompts, the run's name and reasons are redacted, the names that runs
/// are compared by keep their identity. Hashes stay those of the original texts, so that two runs
/// with the same prompt can still be told by them. The names of providers are the operator's.
void redact(const redaction::Redactor& redactor, job::RunMetadata& metadata);

}  // namespace evalfleet::disclosure
