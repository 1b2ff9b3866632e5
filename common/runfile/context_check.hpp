#pragma once

#include "common/runfile/dataset.hpp"
#include "common/runfile/run_file.hpp"

#include <string>
#include <vector>

namespace evalfleet::runfile {

/// Warns of samples whose prompts, the models' or the judge's, are clearly longer than the
/// `num_ctx` that requests to Ollama carry: it cuts them without a word. Of prompts without a
/// `num_ctx`, and of providers that are not `known`, nothing is said. Blocks: it reads the dataset
/// where there is such a limit.
[[nodiscard]] std::vector<std::string> blocking_context_warnings(const RunFile& file,
                                                                 const Dataset& dataset,
                                                                 const providers::Providers& known);

}  // namespace evalfleet::runfile
