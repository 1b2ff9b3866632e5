#include "coordinator/reduce/repeatability.hpp"

#include "common/statistics/moments.hpp"
#include "common/statistics/percentile.hpp"

#include <map>
#include <vector>

namespace evalfleet::reduce {
namespace {

constexpr std::size_t kRepeatsToEstablish = 3;

struct RepeatValues {
    std::vector<double> scores;
    std::vector<double> latencies;
};

std::map<std::uint32_t, RepeatValues> group_by_repeat(std::span<const TrialRow> rows) {
    std::map<std::uint32_t, RepeatValues> groups;
    for (const TrialRow& row : rows) {
        RepeatValues& group = groups[row.repeat];
        if (!std::isnan(row.sample_score)) group.scores.push_back(row.sample_score);
        if (!std::isnan(row.rubric_latency_ms()))
            group.latencies.push_back(row.rubric_latency_ms());
    }
    return groups;
}

}  // namespace

job::Repeatability compare_repeats(std::span<const TrialRow> rows) {
    job::Repeatability result;
    std::vector<double> scores;
    std::vector<double> latencies;
    for (auto& [repeat, values] : group_by_repeat(rows)) {
        result.per_repeat.push_back({repeat, statistics::mean(values.scores),
                                     statistics::percentile_in_place(values.latencies, 0.95)});
        const auto& reduced = result.per_repeat.back();
        if (reduced.aggregate_score) scores.push_back(*reduced.aggregate_score);
        if (reduced.latency_e2e_p95_ms) latencies.push_back(*reduced.latency_e2e_p95_ms);
    }
    result.established = result.per_repeat.size() >= kRepeatsToEstablish;
    result.aggregate_score_mean = statistics::mean(scores);
    result.aggregate_score_stddev = statistics::sample_stddev(scores);
    result.latency_e2e_p95_ms_mean = statistics::mean(latencies);
    result.latency_e2e_p95_ms_stddev = statistics::sample_stddev(latencies);
    return result;
}

}  // namespace evalfleet::reduce
