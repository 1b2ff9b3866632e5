#include "tests/calibration/gated_runs.hpp"

#include "coordinator/reduce/block_reducer.hpp"
#include "coordinator/reduce/gate_decisions.hpp"
#include "coordinator/reduce/measured.hpp"
#include "coordinator/reduce/verdict.hpp"

#include <cmath>
#include <numeric>

namespace evalfleet::calibration {

namespace {

using reduce::Response;
using reduce::TrialRow;

constexpr double kLimitMs = 10'000;
constexpr double kFailedMs = 15'000;
constexpr double kOtherNorms = 0.9;  ///< of latency and tokens, in every answer

// Uniform numbers, one for each thing that can happen to a trial. Those of a sample's repeats are
// as much alike as the world says; their distribution is the same however much that is.
class Luck {
  public:
    explicit Luck(Random& random) {
        for (double& one : normal_)
            one = random.normal();
    }
    [[nodiscard]] Luck shared(const Luck& sample, double alike) const {
        Luck mixed = *this;
        for (std::size_t i = 0; i < normal_.size(); ++i)
            mixed.normal_[i] =
                std::sqrt(alike) * sample.normal_[i] + std::sqrt(1 - alike) * normal_[i];
        return mixed;
    }
    [[nodiscard]] bool happens(std::size_t what, double probability) const {
        return std::erfc(-normal_[what] / std::sqrt(2)) / 2 < probability;
    }
    [[nodiscard]] double noise(std::size_t what) const { return normal_[what]; }

  private:
    std::array<double, 6> normal_{};
};

enum What : std::size_t { accurate, faithful, slow, failed, lost, unscored };

// How far a world has fallen when `sample` goes out.
double fallen(const GatedWorld& world, std::size_t sample) {
    const double done = static_cast<double>(sample) / static_cast<double>(world.samples);
    if (done <= world.fall_from) return 0;
    if (done >= world.fall_to) return world.fall;
    return world.fall * (done - world.fall_from) / (world.fall_to - world.fall_from);
}

void fail(TrialRow& row, bool is_lost) {
    row.response = static_cast<std::uint32_t>(Response::failed) & 3U;
    row.lost = is_lost ? 1 : 0;
    row.accuracy = 0;
    row.sample_score = 0;
    row.latency_e2e_ms = kFailedMs;
}

TrialRow trial(const GatedWorld& world, const Luck& luck, double fall) {
    TrialRow row;
    row.failure_label = static_cast<std::uint32_t>(job::FailureLabel::other) & 15U;
    row.total_tokens = 1000;
    row.output_tokens = 500;
    const bool is_lost = luck.happens(lost, world.lost);
    if (is_lost || luck.happens(failed, world.failed)) {
        fail(row, is_lost);
        return row;
    }
    const bool is_slow = luck.happens(slow, world.slow + fall);
    row.latency_e2e_ms = kLimitMs * std::exp((is_slow ? 0.3 : -0.3) * std::abs(luck.noise(lost)));
    if (luck.happens(unscored, world.unscored)) return row;
    const bool is_right = luck.happens(accurate, world.accurate - fall);
    const bool is_faithful = luck.happens(faithful, world.faithful);
    row.accuracy = is_right ? 2 : 0;
    row.faithfulness = is_faithful ? 2 : 0;
    row.rubric_passed = is_right && is_faithful ? 1 : 0;
    row.spec_passed = row.rubric_passed;
    const job::Policy::Weights& weights = world.weights;
    row.sample_score = (is_right ? weights.accuracy : 0) +
                       (is_faithful ? weights.faithfulness : 0) +
                       kOtherNorms * (weights.latency + weights.token_efficiency);
    return row;
}

}  // namespace

job::Policy::Gates GatedWorld::gates(double easier) const {
    const double answered = 1 - failed - lost;
    const double score = weights.accuracy * accurate + weights.faithfulness * faithful +
                         kOtherNorms * (weights.latency + weights.token_efficiency);
    job::Policy::Gates gates;
    gates.min_aggregate_score = answered * score - easier;
    gates.min_pass_rate = answered * (1 - unscored) * accurate * faithful - easier;
    gates.max_faithfulness_failure_rate = 1 - faithful + easier;
    gates.max_latency_e2e_p95_ms = kLimitMs;
    return gates;
}

std::vector<TrialRow> simulate(const GatedWorld& world, Random& random) {
    std::vector<TrialRow> rows;
    rows.reserve(world.samples * world.repeats);
    for (std::size_t sample = 0; sample < world.samples; ++sample) {
        const Luck of_sample(random);
        for (std::uint32_t repeat = 1; repeat <= world.repeats; ++repeat) {
            const Luck luck = Luck(random).shared(of_sample, world.alike);
            TrialRow row = trial(world, luck, fallen(world, sample));
            row.sample_index = static_cast<std::uint32_t>(sample);
            row.repeat = repeat;
            rows.push_back(row);
        }
    }
    return rows;
}

job::Summary judge(std::span<const TrialRow> rows, const job::Policy& policy) {
    std::vector<std::uint32_t> indices(rows.size());
    std::iota(indices.begin(), indices.end(), 0U);
    const reduce::Population trials(rows, indices);
    job::Summary summary;
    summary.all = reduce::reduce_blocks(trials, {}, {policy.bootstrap.replicates, 42, 1}).blocks;
    summary.gates = reduce::evaluate_gates(trials, summary.all.rubric, policy.gates);
    summary.release_ready = summary.gates.all_passed();
    summary.extra.gate_decisions = reduce::decide_gates(trials, summary.gates, policy.gates);
    const auto table = reduce::RecordTable::make({rows.begin(), rows.end()}, {});
    reduce::judge_measured(summary, table.value(), policy);
    return summary;
}

}  // namespace evalfleet::calibration
