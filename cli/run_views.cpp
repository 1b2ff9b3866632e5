#include "cli/run_views.hpp"

#include "cli/json_cells.hpp"
#include "cli/remote/progress.hpp"
#include "cli/terminal/table.hpp"
#include "common/json/document.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace evalfleet::cli {

namespace {

using cells::bytes;
using cells::count;
using cells::find;
using cells::kUnknown;
using cells::moment;
using cells::percent;
using cells::seconds;
using cells::text;
using terminal::Align;
using terminal::Table;

std::string verdict(const json::Value& run) {
    const auto measured = find<std::string>(run, "measured");
    if (measured == "not_measured") return "not measured";
    if (measured == "partial") return "partly measured";
    const auto ready = find<bool>(run, "release_ready");
    if (!ready) return std::string(kUnknown);
    if (find<bool>(run, "undecided").value_or(false)) return "cannot tell";
    return *ready ? "ready" : "not ready";
}

std::string pass_rate(const json::Value& run) {
    const auto lower = find<double>(run, "pass_rate_ci95_lower");
    const auto upper = find<double>(run, "pass_rate_ci95_upper");
    std::string rate = percent(run, "pass_rate");
    if (lower && upper)
        rate += fmt::format(", 95 % CI [{:.1f}, {:.1f}]", *lower * 100, *upper * 100);
    return rate;
}

// `branch=main, commit=41ed580`
std::string labels(const json::Value& run) {
    const auto given = run.find("run_labels");
    const auto members = given ? given->as_object() : Result<json::Object>(Error{});
    if (!members) return std::string(kUnknown);
    std::string all;
    for (const auto [key, value] : *members) {
        const auto said = value.as<std::string>();
        if (said) all += (all.empty() ? "" : ", ") + std::string(key) + "=" + *said;
    }
    return all.empty() ? std::string(kUnknown) : all;
}

}  // namespace

std::string runs_table(const json::Array& runs, Width width) {
    Table table({{"RUN"},
                 {"STATE"},
                 {"DONE", Align::right, 2},
                 {"PASSED", Align::right, 1},
                 {"VERDICT", Align::left, 3},
                 {"MODEL", Align::left, 5, true},
                 {"SUBMITTED", Align::left, 4},
                 {"NOTE", Align::left, 6, true}});
    for (const json::Value run : runs) {
        table.add({text(run, "run_id"), text(run, "state"),
                   count(run, "done") + "/" + count(run, "total"), percent(run, "pass_rate"),
                   verdict(run), text(run, "model"), moment(run, "submitted_at"),
                   find<std::string>(run, "note").value_or("")});
    }
    return table.text(width);
}

std::string run_details(const json::Value& run, Width width) {
    const std::string state = text(run, "state");
    const bool is_over = state == "done" || state == "cancelled" || state == "failed";
    std::vector<std::pair<std::string, std::string>> lines{
        {"run", text(run, "run_id")},
        {"name", text(run, "name")},
        {"state", state},
        {"verdict", verdict(run)},
        {"trials", fmt::format("{} of {} done, {} passed, {} failed, of which {} without a score",
                               count(run, "done"), count(run, "total"), count(run, "passed"),
                               count(run, "failed"), count(run, "errors"))},
        {"pass rate", pass_rate(run)},
        {"model", text(run, "model")},
        {"prompt", text(run, "prompt")},
        {"judge", text(run, "judge")},
        {"data set", text(run, "dataset_id") + ", sha256 " + text(run, "dataset_hash")},
        {"submitted", moment(run, "submitted_at") + " UTC"},
        {is_over ? "took" : "took so far", seconds(run, "elapsed_s")}};
    const auto add = [&lines](const char* key, std::string value) {
        if (value != kUnknown) lines.emplace_back(key, std::move(value));
    };
    add("about", text(run, "description"));
    add("labels", labels(run));
    add("group", text(run, "group_id"));
    if (!is_over) add("ends in", seconds(run, "eta_s"));
    for (const auto& [key, member] :
         {std::pair{"in flight", "in_flight"}, std::pair{"waiting", "waiting"},
          std::pair{"retrying", "retrying"}}) {
        if (find<std::uint64_t>(run, member).value_or(0) > 0)
            lines.emplace_back(key, count(run, member) + " trials");
    }
    add("note", text(run, "note"));
    return terminal::aligned_pairs(lines, width);
}

Result<std::string> workers_table(std::string_view answer, Width width) {
    const auto document = json::Document::parse(answer);
    if (!document) return document.error();
    const auto workers = document->root().get<json::Array>("workers");
    if (!workers) return workers.error();
    Table table({{"WORKER"},
                 {"HOST", Align::left, 4, true},
                 {"PID", Align::right, 5},
                 {"VERSION", Align::left, 3},
                 {"HELD", Align::right, 1},
                 {"CONCURRENCY", Align::right, 2},
                 {"STARTED", Align::left, 6},
                 {"SEEN", Align::right, 0}});
    for (const json::Value worker : *workers) {
        const auto seen = find<double>(worker, "last_seen_s");
        table.add({text(worker, "name"), text(worker, "host"), count(worker, "pid"),
                   text(worker, "version"), count(worker, "held"), count(worker, "concurrency"),
                   moment(worker, "started_at"),
                   seen ? fmt::format("{:.0f} s ago", *seen) : std::string(kUnknown)});
    }
    return table.text(width);
}

Result<std::string> queues_table(std::string_view answer, Width width) {
    const auto document = json::Document::parse(answer);
    if (!document) return document.error();
    const json::Value root = document->root();
    const auto runs = root.get<json::Array>("runs");
    if (!runs) return runs.error();
    std::string redis = "not reachable";
    if (const auto state = root.find("redis"); state && state->is_object()) {
        if (find<bool>(*state, "reachable").value_or(false))
            redis = bytes(*state, "used_bytes") + " used";
        if (find<bool>(*state, "memory_full").value_or(false)) redis += ", its memory is full";
    }
    std::string out = terminal::aligned_pairs({{"pool", text(root, "pool")},
                                               {"redis", redis},
                                               {"workers", count(root, "workers")},
                                               {"leased", count(root, "leased")},
                                               {"delayed", count(root, "delayed")}});
    if (runs->empty()) return out;
    Table table({{"RUN"},
                 {"STATE"},
                 {"OUTSTANDING", Align::right, 2},
                 {"READY", Align::right, 0},
                 {"RESULTS", Align::right, 1}});
    for (const json::Value run : *runs) {
        table.add({text(run, "run_id"), text(run, "state"), count(run, "outstanding"),
                   count(run, "ready"), count(run, "results")});
    }
    return out + "\n" + table.text(width);
}

Result<std::string> baselines_table(std::string_view answer, Width width) {
    const auto document = json::Document::parse(answer);
    if (!document) return document.error();
    const auto baselines = document->root().get<json::Array>("baselines");
    if (!baselines) return baselines.error();
    Table table({{"BASELINE"}, {"RUN"}});
    for (const json::Value baseline : *baselines)
        table.add({text(baseline, "name"), text(baseline, "run_id")});
    return table.text(width);
}

}  // namespace evalfleet::cli
