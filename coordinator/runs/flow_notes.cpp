#include "coordinator/runs/flow_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::runs {

namespace {

constexpr std::chrono::seconds kRecent{10};

bool is_of(const queue::LimitStats& limit, const LimitAccount& account) {
    return limit.key == account.name || limit.key.starts_with(account.name + "/") ||
           limit.key.starts_with("model:");
}

/// Null if it is of none.
const LimitAccount* find_account(const queue::LimitStats& limit,
                                 const std::vector<LimitAccount>& accounts) {
    const auto found = std::find_if(accounts.begin(), accounts.end(),
                                    [&](const auto& account) { return is_of(limit, account); });
    return found == accounts.end() ? nullptr : &*found;
}

/// `main`, or `main (key:lab/small)` where the limit is not just that of the provider.
std::string describe(const LimitAccount& account, const queue::LimitStats& limit) {
    if (limit.key == account.provider) return account.provider;
    return fmt::format("{} ({})", account.provider, limit.key);
}

bool is_throttled(const queue::LimitStats& limit) {
    return limit.refused > 0 && (limit.since_refusal < kRecent || limit.paused.count() > 0);
}

std::string describe_throttling(const LimitAccount& account, const queue::LimitStats& limit,
                                const RecentRefusals::Figures& recent) {
    std::string text =
        fmt::format("throttled by {}: {}, limit now ", describe(account, limit), to_text(recent));
    text += limit.rate > 0 ? fmt::format("{:.3g} calls/s", limit.rate)
                           : fmt::format("{:.0f} calls at once", limit.calls);
    if (limit.paused.count() > 0)
        text += fmt::format(", resting for {:.0f} s",
                            std::chrono::duration<double>(limit.paused).count());
    if (limit.unmet > 0) text += fmt::format(", {} calls wait", limit.unmet);
    return text;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

FlowFigures flow_of(const PoolWatch::View& view, const std::string& run_id, std::uint64_t open) {
    FlowFigures figures;
    std::uint64_t leased = 0;
    for (const queue::RunStats& run : view.stats.runs)
        leased += run.leased;
    double running = 0;
    for (const queue::LimitStats& limit : view.limits)
        running += limit.running;
    for (const queue::RunStats& run : view.stats.runs) {
        if (run.run != run_id) continue;
        const double share = static_cast<double>(run.leased) / static_cast<double>(leased);
        const auto calls = static_cast<std::uint64_t>(std::ceil(running * share));
        figures.in_flight = run.leased == 0 ? 0 : std::min(run.leased, calls);
        figures.waiting = run.leased - figures.in_flight;
        figures.retrying = run.outstanding - std::min(run.outstanding, run.ready + run.leased);
    }
    // What has come home since was on its way then, and not put back.
    std::uint64_t room = open;
    for (std::uint64_t* one : {&figures.retrying, &figures.waiting, &figures.in_flight}) {
        *one = std::min(*one, room);
        room -= *one;
    }
    figures.queued = room;
    return figures;
}

std::optional<std::string> throttle_note(const std::vector<queue::LimitStats>& limits,
                                         const RecentRefusals& refusals,
                                         const std::vector<LimitAccount>& accounts) {
    for (const queue::LimitStats& limit : limits) {
        const LimitAccount* account = find_account(limit, accounts);
        if (account != nullptr && is_throttled(limit))
            return describe_throttling(*account, limit, refusals.of(limit.key));
    }
    return std::nullopt;
}

job::LearntLimits learnt_limits(const std::vector<queue::LimitStats>& limits,
                                const std::vector<LimitAccount>& accounts) {
    job::LearntLimits learnt;
    for (const queue::LimitStats& limit : limits) {
        const LimitAccount* account = find_account(limit, accounts);
        if (account == nullptr || limit.refused == 0) continue;
        job::LearntLimit& entry = learnt[describe(*account, limit)];
        if (limit.calls > 0) entry.calls_at_once = limit.calls;
        if (limit.rate > 0) entry.calls_per_s = limit.rate;
    }
    return learnt;
}

std::vector<std::string> worker_notes(const std::vector<WorkerFacts>& workers,
                                      const std::vector<std::string>& needs) {
    std::vector<std::string> missing, unreachable, without;
    for (const std::string& need : workers.empty() ? std::vector<std::string>() : needs) {
        std::vector<std::string> have_not;
        for (const WorkerFacts& worker : workers) {
            const auto reason = worker.unreachable.find(need);
            if (!has(worker.providers, need)) {
                have_not.push_back(fmt::format("worker {} has no provider '{}' and is left aside",
                                               worker.name, need));
            } else if (reason != worker.unreachable.end()) {
                unreachable.push_back(
                    fmt::format("worker {} cannot reach provider '{}' and is left aside: {}",
                                worker.name, need, reason->second));
            }
        }
        if (have_not.size() == workers.size()) {
            missing.push_back(
                fmt::format("no worker has provider '{}'; the run waits for one that has", need));
        } else {
            without.insert(without.end(), have_not.begin(), have_not.end());
        }
    }
    missing.insert(missing.end(), unreachable.begin(), unreachable.end());
    missing.insert(missing.end(), without.begin(), without.end());
    return missing;
}

std::vector<std::string> needs_of(const job::RunSpec& spec) {
    std::vector<std::string> needs{spec.models.front().provider};
    if (spec.judge) needs.push_back(spec.judge->model.provider);
    return needs;
}

std::vector<LimitAccount> accounts_of(const std::vector<std::string>& names,
                                      const providers::Providers& known) {
    std::vector<LimitAccount> accounts;
    for (const std::string& name : names) {
        const auto found = known.find(name);
        accounts.push_back(
            {name, found == known.end() ? name : providers::limit_account(found->second)});
    }
    return accounts;
}

std::optional<std::string> setback_note(const RunBook& book, async::TimePoint now) {
    if (!book.last_setback || now - book.last_setback_at > kRecent) return std::nullopt;
    const job::Setback& last = *book.last_setback;
    std::string text = "trials are tried again: " + std::string(to_string(last.kind));
    if (last.http_status) text += " (" + std::to_string(*last.http_status) + ")";
    if (!last.provider.empty()) text += " of provider '" + last.provider + "'";
    return last.message.empty() ? text : text + ": " + last.message;
}

}  // namespace evalfleet::runs
