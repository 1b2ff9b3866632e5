#include "common/metrics/registry.hpp"

#include "common/metrics/names.hpp"
#include "common/metrics/process.hpp"
#include "common/version/version.hpp"

#include <fmt/format.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace evalfleet::metrics {
namespace {

void check_labels(std::string_view name, const Labels& labels) {
    for (const auto& [label, value] : labels) {
        if (const auto fault = fault_of_label(label)) {
            throw std::logic_error(fmt::format("label {} of metric {} {}", label, name, *fault));
        }
    }
}

void check_name(std::string_view name, Type type) {
    if (const auto fault = fault_of_name(name, type)) {
        throw std::logic_error(fmt::format("metric {} {}", name, *fault));
    }
}

struct Table {
    std::string name;
    std::string help;
    std::function<std::vector<Row>()> rows;
};

prometheus::MetricFamily to_family(const Table& table) {
    prometheus::MetricFamily family{table.name, table.help, prometheus::MetricType::Gauge, {}};
    for (const Row& row : table.rows()) {
        if (family.metric.size() == Registry::kMaxSeries) break;
        check_labels(table.name, row.labels);
        prometheus::ClientMetric metric;
        for (const auto& [label, value] : row.labels)
            metric.label.push_back({label, bound_label_value(value)});
        metric.gauge.value = row.value;
        family.metric.push_back(std::move(metric));
    }
    return family;
}

}  // namespace

struct Registry::State {
    explicit State(std::string_view program_in) : program(program_in) {
        const BuildInfo build = build_info();
        prometheus::BuildGauge()
            .Name("evalfleet_build_info")
            .Help("What was built; always 1")
            .Register(series)
            .Add({{"program", program},
                  {"version", std::string(build.version)},
                  {"git_sha", std::string(build.git_sha)},
                  {"build_type", std::string(build.build_type)}})
            .Set(1);
    }

    prometheus::Gauge& process_gauge(const char* name, const char* help) {
        return prometheus::BuildGauge().Name(name).Help(help).Register(series).Add({});
    }

    /// The labels to use: those given, or "other" everywhere once the family is full.
    Labels admit(std::string_view name, Labels labels) {
        check_labels(name, labels);
        for (auto& [label, value] : labels)
            value = bound_label_value(value);
        const std::lock_guard lock(mutex);
        auto& known = families[std::string(name)];
        if (known.contains(labels)) return labels;
        if (known.size() >= kMaxSeries) {
            for (auto& [label, value] : labels)
                value = "other";
            return labels;
        }
        known.insert(labels);
        return labels;
    }

    const std::string program;
    prometheus::Registry series{prometheus::Registry::InsertBehavior::Merge};
    std::mutex mutex;  ///< guards the members below
    std::map<std::string, std::set<Labels>, std::less<>> families;
    std::vector<std::function<void()>> collectors;
    std::vector<Table> tables;
};

Registry::Registry(std::string_view program) : state_(std::make_unique<State>(program)) {
    State& state = *state_;
    Counter cpu(prometheus::BuildCounter()
                    .Name("process_cpu_seconds_total")
                    .Help("User and system time used")
                    .Register(state.series)
                    .Add({}));
    Gauge resident(state.process_gauge("process_resident_memory_bytes", "Memory in RAM"));
    Gauge threads(state.process_gauge("process_threads", "Threads"));
    Gauge open_fds(state.process_gauge("process_open_fds", "Open file descriptors"));
    Gauge max_fds(state.process_gauge("process_max_fds", "Most file descriptors allowed"));
    Gauge start(state.process_gauge("process_start_time_seconds", "Start, in seconds since 1970"));
    on_collect([=]() mutable {
        const auto figures = read_process_figures();
        if (!figures) return;
        cpu.raise_to(figures->cpu_seconds);
        resident.set(figures->resident_bytes);
        threads.set(figures->threads);
        open_fds.set(figures->open_fds);
        max_fds.set(figures->max_fds);
        start.set(figures->start_time_seconds);
    });
}

Registry::~Registry() = default;

Counter Registry::counter(std::string_view name, std::string_view help, const Labels& labels) {
    check_name(name, Type::counter);
    return Counter(prometheus::BuildCounter()
                       .Name(std::string(name))
                       .Help(std::string(help))
                       .Register(state_->series)
                       .Add(state_->admit(name, labels)));
}

Gauge Registry::gauge(std::string_view name, std::string_view help, const Labels& labels) {
    check_name(name, Type::gauge);
    return Gauge(prometheus::BuildGauge()
                     .Name(std::string(name))
                     .Help(std::string(help))
                     .Register(state_->series)
                     .Add(state_->admit(name, labels)));
}

Histogram Registry::histogram(std::string_view name, std::string_view help,
                              const std::vector<double>& buckets, const Labels& labels) {
    check_name(name, Type::histogram);
    return Histogram(prometheus::BuildHistogram()
                         .Name(std::string(name))
                         .Help(std::string(help))
                         .Register(state_->series)
                         .Add(state_->admit(name, labels), buckets));
}

std::vector<Counter> Registry::counters(std::string_view name, std::string_view help,
                                        std::string_view label,
                                        std::span<const std::string_view> values) {
    std::vector<Counter> all;
    for (const std::string_view value : values) {
        all.push_back(counter(name, help, {{std::string(label), std::string(value)}}));
    }
    return all;
}

void Registry::on_collect(std::function<void()> collect) {
    const std::lock_guard lock(state_->mutex);
    state_->collectors.push_back(std::move(collect));
}

void Registry::table(std::string_view name, std::string_view help,
                     std::function<std::vector<Row>()> rows) {
    check_name(name, Type::gauge);
    const std::lock_guard lock(state_->mutex);
    state_->tables.push_back({std::string(name), std::string(help), std::move(rows)});
}

const std::string& Registry::program() const noexcept {
    return state_->program;
}

std::string Registry::text() const {
    std::vector<std::function<void()>> collectors;
    std::vector<Table> tables;
    {
        const std::lock_guard lock(state_->mutex);
        collectors = state_->collectors;
        tables = state_->tables;
    }
    for (const auto& collect : collectors)
        collect();
    std::vector<prometheus::MetricFamily> families = state_->series.Collect();
    for (const Table& table : tables)
        families.push_back(to_family(table));
    std::ostringstream page;
    prometheus::TextSerializer().Serialize(page, families);
    return page.str();
}

std::vector<double> latency_buckets() {
    return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
            1,     2.5,    5,     10,   20,    30,   60,  120,  300};
}

std::vector<double> call_buckets() {
    return {0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 12, 20, 30, 60, 120, 300, 600};
}

}  // namespace evalfleet::metrics
