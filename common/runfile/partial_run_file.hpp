#pragma once

#include "common/runfile/run_file.hpp"

namespace evalfleet::runfile {

/// Reads a run file as `blocking_read_run_file` does, for who goes on looking for faults elsewhere:
/// gives what could be read, which is whole if nothing was added to `faults`. Of its spec what is
/// wrong is as in a new RunSpec; paths are absolute. Blocks: it reads files.
[[nodiscard]] RunFile blocking_read_partly(const std::filesystem::path& path,
                                           ProvidersFrom providers,
                                           std::optional<providers::Providers> operators,
                                           FaultList& faults);

}  // namespace evalfleet::runfile
