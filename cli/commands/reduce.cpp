#include "cli/commands/offline.hpp"
#include "cli/output.hpp"
#include "cli/spooled_input.hpp"
#include "cli/text_file.hpp"
#include "coordinator/reduce/group_reducer.hpp"
#include "coordinator/reduce/reducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace evalfleet::cli {

namespace {

Status write_result(const std::optional<std::string>& file, const std::string& text) {
    auto out = Output::open(file);
    if (!out) return out.error();
    if (Status written = out->write(text); !written) return written;
    return out->finish();
}

Result<ExitCode> reduce_run(const ReduceOptions& options) {
    if (options.inputs.size() != 1) {
        return Error{ErrorKind::invalid,
                     "RECORDS.jsonl: give one file, or --group and the folders of runs"};
    }
    auto policy = read_policy_file(options.policy);
    if (!policy) return policy.error();
    if (options.bootstrap) policy->bootstrap.replicates = *options.bootstrap;
    if (options.seed) policy->bootstrap.seed = *options.seed;

    const auto records = SpooledInput::open(options.inputs.front());
    if (!records) return records.error();
    const auto summary = reduce::reduce_files(std::array{records->path()}, *policy);
    if (!summary) return records->locate(summary.error());
    const std::string text = job::to_json(*summary);
    if (Status written = write_result(options.out, text); !written) return written.error();
    return summary->release_ready ? ExitCode::done : ExitCode::failed;
}

bool is_worse(const reduce::RankedRun& ranked) {
    return std::ranges::any_of(ranked.differences, &reduce::MetricDifference::regression);
}

Result<ExitCode> reduce_runs(const ReduceOptions& options) {
    if (options.policy) {
        return Error{ErrorKind::invalid, "--policy: each run of a group has its own in run.json"};
    }
    std::vector<reduce::GroupMember> members;
    for (const std::string& folder : options.inputs) {
        auto member = reduce::blocking_read_member(folder);
        if (!member) return member.error();
        members.push_back(std::move(*member));
    }
    const auto summary =
        reduce::reduce_group(members, {.replicates = options.bootstrap, .seed = options.seed});
    if (!summary) return summary.error();
    if (!summary->incomparable.empty() && !options.force) {
        return Error{ErrorKind::invalid, fmt::format("the runs are not comparable: {}",
                                                     fmt::join(summary->incomparable, "; "))};
    }
    const std::string text = options.text ? reduce::to_text(*summary) : reduce::to_json(*summary);
    if (Status written = write_result(options.out, text); !written) return written.error();
    return std::ranges::any_of(summary->ranking, is_worse) ? ExitCode::failed : ExitCode::done;
}

}  // namespace

Result<ExitCode> run_reduce(const ReduceOptions& options) {
    return options.group ? reduce_runs(options) : reduce_run(options);
}

}  // namespace evalfleet::cli
