#include "cli/commands/offline.hpp"
#include "cli/output.hpp"
#include "coordinator/reduce/comparison.hpp"

namespace evalfleet::cli {

Result<ExitCode> run_compare(const CompareOptions& options) {
    auto out = Output::open(options.out);
    if (!out) return out.error();
    reduce::CompareOptions how;
    how.force = options.force;
    if (options.bootstrap) how.replicates = *options.bootstrap;
    if (options.seed) how.seed = *options.seed;
    const auto comparison = reduce::compare_runs(options.base, options.candidate, how);
    if (!comparison) return comparison.error();
    const std::string text =
        options.json ? reduce::to_json(*comparison) : reduce::to_text(*comparison);
    if (Status written = out->write(text); !written) return written.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    return comparison->significant_regression() ? ExitCode::failed : ExitCode::done;
}

}  // namespace evalfleet::cli
