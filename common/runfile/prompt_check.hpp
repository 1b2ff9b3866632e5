#pragma once

#include "common/runfile/dataset.hpp"
#include "common/runfile/run_file.hpp"

namespace evalfleet::runfile {

/// The prompts that show a model nothing of what a sample asks: neither its task nor, as chats do,
/// its messages.
[[nodiscard]] FaultList check_prompts(const RunFile& file, const Dataset& dataset);

}  // namespace evalfleet::runfile
