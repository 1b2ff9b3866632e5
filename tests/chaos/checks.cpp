#include "tests/chaos/checks.hpp"

#include <algorithm>

namespace evalfleet::chaos {

namespace {

constexpr std::size_t kMoreDescriptors = 8;  // connections of the API that were not idle
constexpr std::size_t kMoreMemoryKib = 32 * 1024;

std::string to_text(const Ledger::key_type& trial) {
    return "(" + std::to_string(trial.first) + ", " + std::to_string(trial.second) + ")";
}

bool is_of_run(const Ledger::key_type& trial, const RunOutcome& run) {
    return trial.first >= 0 && trial.first < run.samples && trial.second >= 1 &&
           trial.second <= run.repeats;
}

// `<run>` or `<run>:<index>`.
bool names_run(const std::string& member, const std::string& run) {
    return member == run || member.starts_with(run + ":");
}

}  // namespace

std::size_t count_lost(const RunOutcome& run) {
    if (!run.is_whole) return 0;
    const auto found = std::count_if(run.ledger.begin(), run.ledger.end(), [&](const auto& entry) {
        return entry.second > 0 && is_of_run(entry.first, run);
    });
    return static_cast<std::size_t>(run.samples * run.repeats - found);
}

std::size_t count_doubled(const RunOutcome& run) {
    return static_cast<std::size_t>(std::count_if(
        run.ledger.begin(), run.ledger.end(), [](const auto& entry) { return entry.second > 1; }));
}

Findings check_run(const RunOutcome& run) {
    Findings findings;
    const auto find = [&](const std::string& what) { findings.push_back(run.id + ": " + what); };
    const bool is_cancelled = run.may_be_cancelled && run.state == "cancelled";
    if (run.state != "done" && !is_cancelled) find("is " + run.state + ": " + run.note);
    if (const std::size_t lost = count_lost(run); lost > 0 && !is_cancelled)
        find("lost " + std::to_string(lost) + " trials");
    for (const auto& [trial, count] : run.ledger) {
        if (count > 1) find("has " + to_text(trial) + " " + std::to_string(count) + " times");
        if (!is_of_run(trial, run)) find("has no such trial as " + to_text(trial));
    }
    if (run.errors > 0) find("has " + std::to_string(run.errors) + " trials with an error");
    if (run.verify_exit_code != 0)
        find("is not verified: exit code " + std::to_string(run.verify_exit_code));
    return findings;
}

std::size_t count_repeated(const Calls& calls, std::size_t repeats) {
    std::size_t repeated = 0;
    for (const auto& [key, count] : calls)
        repeated += count > repeats ? count - repeats : 0;
    return repeated;
}

Findings check_repeated(const Calls& calls, std::size_t repeats, std::size_t in_flight) {
    std::size_t made = 0;
    for (const auto& [key, count] : calls)
        made += count;
    const std::size_t repeated = count_repeated(calls, repeats);
    const std::size_t allowed = (made - repeated) / 20 + in_flight;
    if (repeated <= allowed) return {};
    return {std::to_string(repeated) + " of " + std::to_string(made) +
            " model calls were made again, allowed: " + std::to_string(allowed)};
}

Findings check_late(std::size_t late, std::size_t in_flight) {
    if (late <= in_flight) return {};
    return {std::to_string(late) + " model calls were made when every run was over, allowed: " +
            std::to_string(in_flight)};
}

Findings check_keys(const std::vector<QueueKey>& keys, const std::vector<std::string>& ended_runs) {
    Findings findings;
    for (const QueueKey& key : keys) {
        for (const std::string& run : ended_runs) {
            const bool is_tombstone = key.name.ends_with(":run:" + run) && key.ttl_ms > 0;
            if (key.name.ends_with(":" + run) && !is_tombstone)
                findings.push_back(key.name + ": of a run that is over, ttl " +
                                   std::to_string(key.ttl_ms) + " ms");
            for (const std::string& member : key.members)
                if (names_run(member, run))
                    findings.push_back(key.name + ": holds " + member + " of a run that is over");
        }
    }
    return findings;
}

Findings check_levels(const Levels& before, const Levels& after) {
    Findings findings;
    for (const auto& [name, level] : after) {
        const auto known = before.find(name);
        if (known == before.end()) continue;
        const Level& was = known->second;
        if (level.descriptors > was.descriptors + kMoreDescriptors)
            findings.push_back(name + ": " + std::to_string(level.descriptors) +
                               " descriptors, before " + std::to_string(was.descriptors));
        if (level.memory_kib > was.memory_kib * 5 / 4 + kMoreMemoryKib)
            findings.push_back(name + ": " + std::to_string(level.memory_kib) +
                               " KiB of memory, before " + std::to_string(was.memory_kib));
    }
    return findings;
}

}  // namespace evalfleet::chaos
