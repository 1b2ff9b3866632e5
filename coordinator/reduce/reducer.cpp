#include "coordinator/reduce/reducer.hpp"

#include "common/job/p95_limit.hpp"
#include "common/job/policy_json.hpp"
#include "common/statistics/parallel_for.hpp"
#include "coordinator/reduce/always_valid.hpp"
#include "coordinator/reduce/block_reducer.hpp"
#include "coordinator/reduce/gate_decisions.hpp"
#include "coordinator/reduce/measured.hpp"
#include "coordinator/reduce/outcomes.hpp"
#include "coordinator/reduce/record_table.hpp"
#include "coordinator/reduce/repeatability.hpp"
#include "coordinator/reduce/run_power.hpp"
#include "coordinator/reduce/slice_reducer.hpp"
#include "coordinator/reduce/verdict.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace evalfleet::reduce {
namespace {

job::TokenTotals total_tokens(const RecordTable& table) {
    job::TokenTotals total;
    for (const auto& set : table.slices().sets()) {
        static_cast<void>(add(total, set.tokens));  // cannot overflow: `load_records` summed it
    }
    return total;
}

void reduce_whole(job::Summary& summary, const RecordTable& table, const job::Policy::Gates& gates,
                  const statistics::BootstrapPlan& plan) {
    std::vector<std::uint32_t> indices(table.rows().size());
    std::iota(indices.begin(), indices.end(), 0U);
    const Population trials(table.rows(), indices);
    const bool repeated = trials.size() > trials.samples();
    const auto reduced = reduce_blocks(trials, total_tokens(table), plan,
                                       repeated ? ClusterRates::include : ClusterRates::leave_out);
    summary.all = reduced.blocks;
    summary.gates = evaluate_gates(trials, summary.all.rubric, gates);
    summary.release_ready = summary.gates.all_passed();
    job::Extra& extra = summary.extra;
    extra.rubric_pass_rate_cluster_ci95 = reduced.rubric_pass_rate_cluster_ci95;
    extra.spec_pass_rate_cluster_ci95 = reduced.spec_pass_rate_cluster_ci95;
    extra.gate_decisions = decide_gates(trials, summary.gates, gates);
    extra.power = estimate_power(trials);
    extra.p95_without_limit = job::why_no_p95_limit(summary.gates.latency_e2e_p95_ms.samples);
    reduce_slices(summary, table, trials, plan);
}

}  // namespace

ReduceOptions options_of(const job::RunMetadata& metadata) {
    ReduceOptions options;
    options.expected_trials = static_cast<std::uint64_t>(metadata.sample_count * metadata.repeats);
    options.repeats = static_cast<std::uint64_t>(std::max<std::int64_t>(1, metadata.repeats));
    options.saved_calls = metadata.saved_calls;
    options.run_id = metadata.run_id;
    if (!metadata.dataset_hash.empty()) options.dataset_hash = metadata.dataset_hash;
    return options;
}

job::Summary reduce(const RecordTable& table, const job::Policy& policy,
                    const ReduceOptions& options) {
    const statistics::BootstrapPlan plan{policy.bootstrap.replicates, policy.bootstrap.seed,
                                         statistics::resolve_threads(options.threads)};
    job::Summary summary;
    summary.run_id = options.run_id;
    summary.dataset_hash = options.dataset_hash;
    summary.policy_hash = job::hash_of(policy);
    summary.bootstrap_replicates = plan.replicates;
    summary.bootstrap_seed = plan.seed;
    reduce_whole(summary, table, policy.gates, plan);
    table.tally().fill(summary.extra);
    summary.outcomes = count_outcomes(table);
    summary.repeatability = compare_repeats(table.rows());
    const std::uint64_t found = summary.all.rubric.total_count;
    if (options.expected_trials.value_or(0) > found)
        summary.extra.missing_count = *options.expected_trials - found;
    summary.extra.saved_calls = options.saved_calls;
    if (options.saved_calls && options.run_id && options.expected_trials) {
        const StoppedRun run{*options.run_id, *options.expected_trials / options.repeats,
                             options.repeats};
        summary.extra.always_valid = find_always_valid(table.rows(), policy.gates, run);
    }
    judge_measured(summary, table, policy);
    return summary;
}

Result<job::Summary> reduce_files(std::span<const std::filesystem::path> files,
                                  const job::Policy& policy, const ReduceOptions& options) {
    const auto table = load_records(files, {.threads = options.threads});
    if (!table) return table.error();
    return reduce(*table, policy, options);
}

}  // namespace evalfleet::reduce
