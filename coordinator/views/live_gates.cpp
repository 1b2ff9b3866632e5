#include "coordinator/views/live_gates.hpp"

#include "common/job/summary.hpp"
#include "common/job/trial_index.hpp"
#include "common/statistics/percentile.hpp"
#include "common/statistics/wilson.hpp"
#include "coordinator/reduce/live_watch.hpp"
#include "coordinator/reduce/trial_order.hpp"

#include <cmath>
#include <vector>

namespace evalfleet::views {

namespace {

using records::TrialEntry;
using reduce::GateWatch;
using statistics::Interval;

constexpr std::size_t kLatency = 3;  // of job::kGates
static_assert(std::tuple_size_v<decltype(LiveGates::gates)> == job::kGates.size());
static_assert(job::kGates[kLatency].name == "latency_e2e_p95_ms");

// Only what the gates look at.
reduce::TrialRow row_of(const TrialEntry& trial) {
    const auto score = [](std::uint8_t value) {
        return value == TrialEntry::kNone ? reduce::TrialRow::kNoScore : value & 3U;
    };
    reduce::TrialRow row;
    const reduce::Response response = trial.is_answered ? reduce::Response::answered
                                      : trial.timed_out ? reduce::Response::timed_out
                                                        : reduce::Response::failed;
    row.response = static_cast<std::uint32_t>(response) & 3U;
    row.lost = trial.is_lost ? 1 : 0;
    row.accuracy = score(trial.accuracy);
    row.faithfulness = score(trial.faithfulness);
    row.rubric_passed = trial.passed ? 1 : 0;
    row.sample_score = static_cast<double>(trial.score);
    row.latency_e2e_ms = static_cast<double>(trial.latency_ms);
    return row;
}

std::optional<double> share(double part, std::uint64_t whole) {
    if (whole == 0) return std::nullopt;
    return part / static_cast<double>(whole);
}

// The four figures of the gates, in their order, of all trials that there are.
std::array<std::optional<double>, 4> figures_of(const records::TrialTable& table) {
    double score = 0;
    std::uint64_t scored = 0;
    std::uint64_t passed = 0;
    std::uint64_t judged = 0;
    std::uint64_t unfaithful = 0;
    std::vector<double> latencies;
    for (const TrialEntry& trial : table.trials()) {
        const reduce::TrialRow row = row_of(trial);
        if (!std::isnan(row.sample_score)) {
            score += row.sample_score;
            ++scored;
        }
        passed += row.rubric_passed;
        judged += row.faithfulness != reduce::TrialRow::kNoScore ? 1 : 0;
        unfaithful += row.faithfulness == 0 ? 1 : 0;
        if (const double latency = row.rubric_latency_ms(); !std::isnan(latency))
            latencies.push_back(latency);
    }
    return {share(score, scored), share(static_cast<double>(passed), table.trials().size()),
            share(static_cast<double>(unfaithful), judged),
            statistics::percentile_in_place(latencies, 0.95)};
}

// Up to the first sample that is not complete: slow trials, which may be worse, come last.
reduce::LiveWatch watch(const records::TrialTable& table, const job::Policy::Gates& gates,
                        const LiveRun& run) {
    reduce::LiveWatch watch(gates, run.samples, run.repeats);
    const reduce::TrialOrder order = run.is_shuffled
                                         ? reduce::TrialOrder(run.run_id, run.samples, run.repeats)
                                         : reduce::TrialOrder();
    std::uint64_t position = 0;
    for (std::uint64_t place = 0; place < run.samples; ++place) {
        const std::uint64_t first = order.at(job::TrialIndex{place, 1}.within(run.repeats));
        const auto sample = job::TrialIndex::of(first, run.repeats).sample_index;
        const auto trials = table.of_sample(static_cast<std::uint32_t>(sample));
        if (trials.size() != run.repeats) break;
        for (const TrialEntry& trial : trials)
            watch.add(position++, reduce::gate_values(row_of(trial), gates));
    }
    return watch;
}

std::string_view name_of(GateWatch::Verdict verdict) {
    switch (verdict) {
        case GateWatch::Verdict::pass:
            return "pass";
        case GateWatch::Verdict::fail:
            return "fail";
        case GateWatch::Verdict::open:
            break;
    }
    return "open";
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

// Of a run that ended early. Those of fixed size are too narrow there.
void take_always_valid(LiveGates& live, json::Value valid) {
    live.intervals = IntervalKind::always_valid;
    if (const auto samples = valid.optional<std::uint64_t>("samples"); samples && *samples)
        live.samples = **samples;
    for (LiveGate& gate : live.gates) {
        gate.lower = find_number(valid, std::string(gate.name) + "_lower");
        gate.upper = find_number(valid, std::string(gate.name) + "_upper");
    }
    const auto lower = find_number(valid, "latency_share_over_lower");
    const auto upper = find_number(valid, "latency_share_over_upper");
    if (lower && upper) live.gates[kLatency].share_over = Interval{*lower, *upper};
}

void write(json::Writer& writer, const LiveGate& gate, std::size_t place) {
    constexpr std::array<std::string_view, 4> kTitles{
        "Aggregate score", "Pass rate", "Faithfulness failure rate", "Latency, 95th percentile"};
    constexpr std::array<std::string_view, 4> kUnits{"score", "rate", "rate", "ms"};
    std::optional<bool> is_met;
    if (gate.observed)
        is_met = gate.comparison == ">=" ? *gate.observed >= gate.threshold
                                         : *gate.observed <= gate.threshold;
    const auto limit = [&gate](double Interval::*side) -> std::optional<double> {
        if (!gate.share_over) return std::nullopt;
        return (*gate.share_over).*side;
    };
    writer.begin_object()
        .member("name", gate.name)
        .member("title", kTitles[place])
        .member("threshold", gate.threshold)
        .member("comparison", gate.comparison)
        .member("observed", gate.observed)
        .member("ci95_lower", gate.lower)
        .member("ci95_upper", gate.upper)
        .member("share_over_ci95_lower", limit(&Interval::lower))
        .member("share_over_ci95_upper", limit(&Interval::upper))
        .member("met", is_met)
        .member("decided", gate.decided)
        .member("unit", kUnits[place])
        .end_object();
}

}  // namespace

LiveGates gates_so_far(const records::TrialTable& table, const job::Policy::Gates& gates,
                       const LiveRun& run) {
    const auto figures = figures_of(table);
    const reduce::LiveWatch watched = watch(table, gates, run);
    const auto verdicts = watched.verdicts();
    LiveGates live{.intervals = IntervalKind::always_valid, .samples = watched.count_samples()};
    for (std::size_t i = 0; i < live.gates.size(); ++i) {
        const job::GateInfo& info = job::kGates[i];
        live.gates[i] = {.name = info.name,
                         .comparison = to_string(info.comparison),
                         .threshold = gates.*info.threshold,
                         .observed = figures[i],
                         .decided = name_of(verdicts[i])};
    }
    live.note = watched.note();
    if (live.samples == 0U) return live;
    const job::AlwaysValid valid = watched.intervals();
    const std::array<Interval, 3> intervals{valid.aggregate_score, valid.pass_rate,
                                            valid.faithfulness_failure_rate};
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        live.gates[i].lower = intervals[i].lower;
        live.gates[i].upper = intervals[i].upper;
    }
    live.gates[kLatency].share_over = valid.latency_share_over;
    return live;
}

std::optional<LiveGates> gates_of_summary(json::Value summary) {
    const auto gates = summary.find("gates");
    const auto extra = summary.find("extra");
    if (!gates) return std::nullopt;
    const auto decisions = extra ? extra->find("gates_decided") : std::nullopt;
    LiveGates live;
    for (std::size_t i = 0; i < live.gates.size(); ++i) {
        const job::GateInfo& info = job::kGates[i];
        const auto gate = gates->find(info.name);
        if (!gate) return std::nullopt;
        const auto decision = decisions ? decisions->find(info.name) : std::nullopt;
        live.gates[i] = {.name = info.name,
                         .comparison = to_string(info.comparison),
                         .threshold = find_number(*gate, "threshold").value_or(0),
                         .observed = find_number(*gate, "observed"),
                         .lower = find_number(*gate, "ci95_lower"),
                         .upper = find_number(*gate, "ci95_upper")};
        if (is_true(decision, "decided"))
            live.gates[i].decided = is_true(gate, "passed") ? "pass" : "fail";
    }
    // A percentile is decided by how many trials lie beyond its limit, not by its own interval.
    if (const auto latency = gates->find(job::kGates[kLatency].name)) {
        const auto lower = find_number(*latency, "share_over_ci95_lower");
        const auto upper = find_number(*latency, "share_over_ci95_upper");
        if (lower && upper) live.gates[kLatency].share_over = Interval{*lower, *upper};
    }
    if (!extra) return live;
    // A few samples have no upper limit of the p95 without assumptions.
    if (const auto why = extra->optional<std::string>("latency_e2e_p95_ci95_reason"); why && *why)
        live.gates[kLatency].lower = live.gates[kLatency].upper = std::nullopt;
    if (const auto valid = extra->find("always_valid"); valid && !valid->is_null())
        take_always_valid(live, *valid);
    return live;
}

void write(json::Writer& writer, const LiveGates& live) {
    writer.key("gates").begin_array();
    for (std::size_t i = 0; i < live.gates.size(); ++i)
        write(writer, live.gates[i], i);
    writer.end_array()
        .member("intervals",
                live.intervals == IntervalKind::always_valid ? "always_valid" : "fixed_size")
        .member("interval_samples", live.samples)
        .member("gates_note", live.note);
}

}  // namespace evalfleet::views
