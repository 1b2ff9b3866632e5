#include "coordinator/reduce/gate_evidence.hpp"

#include "common/statistics/exact_sum.hpp"
#include "common/statistics/student_t.hpp"

#include <cmath>

namespace evalfleet::reduce {
namespace {

using statistics::ExactSum;
using statistics::Interval;
using Extremes = GateEvidence::Extremes;

bool has_score(const TrialRow& row) noexcept {
    return !std::isnan(row.sample_score);
}

// Trials that have no score where an answer should have one.
struct Unscored {
    std::uint64_t passes = 0;
    std::uint64_t faithfulness = 0;
    std::uint64_t scores = 0;

    void add(const TrialRow& row) noexcept {
        scores += has_score(row) ? 0 : 1;
        if (row.how_it_ended() != Response::answered) return;
        const bool unfaithful_unknown = row.faithfulness == TrialRow::kNoScore;
        faithfulness += unfaithful_unknown ? 1 : 0;
        passes += unfaithful_unknown || row.accuracy == TrialRow::kNoScore ? 1 : 0;
    }
};

void add_sample(GateEvidence& evidence, const Population& trials, std::size_t begin,
                std::size_t end, double slow_above_ms) {
    std::uint64_t passes = 0;
    std::uint64_t unfaithful = 0;
    std::uint64_t faithfulness = 0;
    std::uint64_t slow = 0;
    std::uint64_t latencies = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const TrialRow& row = trials[i];
        passes += row.rubric_passed;
        faithfulness += row.faithfulness != TrialRow::kNoScore ? 1 : 0;
        unfaithful += row.faithfulness == 0 ? 1 : 0;
        const double latency = row.rubric_latency_ms();
        latencies += std::isnan(latency) ? 0 : 1;
        slow += latency > slow_above_ms ? 1 : 0;
    }
    evidence.passes.add_sample(passes, end - begin);
    evidence.unfaithful.add_sample(unfaithful, faithfulness);
    evidence.slow.add_sample(slow, latencies);
}

// The standard error of a mean whose trials come in samples.
class ScoreSpread {
  public:
    explicit ScoreSpread(double mean) : mean_(mean) {}

    void add_sample(const Population& trials, std::size_t begin, std::size_t end) {
        std::uint64_t count = 0;
        double sum = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (!has_score(trials[i])) continue;
            ++count;
            sum += trials[i].sample_score;
        }
        if (count == 0) return;
        if (count > 2) sum = exact_sum(trials, begin, end);  // up to two are rounded once anyway
        ++samples_;
        trials_ += count;
        const double deviation = sum - static_cast<double>(count) * mean_;
        squares_.add(deviation * deviation);
    }

    [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }

    [[nodiscard]] std::optional<Interval> t_ci95() const {
        if (samples_ < kFewestSamples) return std::nullopt;
        const auto m = static_cast<double>(samples_);
        const auto n = static_cast<double>(trials_);
        const double error = std::sqrt(m / (m - 1) * squares_.value() / (n * n));
        const double half = statistics::student_t95(m - 1) * error;
        return Interval{mean_ - half, mean_ + half};
    }

  private:
    static double exact_sum(const Population& trials, std::size_t begin, std::size_t end) {
        ExactSum sum;
        for (std::size_t i = begin; i < end; ++i) {
            if (has_score(trials[i])) sum.add(trials[i].sample_score);
        }
        return sum.value();
    }

    double mean_;
    std::uint64_t samples_ = 0;
    std::uint64_t trials_ = 0;
    ExactSum squares_;
};

Extremes score_with_unscored(const Population& trials, std::uint64_t unscored) {
    ExactSum sum;
    for (std::size_t i = 0; i < trials.size(); ++i) {
        if (has_score(trials[i])) sum.add(trials[i].sample_score);
    }
    const auto n = static_cast<double>(trials.size());
    const double worst = sum.value() / n;
    sum.add(1.0, static_cast<std::uint32_t>(unscored));  // rows are counted in 32 bits
    return {worst, sum.value() / n};
}

void weigh_unscored(GateEvidence& evidence, const Population& trials, const Unscored& unscored) {
    const auto share = [](std::uint64_t count, std::uint64_t of) {
        return static_cast<double>(count) / static_cast<double>(of);
    };
    if (unscored.scores > 0)
        evidence.score_with_unscored = score_with_unscored(trials, unscored.scores);
    if (unscored.passes > 0) {
        const std::uint64_t passes = evidence.passes.hits();
        const std::uint64_t of = evidence.passes.trials();
        evidence.pass_rate_with_unscored =
            Extremes{share(passes, of), share(passes + unscored.passes, of)};
    }
    if (unscored.faithfulness > 0) {
        const std::uint64_t failures = evidence.unfaithful.hits();
        const std::uint64_t of = evidence.unfaithful.trials() + unscored.faithfulness;
        evidence.unfaithful_with_unscored =
            Extremes{share(failures + unscored.faithfulness, of), share(failures, of)};
    }
}

}  // namespace

GateEvidence gather_evidence(const Population& trials, std::optional<double> mean_score,
                             double slow_above_ms) {
    GateEvidence evidence;
    Unscored unscored;
    ScoreSpread spread(mean_score.value_or(0));
    const auto begins = trials.sample_begin();
    for (std::size_t sample = 0; sample < trials.samples(); ++sample) {
        add_sample(evidence, trials, begins[sample], begins[sample + 1], slow_above_ms);
        spread.add_sample(trials, begins[sample], begins[sample + 1]);
        for (std::size_t i = begins[sample]; i < begins[sample + 1]; ++i)
            unscored.add(trials[i]);
    }
    evidence.scored_samples = spread.samples();
    evidence.score_t_ci95 = spread.t_ci95();
    weigh_unscored(evidence, trials, unscored);
    return evidence;
}

}  // namespace evalfleet::reduce
