#include "coordinator/webhooks/event.hpp"

#include "common/job/manifest.hpp"
#include "common/job/summary.hpp"
#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "coordinator/catalog/run_filter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::webhooks {

namespace {

using catalog::RunFacts;
using runs::RunPhase;
using TimePoint = std::chrono::system_clock::time_point;

constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kMaxTextBytes = 2'000;

std::int64_t milliseconds_of(TimePoint at) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

bool has_failed_gate(const RunFacts& run) {
    return run.outcome && std::ranges::any_of(run.outcome->gates, [](const auto& gate) {
               return gate.observed && !gate.passed;
           });
}

std::string link_to(const Event& event, std::string_view link) {
    return link.empty() ? "" : fmt::format("{}/runs/{}", link, event.run.run_id);
}

std::string_view comparison_of(std::size_t gate) {
    return job::kGates[gate].comparison == job::Comparison::at_least ? "at_least" : "at_most";
}

void write_gates(json::Writer& writer, const RunFacts& run) {
    writer.key("gates").begin_array();
    for (std::size_t i = 0; run.outcome && i < job::kGates.size(); ++i) {
        const catalog::GateFigure& gate = run.outcome->gates[i];
        writer.begin_object()
            .member("name", job::kGates[i].name)
            .member("observed", gate.observed)
            .member("ci95_lower", gate.lower)
            .member("ci95_upper", gate.upper)
            .member("comparison", comparison_of(i))
            .member("threshold", gate.threshold)
            .member("passed", gate.passed)
            .end_object();
    }
    writer.end_array();
}

void write_run(json::Writer& writer, const RunFacts& run) {
    const auto& outcome = run.outcome;
    const auto counted = [&](std::uint64_t catalog::RunOutcome::*member) {
        return outcome ? std::optional(*outcome.*member) : std::nullopt;
    };
    writer.begin_object()
        .member("run_id", run.run_id)
        .member("name", run.name)
        .member("group_id", run.group_id)
        .member("state", to_string(run.phase))
        .member("verdict", to_string(catalog::verdict_of(run, run.phase)))
        .member("note", run.note.empty() ? std::nullopt : std::optional(run.note))
        .member("model", run.model)
        .member("prompt", run.prompt)
        .member("judge", run.judge)
        .member("dataset_id", run.dataset_id)
        .member("submitted_at", run.submitted_at)
        .member("submitted_by", run.submitted_by)
        .member("description", run.description)
        .member("total", run.total)
        .member("done", counted(&catalog::RunOutcome::done))
        .member("passed", counted(&catalog::RunOutcome::passed))
        .member("errors", counted(&catalog::RunOutcome::errors))
        .member("cost_usd", outcome ? outcome->cost_usd : std::nullopt)
        .key("run_labels")
        .begin_object();
    for (const auto& [key, value] : run.run_labels)
        writer.member(key, value);
    writer.end_object().end_object();
}

/// As Slack wants it: three characters steer, all others are text.
std::string escape(std::string_view text) {
    std::string escaped;
    for (const char c : text.substr(0, kMaxTextBytes)) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

std::string failed_gates(const RunFacts& run) {
    std::string text;
    for (std::size_t i = 0; run.outcome && i < job::kGates.size(); ++i) {
        const catalog::GateFigure& gate = run.outcome->gates[i];
        if (gate.passed || !gate.observed) continue;
        text +=
            fmt::format("{}{} {:.4g} ({} {:.4g})", text.empty() ? "" : ", ", job::kGates[i].name,
                        *gate.observed, comparison_of(i) == "at_least" ? "at least" : "at most",
                        gate.threshold);
    }
    return text;
}

std::string headline(const Event& event) {
    const RunFacts& run = event.run;
    switch (event.kind) {
        case EventKind::gate_failed:
            return "a gate failed: " + failed_gates(run);
        case EventKind::run_paused:
            return "paused" + (run.note.empty() ? "" : ": " + run.note);
        case EventKind::regression:
            return event.baseline ? event.baseline->text : "worse than its baseline";
        case EventKind::run_ended:
            break;
    }
    const auto verdict = catalog::verdict_of(run, run.phase);
    std::string text = verdict == catalog::Verdict::open        ? std::string(to_string(run.phase))
                       : verdict == catalog::Verdict::ready     ? "release ready"
                       : verdict == catalog::Verdict::not_ready ? "not ready"
                                                                : "not measured";
    if (run.outcome && run.outcome->done > 0)
        text += fmt::format(", {} of {} trials passed", run.outcome->passed, run.outcome->done);
    if (!run.note.empty()) text += ": " + run.note;
    return text;
}

}  // namespace

std::vector<Event> events_of(const RunFacts& run,
                             const std::optional<job::BaselineVerdict>& baseline, TimePoint since) {
    std::vector<EventKind> kinds;
    if (run.phase == RunPhase::paused) kinds.push_back(EventKind::run_paused);
    if (runs::is_over(run.phase)) kinds.push_back(EventKind::run_ended);
    if (run.phase == RunPhase::done) {
        if (has_failed_gate(run)) kinds.push_back(EventKind::gate_failed);
        if (baseline && !baseline->passed && baseline->is_known)
            kinds.push_back(EventKind::regression);
    }
    std::vector<Event> events;
    for (const EventKind kind : kinds) {
        const std::string what =
            fmt::format("{}\n{}\n{}", job::to_string(kind), run.run_id, milliseconds_of(since));
        events.push_back({job::sha256_hex(what).substr(0, kIdDigits), kind, since, run, baseline});
    }
    return events;
}

std::string json_body(const Event& event, std::string_view link) {
    std::string text;
    json::Writer writer(text);
    const std::string page = link_to(event, link);
    writer.begin_object()
        .member("id", event.id)
        .member("event", job::to_string(event.kind))
        .member("at", log::format_utc(event.at))
        .member("link", page.empty() ? std::nullopt : std::optional(page))
        .key("run");
    write_run(writer, event.run);
    write_gates(writer, event.run);
    writer.key("baseline");
    if (event.baseline) {
        writer.begin_object()
            .member("passed", event.baseline->passed)
            .member("known", event.baseline->is_known)
            .member("text", event.baseline->text)
            .end_object();
    } else {
        writer.null();
    }
    writer.end_object();
    return text;
}

std::string slack_body(const Event& event, std::string_view link) {
    std::string said = fmt::format("*{}* ({}): {}", escape(event.run.name), escape(event.run.model),
                                   escape(headline(event)));
    const std::string page = link_to(event, link);
    said += page.empty() ? "\n" + escape(event.run.run_id)
                         : fmt::format("\n<{}|{}>", page, escape(event.run.run_id));
    std::string text;
    json::Writer(text).begin_object().member("text", said).end_object();
    return text;
}

}  // namespace evalfleet::webhooks
