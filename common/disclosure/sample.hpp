#pragma once

#include "common/job/sample.hpp"
#include "common/redaction/redactor.hpp"

namespace evalfleet::disclosure {

/// Makes a sample fit to be shown: its texts are redacted as those of records are, and what it is
/// looked up or counted by (`id`, `task_type`, tags) keeps its identity.
void redact(const redaction::Redactor& redactor, job::Sample& sample);

}  // namespace evalfleet::disclosure
