#include "cli/commands/offline.hpp"
#include "cli/group_summary.hpp"
#include "cli/json_difference.hpp"
#include "cli/output.hpp"
#include "cli/text_file.hpp"
#include "common/job/manifest.hpp"
#include "common/job/policy_json.hpp"
#include "common/json/document.hpp"
#include "coordinator/reduce/reducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace evalfleet::cli {

namespace {

using Path = std::filesystem::path;
using Differences = std::vector<std::string>;

constexpr const char* kMetadataName = "run.json";
constexpr const char* kRecordsName = "records.jsonl";
constexpr const char* kSummaryName = "summary.json";

/// What is wrong with the content of the folder is what verify is there to report; only a machine
/// that fails ends it.
Status note(const Error& error, Differences& differences) {
    if (exit_code_of(error) != ExitCode::wrong_input) return error;
    differences.push_back(error.message);
    return {};
}

Status check_hashes(const Path& folder, Differences& differences) {
    const auto text = read_text_file((folder / job::kManifestName).string());
    if (!text) return note(text.error(), differences);
    const auto manifest = job::parse_manifest(*text);
    if (!manifest)
        return note(in_file(std::string(job::kManifestName), manifest.error()), differences);
    const auto changed = job::blocking_check_manifest(folder, *manifest);
    if (!changed) return note(changed.error(), differences);
    differences.insert(differences.end(), changed->begin(), changed->end());
    return {};
}

/// What the summary depends on besides the records.
struct Terms {
    job::Policy policy;
    reduce::ReduceOptions known;
};

Result<Terms> stored_terms(const Path& folder) {
    const auto text = read_text_file((folder / kMetadataName).string());
    if (!text) return text.error();
    const auto document = json::Document::parse(*text);
    if (!document) return in_file(kMetadataName, document.error());
    const json::Value root = document->root();
    Terms terms;
    if (const auto policy = root.find("policy")) {
        auto read = job::read_policy(*policy);
        if (!read) return in_file(kMetadataName, read.error());
        terms.policy = *read;
    }
    const auto samples = root.optional<std::uint64_t>("sample_count");
    const auto repeats = root.optional<std::uint64_t>("repeats");
    if (samples && repeats && *samples && *repeats) {
        terms.known.expected_trials = **samples * **repeats;
        terms.known.repeats = std::max<std::uint64_t>(1, **repeats);
    }
    const auto saved_calls = root.optional<std::uint64_t>("saved_calls");
    if (saved_calls) terms.known.saved_calls = *saved_calls;
    const auto run_id = root.optional<std::string>("run_id");
    if (run_id) terms.known.run_id = *run_id;
    const auto dataset_hash = root.optional<std::string>("dataset_hash");
    if (dataset_hash && *dataset_hash && !(*dataset_hash)->empty())
        terms.known.dataset_hash = *dataset_hash;
    return terms;
}

Result<std::string> recompute_summary(const Path& folder) {
    const auto terms = stored_terms(folder);
    if (!terms) return terms.error();
    const auto summary =
        reduce::reduce_files(std::array{folder / kRecordsName}, terms->policy, terms->known);
    if (!summary) return summary.error();
    return job::to_json(*summary);
}

bool is_of_another_version(json::Value summary) {
    const auto version = summary.optional<std::string>("evaluation_schema_version");
    return version && *version && **version != job::kEvaluationSchemaVersion;
}

/// What means the same in all versions of a summary.
Differences common_differences(json::Value before, json::Value after) {
    constexpr std::array kMembers{"bootstrap",     "rubric",        "spec",
                                  "repeatability", "release_ready", "slices"};
    Differences differences;
    for (const char* const name : kMembers) {
        const auto stored = before.find(name);
        const auto recomputed = after.find(name);
        if (!stored || !recomputed) {
            differences.push_back(fmt::format("{}: {}: is missing", kSummaryName, name));
            continue;
        }
        for (const std::string& one : json_differences(*stored, *recomputed))
            differences.push_back(fmt::format("{}: {}.{}", kSummaryName, name, one));
    }
    return differences;
}

Differences summary_differences(const std::string& stored, const std::string& recomputed) {
    const auto before = json::Document::parse(stored);
    if (!before) return {in_file(kSummaryName, before.error()).message};
    const auto after = json::Document::parse(recomputed);
    if (is_of_another_version(before->root()))
        return common_differences(before->root(), after.value().root());
    Differences differences;
    for (const std::string& one : json_differences(before->root(), after.value().root())) {
        differences.push_back(fmt::format("{}: {}", kSummaryName, one));
    }
    if (differences.empty()) {
        differences.push_back(fmt::format("{}: the same values, but other bytes", kSummaryName));
    }
    return differences;
}

Status check_summary(const Path& folder, Differences& differences) {
    const auto stored = read_text_file((folder / kSummaryName).string());
    if (!stored) return note(stored.error(), differences);
    const auto recomputed = recompute_summary(folder);
    if (!recomputed) return note(recomputed.error(), differences);
    if (*stored == *recomputed) return {};
    const Differences found = summary_differences(*stored, *recomputed);
    differences.insert(differences.end(), found.begin(), found.end());
    return {};
}

std::string report(const std::string& folder, const Differences& differences) {
    if (differences.empty()) {
        return fmt::format("{}: hashes and summary are as recorded\n", folder);
    }
    std::string text;
    for (const std::string& one : differences)
        text += one + '\n';
    return text + fmt::format("{}: {} difference{}\n", folder, differences.size(),
                              differences.size() == 1 ? "" : "s");
}

Result<Differences> check_run(const Path& folder) {
    Differences differences;
    if (Status hashes = check_hashes(folder, differences); !hashes) return hashes.error();
    if (Status summary = check_summary(folder, differences); !summary) return summary.error();
    return differences;
}

/// What the group's file says, against its runs.
Result<Differences> check_group_file(const Path& folder, const std::vector<Path>& runs) {
    Differences differences;
    const auto stored = read_text_file((folder / kGroupFile).string());
    if (!stored) return stored.error();
    const auto summary = blocking_reduce_runs(runs);
    if (!summary) {
        if (Status noted = note(summary.error(), differences); !noted) return noted.error();
        return differences;
    }
    const std::string recomputed = reduce::to_json(*summary);
    if (*stored == recomputed) return differences;
    const auto before = json::Document::parse(*stored);
    if (!before) return Differences{in_file(kGroupFile, before.error()).message};
    const auto after = json::Document::parse(recomputed);
    for (const std::string& one : json_differences(before->root(), after.value().root()))
        differences.push_back(fmt::format("{}: {}", kGroupFile, one));
    if (differences.empty())
        differences.push_back(fmt::format("{}: the same values, but other bytes", kGroupFile));
    return differences;
}

/// Prints what was found in a folder; true if nothing was.
Result<bool> tell(Output& out, const Path& folder, const Result<Differences>& differences) {
    if (!differences) return differences.error();
    if (Status written = out.write(report(folder.string(), *differences)); !written)
        return written.error();
    return differences->empty();
}

/// Each run of the group, then the group's own file.
Result<bool> verify_group(Output& out, const Path& folder) {
    const auto runs = blocking_find_runs(folder);
    if (!runs) return runs.error();
    bool good = true;
    for (const Path& run : *runs) {
        const auto same = tell(out, run, check_run(run));
        if (!same) return same.error();
        good = good && *same;
    }
    const auto same = tell(out, folder / kGroupFile, check_group_file(folder, *runs));
    if (!same) return same.error();
    return good && *same;
}

}  // namespace

Result<ExitCode> run_verify(const VerifyOptions& options) {
    std::error_code failure;
    if (!std::filesystem::is_directory(options.folder, failure)) {
        return Error{ErrorKind::not_found, fmt::format("{}: is not a folder", options.folder)};
    }
    auto out = Output::open(std::nullopt);
    if (!out) return out.error();
    const auto good = is_group_folder(options.folder)
                          ? verify_group(*out, options.folder)
                          : tell(*out, options.folder, check_run(options.folder));
    if (!good) return good.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    return *good ? ExitCode::done : ExitCode::failed;
}

}  // namespace evalfleet::cli
