#include "common/statistics/bootstrap.hpp"

#include "common/statistics/bootstrap_mean.hpp"
#include "common/statistics/bootstrap_percentile.hpp"
#include "common/statistics/deciding_replicates.hpp"
#include "common/statistics/parallel_for.hpp"
#include "common/statistics/percentile.hpp"
#include "common/statistics/resampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <type_traits>
#include <variant>

namespace evalfleet::statistics {
namespace {

// Replicates that are multiplied together; each costs a byte for every cluster and thread.
constexpr std::size_t kBatch = 4;

// How far two percentiles of a replicate are apart.
struct BootstrapPercentileDifference {
    BootstrapPercentile first;
    BootstrapPercentile second;

    void attach(WeightedSums& sums) {
        first.attach(sums);
        second.attach(sums);
    }

    template <class Count>
    [[nodiscard]] double evaluate(std::span<const Count> multiplicity,
                                  std::span<const std::uint64_t> sums) const {
        return first.evaluate(multiplicity, sums) - second.evaluate(multiplicity, sums);
    }
};

using Metric = std::variant<BootstrapMean, BootstrapPercentile, BootstrapPercentileDifference>;
using Values = std::vector<double>;  // of a metric, by replicate; NaN: no value

std::optional<Interval> limits(Values values) {
    std::erase_if(values, [](double value) { return std::isnan(value); });
    std::ranges::sort(values);
    if (values.empty()) return std::nullopt;
    return Interval{*percentile_of_sorted(values, kLowerLimit),
                    *percentile_of_sorted(values, kUpperLimit)};
}

}  // namespace

struct ClusterBootstrap::State {
    std::span<const std::uint32_t> cluster_begin;
    std::vector<std::function<Metric()>> definitions;

    [[nodiscard]] std::size_t clusters() const noexcept { return cluster_begin.size() - 1; }
    [[nodiscard]] std::vector<Metric> prepare(WeightedSums& sums, unsigned threads) const;
};

// Metrics side by side, but not all at once: until its columns are packed one takes 16 bytes for
// each cluster.
std::vector<Metric> ClusterBootstrap::State::prepare(WeightedSums& sums, unsigned threads) const {
    constexpr unsigned kTogether = 2;
    std::vector<std::optional<Metric>> prepared(definitions.size());
    std::mutex mutex;  // guards `sums`
    parallel_for(std::min(threads, kTogether), definitions.size(), [&](unsigned, std::size_t i) {
        prepared[i] = definitions[i]();
        const std::scoped_lock lock(mutex);
        std::visit([&](auto& metric) { metric.attach(sums); }, *prepared[i]);
    });
    std::vector<Metric> metrics;
    for (auto& metric : prepared) {
        metrics.push_back(std::move(*metric));
    }
    return metrics;
}

namespace {

// One pass over all replicates: approximations of the means, exact percentiles.
class Sweep {
  public:
    Sweep(std::size_t clusters, const WeightedSums& sums, const std::vector<Metric>& metrics,
          const BootstrapPlan& plan)
        : clusters_(clusters), sums_(sums), metrics_(metrics), plan_(plan) {}

    /// results[metric][replicate]
    [[nodiscard]] std::vector<std::vector<Approximation>> run() {
        results_.assign(metrics_.size(), std::vector<Approximation>(plan_.replicates));
        const std::size_t batches = (plan_.replicates + kBatch - 1) / kBatch;
        const auto threads = static_cast<unsigned>(std::min<std::size_t>(plan_.threads, batches));
        scratch_.resize(threads);
        parallel_for(threads, batches,
                     [this](unsigned worker, std::size_t batch) { sweep(worker, batch); });
        return std::move(results_);
    }

  private:
    struct Scratch {
        std::vector<std::uint8_t> counts;
        std::vector<std::uint64_t> sums;
    };

    void sweep(unsigned worker, std::size_t batch) {
        Scratch& scratch = scratch_[worker];
        scratch.counts.resize(kBatch * clusters_);
        scratch.sums.resize(kBatch * sums_.columns());
        const std::size_t first = batch * kBatch;
        const std::size_t size = std::min<std::size_t>(kBatch, plan_.replicates - first);
        std::array<std::span<const std::uint8_t>, kBatch> multiplicities;
        for (std::size_t r = 0; r < size; ++r) {
            const auto counts = std::span(scratch.counts).subspan(r * clusters_, clusters_);
            count_draws_modulo_256(replicate_key(plan_.seed, first + r), counts);
            multiplicities[r] = counts;
        }
        sums_.multiply(std::span(multiplicities).first(size), scratch.sums);
        for (std::size_t r = 0; r < size; ++r) {
            const auto sums = std::span(scratch.sums).subspan(r * sums_.columns(), sums_.columns());
            if (sums[WeightedSums::kOnes] == clusters_) {
                store<std::uint8_t>(first + r, multiplicities[r], sums);
            } else {
                store_wrapped(first + r, sums);
            }
        }
    }

    // A cluster was drawn 256 times or more.
    void store_wrapped(std::size_t replicate, std::span<std::uint64_t> sums) {
        std::vector<std::uint32_t> counts(clusters_);
        count_draws(replicate_key(plan_.seed, replicate), counts);
        sums_.multiply(counts, sums);
        store<std::uint32_t>(replicate, counts, sums);
    }

    template <class Count>
    void store(std::size_t replicate, std::span<const Count> multiplicity,
               std::span<const std::uint64_t> sums) {
        for (std::size_t i = 0; i < metrics_.size(); ++i) {
            results_[i][replicate] = std::visit(
                [&](const auto& metric) -> Approximation {
                    if constexpr (std::is_same_v<decltype(metric), const BootstrapMean&>) {
                        return metric.approximate(sums);
                    } else {
                        return {metric.evaluate(multiplicity, sums), 0};
                    }
                },
                metrics_[i]);
        }
    }

    std::size_t clusters_;
    const WeightedSums& sums_;
    const std::vector<Metric>& metrics_;
    BootstrapPlan plan_;
    std::vector<Scratch> scratch_;
    std::vector<std::vector<Approximation>> results_;
};

// Replaces the approximations that decide a limit by exact values. `results` is by metric.
void sharpen(std::size_t clusters, const std::vector<Metric>& metrics, const BootstrapPlan& plan,
             std::vector<std::vector<Approximation>>& results) {
    std::map<std::size_t, std::vector<std::size_t>> wanted;  // metrics by replicate
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const auto* mean = std::get_if<BootstrapMean>(&metrics[i]);
        if (mean == nullptr || mean->is_exact()) continue;
        for (const std::size_t replicate : deciding_replicates(results[i])) {
            wanted[replicate].push_back(i);
            if (mean->is_constant()) break;
        }
    }
    const std::vector<std::pair<std::size_t, std::vector<std::size_t>>> work(wanted.begin(),
                                                                             wanted.end());
    parallel_for(plan.threads, work.size(), [&](unsigned, std::size_t index) {
        const auto& [replicate, of_metrics] = work[index];
        std::vector<std::uint32_t> counts(clusters);
        count_draws(replicate_key(plan.seed, replicate), counts);
        for (const std::size_t i : of_metrics) {
            results[i][replicate] = {std::get<BootstrapMean>(metrics[i]).evaluate(counts), 0};
        }
    });
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        const auto* mean = std::get_if<BootstrapMean>(&metrics[i]);
        if (mean == nullptr || mean->is_exact() || !mean->is_constant()) continue;
        const auto known = std::ranges::find(results[i], 0.0, &Approximation::radius);
        if (known != results[i].end()) std::ranges::fill(results[i], *known);
    }
}

}  // namespace

ClusterBootstrap::ClusterBootstrap(std::span<const std::uint32_t> cluster_begin)
    : state_(std::make_unique<State>()) {
    state_->cluster_begin = cluster_begin;
}

ClusterBootstrap::~ClusterBootstrap() = default;

std::size_t ClusterBootstrap::add_mean(ValueOf value) {
    state_->definitions.emplace_back(
        [value, begin = state_->cluster_begin]() -> Metric { return BootstrapMean(value, begin); });
    return state_->definitions.size() - 1;
}

std::size_t ClusterBootstrap::add_percentile(ValueOf value, double p) {
    state_->definitions.emplace_back([value, p, begin = state_->cluster_begin]() -> Metric {
        return BootstrapPercentile(value, p, begin);
    });
    return state_->definitions.size() - 1;
}

std::size_t ClusterBootstrap::add_percentile_difference(ValueOf first, ValueOf second, double p) {
    state_->definitions.emplace_back([first, second, p, begin = state_->cluster_begin]() -> Metric {
        return BootstrapPercentileDifference{BootstrapPercentile(first, p, begin),
                                             BootstrapPercentile(second, p, begin)};
    });
    return state_->definitions.size() - 1;
}

std::vector<std::optional<Interval>> ClusterBootstrap::run(const BootstrapPlan& plan) const {
    const std::size_t clusters = state_->clusters();
    std::vector<std::optional<Interval>> intervals(state_->definitions.size());
    if (clusters == 0 || plan.replicates == 0) return intervals;
    WeightedSums sums(clusters);
    const std::vector<Metric> metrics = state_->prepare(sums, plan.threads);
    auto results = Sweep(clusters, sums, metrics, plan).run();
    sharpen(clusters, metrics, plan, results);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
        Values values;
        values.reserve(results[i].size());
        for (const Approximation& result : results[i]) {
            values.push_back(result.value);
        }
        intervals[i] = limits(std::move(values));
    }
    return intervals;
}

}  // namespace evalfleet::statistics
