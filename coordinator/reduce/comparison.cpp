#include "coordinator/reduce/comparison.hpp"

#include "common/statistics/parallel_for.hpp"
#include "coordinator/reduce/comparability.hpp"
#include "coordinator/reduce/record_table.hpp"
#include "coordinator/reduce/run_files.hpp"
#include "coordinator/reduce/sample_ids.hpp"
#include "coordinator/reduce/trial_pairs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace evalfleet::reduce {
namespace {

std::vector<FlippedTrial> find_flipped(const TrialPairs& pairs) {
    std::vector<FlippedTrial> flipped;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const TrialRow& before = pairs.base(i);
        const TrialRow& after = pairs.candidate(i);
        if (before.rubric_passed != after.rubric_passed) {
            flipped.push_back(
                {before.sample_index, before.repeat, "rubric", after.rubric_passed != 0});
        }
        if (before.spec_passed != after.spec_passed) {
            flipped.push_back({before.sample_index, before.repeat, "spec", after.spec_passed != 0});
        }
    }
    return flipped;
}

Result<RecordTable> read_records(const std::filesystem::path& folder, unsigned threads) {
    return load_records(std::array{folder / kRecordsFile}, {.threads = threads});
}

Status blocking_name_samples(std::vector<FlippedTrial>& trials,
                             const std::filesystem::path& folder) {
    std::unordered_set<std::uint32_t> wanted;
    for (const FlippedTrial& trial : trials)
        wanted.insert(trial.sample_index);
    auto ids = blocking_find_sample_ids(folder / kRecordsFile, std::move(wanted));
    if (!ids) return ids.error();
    for (FlippedTrial& trial : trials)
        trial.sample_id = (*ids)[trial.sample_index];
    return {};
}

ComparisonPlan plan_of(const CompareOptions& options, const job::Policy::Bootstrap& bootstrap) {
    return {.replicates = options.replicates.value_or(bootstrap.replicates),
            .seed = options.seed.value_or(bootstrap.seed),
            .threads = statistics::resolve_threads(options.threads),
            .margins = options.margins,
            .detect = options.detect};
}

}  // namespace

RunComparison compare_rows(std::span<const TrialRow> base, std::span<const TrialRow> candidate,
                           const ComparisonPlan& plan) {
    const TrialPairs pairs(base, candidate);
    RunComparison result;
    result.base_trials = base.size();
    result.candidate_trials = candidate.size();
    result.shared_trials = pairs.size();
    result.shared_samples = pairs.samples();
    ComparisonRule rule(plan, 1);
    rule.add(pairs);
    result.metrics = std::move(rule).decide().front();
    result.flipped = find_flipped(pairs);
    return result;
}

Result<RunComparison> compare_runs(const std::filesystem::path& base,
                                   const std::filesystem::path& candidate,
                                   const CompareOptions& options) {
    const auto base_metadata = blocking_read_metadata(base);
    if (!base_metadata) return base_metadata.error();
    const auto candidate_metadata = blocking_read_metadata(candidate);
    if (!candidate_metadata) return candidate_metadata.error();
    auto incomparable = reasons_not_to_compare(*base_metadata, *candidate_metadata);
    if (!incomparable.empty() && !options.force) {
        return Error{ErrorKind::invalid,
                     fmt::format("the runs are not comparable: {}", fmt::join(incomparable, "; "))};
    }
    const auto before = read_records(base, options.threads);
    if (!before) return before.error();
    const auto after = read_records(candidate, options.threads);
    if (!after) return after.error();
    RunComparison compared = compare_rows(before->rows(), after->rows(),
                                          plan_of(options, base_metadata->policy.bootstrap));
    compared.incomparable = std::move(incomparable);
    if (const Status named = blocking_name_samples(compared.flipped, candidate); !named)
        return named.error();
    return compared;
}

}  // namespace evalfleet::reduce
