#include "coordinator/reduce/group_ranking.hpp"

#include "coordinator/reduce/trial_pairs.hpp"

#include <algorithm>
#include <limits>

namespace evalfleet::reduce {
namespace {

double score_of(const GroupRun& run) {
    return run.blocks.rubric.aggregate_score.value.value_or(
        -std::numeric_limits<double>::infinity());
}

void sort_and_number(std::vector<RankedRun>& ranking, std::span<const GroupRun> runs) {
    const auto score = [&](const RankedRun& ranked) { return score_of(runs[ranked.run]); };
    std::ranges::stable_sort(ranking, std::ranges::greater(), score);
    for (std::size_t i = 0; i < ranking.size(); ++i) {
        const bool shared = i > 0 && score(ranking[i]) == score(ranking[i - 1]);
        ranking[i].rank = shared ? ranking[i - 1].rank : i + 1;
    }
}

}  // namespace

std::vector<RankedRun> rank_runs(std::span<const GroupRun> runs,
                                 std::span<const RecordTable> tables, const ComparisonPlan& plan) {
    ComparisonRule rule(plan, runs.size() - 1);
    for (std::size_t i = 1; i < runs.size(); ++i)
        rule.add(TrialPairs(tables[0].rows(), tables[i].rows()));
    auto rows = std::move(rule).decide();
    std::vector<RankedRun> ranking(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        ranking[i].run = i;
        if (i > 0) ranking[i].differences = std::move(rows[i - 1]);
    }
    sort_and_number(ranking, runs);
    return ranking;
}

}  // namespace evalfleet::reduce
