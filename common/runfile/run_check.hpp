#pragma once

#include "common/config/yaml.hpp"
#include "common/runfile/run_file.hpp"

#include <optional>

namespace evalfleet::runfile {

/// What a run file is checked against.
struct CheckTerms {
    ProvidersFrom providers = ProvidersFrom::run_file;
    std::optional<providers::Providers> operators;  ///< a coordinator's; none: not known
    bool has_files = true;                          ///< its paths are those of this machine
};

/// Finds what is wrong with a run whose `spec` has been read: its size first, then everything else
/// that `blocking_read_run_file` promises. What `faults` has already said could not be read is left
/// alone, with all that follows from it. Fills in the other members of `file`. `root`: the file's
/// tree, which knows the lines.
void check_run(RunFile& file, const config::YamlNode& root, const CheckTerms& terms,
               FaultList& faults);

}  // namespace evalfleet::runfile
