#include "cli/commands/offline.hpp"
#include "cli/compared_runs.hpp"
#include "cli/output.hpp"
#include "cli/remote/run_name.hpp"
#include "cli/remote/session.hpp"
#include "cli/run_place.hpp"
#include "coordinator/reduce/comparison.hpp"

#include <utility>

namespace evalfleet::cli {

namespace {

// What the comparison is asked for beyond its rows.
struct Asked {
    job::Margins margins;
    job::Margins detect;
};

Status read_option(const std::optional<std::string>& text, std::string_view option,
                   job::Margins& out) {
    if (!text) return {};
    auto read = job::parse_margins(*text, option);
    if (!read) return Error{read.error().kind, "--" + read.error().message};
    out = std::move(*read);
    return {};
}

std::string parameter(const std::string& name, const job::Margins& margins) {
    return margins.empty() ? "" : "&" + name + "=" + remote::encode(job::to_text(margins));
}

Result<reduce::RunComparison> blocking_compare_folders(const CompareOptions& options,
                                                       const Asked& asked) {
    reduce::CompareOptions how;
    how.force = options.force;
    how.replicates = options.bootstrap;
    how.seed = options.seed;
    how.margins = asked.margins;
    how.detect = asked.detect;
    return reduce::compare_runs(options.base, options.candidate, how);
}

struct RunIds {
    std::string base;
    std::string candidate;
};

Result<RunIds> blocking_find_both(remote::Session& session, const CompareOptions& options) {
    auto base = remote::blocking_find_run(session, options.base);
    if (!base) return base.error();
    auto candidate = remote::blocking_find_run(session, options.candidate);
    if (!candidate) return candidate.error();
    return RunIds{*std::move(base), *std::move(candidate)};
}

Result<reduce::RunComparison> blocking_compare_remote(const CompareOptions& options,
                                                      const Asked& asked) {
    if (options.bootstrap || options.seed) {
        return Error{ErrorKind::invalid,
                     "--bootstrap, --seed: only for folders; a coordinator compares with its own"};
    }
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto ids = blocking_find_both(*session, options);
    if (!ids) return ids.error();
    const auto answer = session->blocking_call(
        {.path = "/compare?base=" + remote::encode(ids->base) + "&candidate=" +
                 remote::encode(ids->candidate) + (options.force ? "&force=true" : "") +
                 parameter("margin", asked.margins) + parameter("detect", asked.detect)});
    if (!answer) return answer.error();
    return reduce::read_comparison(*answer);
}

Result<reduce::RunComparison> blocking_compare(const CompareOptions& options) {
    Asked asked;
    if (Status read = read_option(options.margin, "margin", asked.margins); !read)
        return read.error();
    if (Status read = read_option(options.detect, "detect", asked.detect); !read)
        return read.error();
    const bool is_base_here = means_folder(options.base);
    const bool is_candidate_here = means_folder(options.candidate);
    if (is_base_here && is_candidate_here) return blocking_compare_folders(options, asked);
    if (!is_base_here && !is_candidate_here) return blocking_compare_remote(options, asked);
    return Error{ErrorKind::invalid, (is_base_here ? options.candidate : options.base) +
                                         ": there is no such folder; allowed: two folders, or two "
                                         "ids of runs at a coordinator"};
}

Result<report::ComparedRuns> blocking_find_runs(const CompareOptions& options,
                                                const reduce::RunComparison& comparison) {
    if (means_folder(options.base))
        return blocking_read_compared_runs(options.base, options.candidate, comparison);
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto ids = blocking_find_both(*session, options);
    if (!ids) return ids.error();
    return blocking_fetch_compared_runs(*session, ids->base, ids->candidate, comparison);
}

Result<std::string> blocking_render(const CompareOptions& options,
                                    const reduce::RunComparison& comparison) {
    if (options.json || options.format == CompareFormat::json) return reduce::to_json(comparison);
    if (options.format == CompareFormat::text) return reduce::to_text(comparison);
    const auto runs = blocking_find_runs(options, comparison);
    if (!runs) return runs.error();
    return report::to_html(comparison, *runs);
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
    const auto text = blocking_render(options, *comparison);
    if (!text) return text.error();
    if (Status written = out->write(*text); !written) return written.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    return exit_code_of(comparison->decision());
}

}  // namespace evalfleet::cli
