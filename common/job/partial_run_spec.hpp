#pragma once

#include "common/job/run_spec.hpp"

namespace evalfleet::job {

/// Reads a run file's content, JSON, into `out` as far as it is right; what is wrong or absent is
/// as in a new RunSpec. The Status tells every fault, one a line, as that of `parse_run_spec`:
/// who looks for all faults at once goes on with the parts that were read.
[[nodiscard]] Status read_partly(std::string_view json, RunSpec& out);

}  // namespace evalfleet::job
