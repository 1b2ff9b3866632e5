#include "coordinator/views/live_view.hpp"

#include "common/job/summary.hpp"
#include "common/statistics/percentile.hpp"
#include "common/statistics/wilson.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace evalfleet::views {

namespace {

using records::TrialEntry;

constexpr double kStrictly = 3.2905267314919255;  // the 99.95 % point of the normal distribution
constexpr std::uint64_t kFewestSamples = 20;

/// A figure with its interval at 95 % and with the wider one that decides.
struct Figure {
    std::optional<double> value{};
    std::optional<statistics::Interval> ci95{};
    std::optional<statistics::Interval> strict{};
    std::uint64_t samples = 0;
};

// The mean over samples of the means of their trials, by the spread of the samples.
class SampleMean {
  public:
    void add_sample(double sum, std::uint64_t trials) {
        if (trials == 0) return;
        const double mean = sum / static_cast<double>(trials);
        ++samples_;
        const double step = mean - mean_;
        mean_ += step / static_cast<double>(samples_);
        squares_ += step * (mean - mean_);
    }
    [[nodiscard]] Figure figure() const {
        Figure figure{.samples = samples_};
        if (samples_ == 0) return figure;
        figure.value = mean_;
        if (samples_ < 2) return figure;
        const auto n = static_cast<double>(samples_);
        const double error = std::sqrt(squares_ / (n - 1) / n);
        figure.ci95 = around(error * statistics::kZ95);
        figure.strict = around(error * kStrictly);
        return figure;
    }

  private:
    [[nodiscard]] statistics::Interval around(double reach) const {
        return {std::max(0.0, mean_ - reach), std::min(1.0, mean_ + reach)};
    }

    std::uint64_t samples_ = 0;
    double mean_ = 0;
    double squares_ = 0;
};

Figure figure_of(const statistics::ClusteredRate& rate) {
    Figure figure{rate.rate(), rate.ci95(), {}, rate.samples()};
    if (!figure.value || !figure.ci95) return figure;
    const double factor = kStrictly / statistics::kZ95;
    figure.strict = statistics::Interval{
        std::max(0.0, *figure.value - factor * (*figure.value - figure.ci95->lower)),
        std::min(1.0, *figure.value + factor * (figure.ci95->upper - *figure.value))};
    return figure;
}

// The interval of a percentile by the order of the values, whatever their distribution.
Figure p95_of(std::vector<double> values, std::uint64_t samples) {
    Figure figure{.samples = samples};
    if (values.empty()) return figure;
    std::sort(values.begin(), values.end());
    figure.value = statistics::percentile_of_sorted(values, 0.95);
    const auto n = static_cast<double>(values.size());
    const auto between = [&](double z) -> std::optional<statistics::Interval> {
        const double reach = z * std::sqrt(n * 0.95 * 0.05);
        const double upper = std::ceil(n * 0.95 + reach);
        if (upper >= n) return std::nullopt;
        const double lower = std::max(0.0, std::floor(n * 0.95 - reach) - 1);
        return statistics::Interval{values[static_cast<std::size_t>(lower)],
                                    values[static_cast<std::size_t>(upper)]};
    };
    figure.ci95 = between(statistics::kZ95);
    figure.strict = between(kStrictly);
    return figure;
}

std::string_view decide(const Figure& figure, job::Comparison comparison, double threshold) {
    if (!figure.strict || figure.samples < kFewestSamples) return "open";
    const bool wants_more = comparison == job::Comparison::at_least;
    if (figure.strict->lower > threshold) return wants_more ? "pass" : "fail";
    if (figure.strict->upper < threshold) return wants_more ? "fail" : "pass";
    return "open";
}

// The four figures of the gates, in their order.
std::array<Figure, 4> figures_of(const records::TrialTable& table) {
    SampleMean score;
    statistics::ClusteredRate passed;
    statistics::ClusteredRate unfaithful;
    std::vector<double> latencies;
    std::uint64_t samples = 0;
    const auto trials = table.trials();
    for (std::size_t i = 0; i < trials.size(); ++samples) {
        double sum = 0;
        std::uint64_t scored = 0;
        std::uint64_t count = 0;
        std::uint64_t hits = 0;
        std::uint64_t judged = 0;
        std::uint64_t failures = 0;
        const std::uint32_t sample = trials[i].sample_index;
        for (; i < trials.size() && trials[i].sample_index == sample; ++i, ++count) {
            const TrialEntry& trial = trials[i];
            if (!std::isnan(trial.score)) {
                sum += static_cast<double>(trial.score);
                ++scored;
            }
            hits += trial.passed ? 1 : 0;
            judged += trial.faithfulness != TrialEntry::kNone ? 1 : 0;
            failures += trial.faithfulness == 0 ? 1 : 0;
            if (!std::isnan(trial.latency_ms))
                latencies.push_back(static_cast<double>(trial.latency_ms));
        }
        score.add_sample(sum, scored);
        passed.add_sample(hits, count);
        unfaithful.add_sample(failures, judged);
    }
    return {score.figure(), figure_of(passed), figure_of(unfaithful),
            p95_of(std::move(latencies), samples)};
}

std::optional<double> find_number(json::Value object, std::string_view name) {
    const auto found = object.optional<double>(name);
    return found ? *found : std::nullopt;
}

bool is_true(const std::optional<json::Value>& object, std::string_view name) {
    if (!object) return false;
    const auto found = object->get_or<bool>(name, false);
    return found && *found;
}

// From a second on, so that there are not too many of them.
std::int64_t bucket_ms(std::int64_t span_ms) {
    constexpr std::array<std::int64_t, 14> kSteps{1,   2,   5,   10,   15,   30,    60,
                                                  120, 300, 600, 1800, 3600, 10800, 43200};
    for (const std::int64_t step : kSteps)
        if (span_ms / (step * 1000) + 1 <= static_cast<std::int64_t>(kMostPoints))
            return step * 1000;
    return (span_ms / static_cast<std::int64_t>(kMostPoints) / 1000 + 1) * 1000;
}

struct Bucket {
    std::uint64_t done = 0;
    std::uint64_t passed = 0;
    std::vector<double> latencies;
    std::map<std::uint8_t, std::uint64_t> errors;
};

void write(json::Writer& writer, std::int64_t at_ms, Bucket& bucket) {
    writer.begin_object()
        .member("t_s", static_cast<double>(at_ms) / 1000)
        .member("done", bucket.done)
        .member("passed", bucket.passed)
        .member("latency_p50_ms", statistics::percentile_in_place(bucket.latencies, 0.5))
        .member("latency_p95_ms", statistics::percentile_in_place(bucket.latencies, 0.95))
        .key("errors")
        .begin_object();
    for (const auto& [kind, count] : bucket.errors)
        writer.member(job::Names<job::CallError>::values[kind], count);
    writer.end_object().end_object();
}

}  // namespace

LiveGates gates_so_far(const records::TrialTable& table, const job::Policy::Gates& gates) {
    const auto figures = figures_of(table);
    LiveGates live;
    for (std::size_t i = 0; i < live.size(); ++i) {
        const job::GateInfo& info = job::kGates[i];
        const double threshold = gates.*info.threshold;
        live[i] = {.name = info.name,
                   .comparison = to_string(info.comparison),
                   .threshold = threshold,
                   .observed = figures[i].value,
                   .decided = decide(figures[i], info.comparison, threshold)};
        if (!figures[i].ci95) continue;
        live[i].lower = figures[i].ci95->lower;
        live[i].upper = figures[i].ci95->upper;
    }
    return live;
}

std::optional<LiveGates> gates_of_summary(json::Value summary) {
    const auto gates = summary.find("gates");
    const auto extra = summary.find("extra");
    if (!gates) return std::nullopt;
    const auto decisions = extra ? extra->find("gates_decided") : std::nullopt;
    LiveGates live;
    for (std::size_t i = 0; i < live.size(); ++i) {
        const job::GateInfo& info = job::kGates[i];
        const auto gate = gates->find(info.name);
        if (!gate) return std::nullopt;
        const auto decision = decisions ? decisions->find(info.name) : std::nullopt;
        live[i] = {.name = info.name,
                   .comparison = to_string(info.comparison),
                   .threshold = find_number(*gate, "threshold").value_or(0),
                   .observed = find_number(*gate, "observed"),
                   .lower = find_number(*gate, "ci95_lower"),
                   .upper = find_number(*gate, "ci95_upper")};
        if (is_true(decision, "decided"))
            live[i].decided = is_true(gate, "passed") ? "pass" : "fail";
    }
    return live;
}

void write(json::Writer& writer, const LiveGates& gates) {
    constexpr std::array<std::string_view, 4> kTitles{
        "Aggregate score", "Pass rate", "Faithfulness failure rate", "Latency, 95th percentile"};
    writer.begin_array();
    for (std::size_t i = 0; i < gates.size(); ++i) {
        const LiveGate& gate = gates[i];
        std::optional<bool> is_met;
        if (gate.observed)
            is_met = gate.comparison == ">=" ? *gate.observed >= gate.threshold
                                             : *gate.observed <= gate.threshold;
        writer.begin_object()
            .member("name", gate.name)
            .member("title", kTitles[i])
            .member("threshold", gate.threshold)
            .member("comparison", gate.comparison)
            .member("observed", gate.observed)
            .member("ci95_lower", gate.lower)
            .member("ci95_upper", gate.upper)
            .member("met", is_met)
            .member("decided", gate.decided)
            .member("unit", i == 3   ? "ms"
                            : i == 0 ? "score"
                                     : "rate")
            .end_object();
    }
    writer.end_array();
}

void write_outcomes(json::Writer& writer, const records::TrialTable& table) {
    std::uint64_t passed = 0;
    std::uint64_t answered = 0;
    std::uint64_t tokens = 0;
    double cost = 0;
    bool has_cost = false;
    std::map<std::uint8_t, std::uint64_t> labels;
    std::map<std::uint8_t, std::uint64_t> errors;
    for (const TrialEntry& trial : table.trials()) {
        passed += trial.passed ? 1 : 0;
        answered += trial.is_answered ? 1 : 0;
        tokens += trial.total_tokens;
        if (!std::isnan(trial.cost_usd)) {
            cost += static_cast<double>(trial.cost_usd);
            has_cost = true;
        }
        if (trial.label != TrialEntry::kNone) ++labels[trial.label];
        if (trial.error_kind != TrialEntry::kNone) ++errors[trial.error_kind];
    }
    writer.key("outcomes")
        .begin_object()
        .member("trials", table.trials().size())
        .member("passed", passed)
        .member("answered", answered)
        .key("failure_labels")
        .begin_object();
    for (const auto& [label, count] : labels)
        writer.member(job::Names<job::FailureLabel>::values[label], count);
    writer.end_object().key("error_kinds").begin_object();
    for (const auto& [kind, count] : errors)
        writer.member(job::Names<job::CallError>::values[kind], count);
    writer.end_object().end_object();
    writer.key("usage")
        .begin_object()
        .member("tokens", tokens)
        .member("cost_usd", has_cost ? std::optional(cost) : std::nullopt)
        .end_object();
}

std::string timeline_json(const records::TrialTable& table) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = 0;
    for (const TrialEntry& trial : table.trials()) {
        if (trial.finished_ms <= 0) continue;
        first = std::min(first, trial.finished_ms);
        last = std::max(last, trial.finished_ms);
    }
    std::string text;
    json::Writer writer(text);
    const std::int64_t step = last > 0 ? bucket_ms(last - first) : 1000;
    std::map<std::int64_t, Bucket> buckets;
    for (const TrialEntry& trial : table.trials()) {
        if (trial.finished_ms <= 0) continue;
        Bucket& bucket = buckets[(trial.finished_ms - first) / step];
        ++bucket.done;
        bucket.passed += trial.passed ? 1 : 0;
        if (!std::isnan(trial.latency_ms))
            bucket.latencies.push_back(static_cast<double>(trial.latency_ms));
        if (trial.error_kind != TrialEntry::kNone) ++bucket.errors[trial.error_kind];
    }
    writer.begin_object().member("bucket_s", static_cast<double>(step) / 1000);
    writer.key("begins_at_ms");
    last > 0 ? writer.value(first) : writer.null();
    writer.key("points").begin_array();
    for (auto& [place, bucket] : buckets)
        write(writer, place * step, bucket);
    writer.end_array().end_object();
    return text;
}

}  // namespace evalfleet::views
