#include "cli/commands/offline.hpp"
#include "cli/output.hpp"
#include "cli/remote/session.hpp"
#include "cli/run_place.hpp"
#include "coordinator/reduce/comparison.hpp"

namespace evalfleet::cli {

namespace {

Result<reduce::RunComparison> blocking_compare_folders(const CompareOptions& options) {
    reduce::CompareOptions how;
    how.force = options.force;
    if (options.bootstrap) how.replicates = *options.bootstrap;
    if (options.seed) how.seed = *options.seed;
    return reduce::compare_runs(options.base, options.candidate, how);
}

Result<reduce::RunComparison> blocking_compare_remote(const CompareOptions& options) {
    if (options.bootstrap || options.seed) {
        return Error{ErrorKind::invalid,
                     "--bootstrap, --seed: only for folders; a coordinator compares with its own"};
    }
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto answer =
        session->blocking_call({.path = "/compare?base=" + remote::encode(options.base) +
                                        "&candidate=" + remote::encode(options.candidate) +
                                        (options.force ? "&force=true" : "")});
    if (!answer) return answer.error();
    return reduce::read_comparison(*answer);
}

Result<reduce::RunComparison> blocking_compare(const CompareOptions& options) {
    const bool is_base_here = means_folder(options.base);
    const bool is_candidate_here = means_folder(options.candidate);
    if (is_base_here && is_candidate_here) return blocking_compare_folders(options);
    if (!is_base_here && !is_candidate_here) return blocking_compare_remote(options);
    return Error{ErrorKind::invalid, (is_base_here ? options.candidate : options.base) +
                                         ": there is no such folder; allowed: two folders, or two "
                                         "ids of runs at a coordinator"};
}

}  // namespace

Result<ExitCode> run_compare(const CompareOptions& options) {
    auto out = Output::open(options.out);
    if (!out) return out.error();
    const auto comparison = blocking_compare(options);
    if (!comparison) return comparison.error();
    const std::string text =
        options.json ? reduce::to_json(*comparison) : reduce::to_text(*comparison);
    if (Status written = out->write(text); !written) return written.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    return comparison->significant_regression() ? ExitCode::failed : ExitCode::done;
}

}  // namespace evalfleet::cli
