#include "cli/commands/offline.hpp"
#include "cli/output.hpp"
#include "cli/remote/session.hpp"
#include "cli/run_place.hpp"
#include "coordinator/reduce/comparison.hpp"

namespace evalfleet::cli {

namespace {

Result<reduce::RunComparison> blocking_compare_folders(const CompareOptions& options,
                                                       const job::Margins& margins) {
    reduce::CompareOptions how;
    how.force = options.force;
    how.replicates = options.bootstrap;
    how.seed = options.seed;
    how.margins = margins;
    return reduce::compare_runs(options.base, options.candidate, how);
}

Result<reduce::RunComparison> blocking_compare_remote(const CompareOptions& options,
                                                      const job::Margins& margins) {
    if (options.bootstrap || options.seed) {
        return Error{ErrorKind::invalid,
                     "--bootstrap, --seed: only for folders; a coordinator compares with its own"};
    }
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto answer = session->blocking_call(
        {.path = "/compare?base=" + remote::encode(options.base) + "&candidate=" +
                 remote::encode(options.candidate) + (options.force ? "&force=true" : "") +
                 (margins.empty() ? "" : "&margin=" + remote::encode(job::to_text(margins)))});
    if (!answer) return answer.error();
    return reduce::read_comparison(*answer);
}

Result<reduce::RunComparison> blocking_compare(const CompareOptions& options) {
    const auto margins =
        options.margin ? job::parse_margins(*options.margin) : Result<job::Margins>(job::Margins{});
    if (!margins) return Error{margins.error().kind, "--" + margins.error().message};
    const bool is_base_here = means_folder(options.base);
    const bool is_candidate_here = means_folder(options.candidate);
    if (is_base_here && is_candidate_here) return blocking_compare_folders(options, *margins);
    if (!is_base_here && !is_candidate_here) return blocking_compare_remote(options, *margins);
    return Error{ErrorKind::invalid, (is_base_here ? options.candidate : options.base) +
                                         ": there is no such folder; allowed: two folders, or two "
                                         "ids of runs at a coordinator"};
}

ExitCode exit_code_of(reduce::Decision decision) {
    switch (decision) {
        case reduce::Decision::worse:
            return ExitCode::failed;
        case reduce::Decision::cannot_tell:
            return ExitCode::unfinished;
        case reduce::Decision::no_worse:
        case reduce::Decision::nothing_found:
            break;
    }
    return ExitCode::done;
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
    return exit_code_of(comparison->decision());
}

}  // namespace evalfleet::cli
