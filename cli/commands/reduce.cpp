#include "cli/commands/offline.hpp"
#include "cli/output.hpp"
#include "cli/spooled_input.hpp"
#include "cli/text_file.hpp"
#include "coordinator/reduce/reducer.hpp"

#include <array>

namespace evalfleet::cli {

Result<ExitCode> run_reduce(const ReduceOptions& options) {
    auto policy = read_policy_file(options.policy);
    if (!policy) return policy.error();
    if (options.bootstrap) policy->bootstrap.replicates = *options.bootstrap;
    if (options.seed) policy->bootstrap.seed = *options.seed;

    const auto records = SpooledInput::open(options.records);
    if (!records) return records.error();
    auto out = Output::open(options.out);
    if (!out) return out.error();

    const auto summary = reduce::reduce_files(std::array{records->path()}, *policy);
    if (!summary) return records->locate(summary.error());
    if (Status written = out->write(job::to_json(*summary)); !written) return written.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    return summary->release_ready ? ExitCode::done : ExitCode::failed;
}

}  // namespace evalfleet::cli
