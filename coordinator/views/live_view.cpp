#include "coordinator/views/live_view.hpp"

#include "common/statistics/percentile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace evalfleet::views {

namespace {

using records::TrialEntry;

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
