#include "cli/commands/offline.hpp"
#include "cli/group_summary.hpp"
#include "cli/output.hpp"
#include "cli/spooled_input.hpp"
#include "cli/text_file.hpp"
#include "coordinator/reduce/group_reducer.hpp"
#include "coordinator/reduce/reducer.hpp"
#include "coordinator/reduce/run_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <optional>

namespace evalfleet::cli {

namespace {

Status write_result(const std::optional<std::string>& file, const std::string& text) {
    auto out = Output::open(file);
    if (!out) return out.error();
    if (Status written = out->write(text); !written) return written;
    return out->finish();
}

/// The records of a run, with what `run.json` beside them says about it.
struct RunInput {
    std::string records;
    std::optional<job::RunMetadata> metadata;
    bool is_folder = false;
};

/// A run's folder, or a file of records, which may lie in one.
Result<RunInput> find_input(const std::string& input) {
    namespace fs = std::filesystem;
    std::error_code failure;
    if (fs::is_directory(input, failure)) {
        auto metadata = reduce::blocking_read_metadata(input);
        if (!metadata) return metadata.error();
        return RunInput{fs::path(input) / reduce::kRecordsFile, std::move(*metadata), true};
    }
    const fs::path file(input);
    if (file.filename() != reduce::kRecordsFile) return RunInput{input, std::nullopt};
    auto beside = reduce::blocking_read_metadata(file.parent_path());
    return RunInput{input, beside ? std::optional(std::move(*beside)) : std::nullopt};
}

/// A folder has its run's policy, unless one is given.
Result<job::Policy> policy_of(const RunInput& input, const ReduceOptions& options) {
    auto policy = input.is_folder && !options.policy ? Result<job::Policy>(input.metadata->policy)
                                                     : read_policy_file(options.policy);
    if (!policy) return policy.error();
    if (options.bootstrap) policy->bootstrap.replicates = *options.bootstrap;
    if (options.seed) policy->bootstrap.seed = *options.seed;
    return policy;
}

Result<ExitCode> reduce_run(const ReduceOptions& options) {
    if (options.inputs.size() != 1) {
        return Error{ErrorKind::invalid,
                     "RECORDS.jsonl: give one file or folder, or --group and the folders of runs"};
    }
    const auto input = find_input(options.inputs.front());
    if (!input) return input.error();
    const auto policy = policy_of(*input, options);
    if (!policy) return policy.error();

    const auto records = SpooledInput::open(input->records);
    if (!records) return records.error();
    const auto known =
        input->metadata ? reduce::options_of(*input->metadata) : reduce::ReduceOptions{};
    const auto summary = reduce::reduce_files(std::array{records->path()}, *policy, known);
    if (!summary) return records->locate(summary.error());
    const std::string text = job::to_json(*summary);
    if (Status written = write_result(options.out, text); !written) return written.error();
    return summary->release_ready ? ExitCode::done : ExitCode::failed;
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
    return exit_code_of(*summary);
}

}  // namespace

Result<ExitCode> run_reduce(const ReduceOptions& options) {
    return options.group ? reduce_runs(options) : reduce_run(options);
}

}  // namespace evalfleet::cli
