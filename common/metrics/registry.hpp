#pragma once

#include "common/metrics/instruments.hpp"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::metrics {

using Labels = std::map<std::string, std::string>;

/// One series of a table, see `Registry::table`.
struct Row {
    Labels labels;
    double value = 0;
};

/// The content type of `Registry::text`.
inline constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

/// Bounds of a histogram's buckets for what takes from a millisecond to minutes.
[[nodiscard]] std::vector<double> latency_buckets();
/// The same for calls of models: from 0.05 to 600 s.
[[nodiscard]] std::vector<double> call_buckets();

/// Owns all series of a process. Components ask it once for what they count:
///
///     struct LeaseMetrics {
///         explicit LeaseMetrics(metrics::Registry& registry)
///             : reaped(registry.counter("evalfleet_coordinator_leases_reaped_total", "...")) {}
///         metrics::Counter reaped;
///     };
///
/// Every series exists, as 0, from the moment it is asked for. Asking again gives the same one. A
/// name or label against the rules (names.hpp) is a bug and throws std::logic_error. Safe to use
/// from any thread.
class Registry {
  public:
    /// A family with this many series gets no more: further label values are counted as "other", so
    /// that a label with too many values cannot eat the memory of process and Prometheus.
    static constexpr std::size_t kMaxSeries = 1000;

    /// Also registers `evalfleet_build_info` and the usual `process_*` figures.
    explicit Registry(std::string_view program);
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    [[nodiscard]] Counter counter(std::string_view name, std::string_view help,
                                  const Labels& labels = {});
    [[nodiscard]] Gauge gauge(std::string_view name, std::string_view help,
                              const Labels& labels = {});
    /// `buckets` ascend; the one for everything above is implied.
    [[nodiscard]] Histogram histogram(std::string_view name, std::string_view help,
                                      const std::vector<double>& buckets,
                                      const Labels& labels = {});

    /// One counter for each value of a label, in the order of `values`: index it by an enum.
    [[nodiscard]] std::vector<Counter> counters(std::string_view name, std::string_view help,
                                                std::string_view label,
                                                std::span<const std::string_view> values);

    /// A family of gauges whose series come and go: `rows` names them anew for each `text`. More
    /// than `kMaxSeries` rows are cut off. It must stay callable as long as the registry.
    void table(std::string_view name, std::string_view help,
               std::function<std::vector<Row>()> rows);

    /// Calls `collect` before each `text`, to bring up to date what is counted elsewhere. It must
    /// stay callable as long as the registry.
    void on_collect(std::function<void()> collect);

    /// As the constructor was told.
    [[nodiscard]] const std::string& program() const noexcept;

    /// The metrics page in Prometheus' text format.
    [[nodiscard]] std::string text() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace evalfleet::metrics
