#include "coordinator/webhooks/run_watch.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/file.hpp"
#include "common/job/run_metadata.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::webhooks {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxMarkBytes = 64 * 1024;
constexpr std::size_t kMostMarks = 256;

fs::path mark_of(const store::RunFolder& folder) {
    return folder.path() / "work" / "notified";
}

std::vector<std::string> blocking_read_marks(const store::RunFolder& folder) {
    std::vector<std::string> marks;
    const auto text = files::blocking_read_file(mark_of(folder), kMaxMarkBytes);
    std::string_view rest = text ? std::string_view(*text) : std::string_view();
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        marks.emplace_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return marks;
}

Status blocking_write_marks(const store::RunFolder& folder, const std::vector<std::string>& marks) {
    std::string text;
    const std::size_t first = marks.size() > kMostMarks ? marks.size() - kMostMarks : 0;
    for (std::size_t i = first; i < marks.size(); ++i)
        text += marks[i] + '\n';
    return files::blocking_write_atomically(mark_of(folder), text);
}

/// Nothing of a run that has no baseline, or was not compared.
std::optional<job::BaselineVerdict> blocking_read_baseline(const store::RunFolder& folder) {
    const auto text =
        files::blocking_read_file(folder.file(job::kRegressionName), std::uint64_t{64} << 20);
    if (!text) return std::nullopt;
    const auto verdict = job::parse_baseline_verdict(*text);
    return verdict ? std::optional(*verdict) : std::nullopt;
}

bool may_be_told(runs::RunPhase phase) {
    return phase == runs::RunPhase::paused || runs::is_over(phase);
}

}  // namespace

RunWatch::RunWatch(fs::path store, WebhooksConfig config, log::Logger logger)
    : catalog_(store), config_(std::move(config)), outbox_(std::move(store)), logger_(logger) {}

Result<std::size_t> RunWatch::blocking_look(TimePoint now) {
    if (!begun_) {
        const auto begun = outbox_.blocking_begin(now);
        if (!begun) return begun.error();
        begun_ = *begun;
        outbox_.blocking_forget_others(config_.webhooks);
    }
    const auto runs = catalog_.blocking_look();
    if (!runs) return runs.error();
    std::erase_if(told_, [&](const auto& told) { return !(*runs)->contains(told.first); });
    std::size_t count = 0;
    for (const auto& [id, facts] : **runs) {
        if (!may_be_told(facts->phase)) continue;
        // What is done or cancelled stays so.
        const auto last = told_.find(id);
        if (last != told_.end() && catalog::is_final(last->second.phase)) continue;
        const auto told = blocking_look_at(*facts);
        if (!told) return told.error();
        count += *told;
    }
    return count;
}

Result<std::size_t> RunWatch::blocking_look_at(const catalog::RunFacts& run) {
    const store::RunFolder folder = catalog_.folder(run.run_id);
    const auto since = folder.blocking_phase_time();
    if (!since) return std::size_t{0};  // removed meanwhile
    const Told now{run.phase, *since};
    if (const auto last = told_.find(run.run_id); last != told_.end() && last->second == now)
        return std::size_t{0};
    std::size_t count = 0;
    if (*since >= *begun_) {
        auto facts = catalog_.blocking_find(run.run_id);
        if (!facts || facts->phase != run.phase) return std::size_t{0};  // the next look will tell
        const auto put =
            blocking_tell(folder, events_of(*facts, blocking_read_baseline(folder), *since));
        if (!put) return put.error();
        count = *put;
    }
    told_.insert_or_assign(run.run_id, now);
    return count;
}

Result<std::size_t> RunWatch::blocking_tell(const store::RunFolder& folder,
                                            const std::vector<Event>& events) {
    auto marks = blocking_read_marks(folder);
    std::size_t count = 0;
    for (const Event& event : events) {
        if (std::ranges::find(marks, event.id) != marks.end()) continue;
        for (const Webhook& webhook : config_.webhooks) {
            if (!webhook.wants(event)) continue;
            const auto dropped = outbox_.blocking_put(webhook, event, config_.link);
            if (!dropped) return dropped.error();
            if (*dropped > 0)
                logger_.warn("too much waits for a webhook; the oldest is dropped",
                             {{"webhook", webhook.name}, {"dropped", *dropped}});
        }
        marks.push_back(event.id);
        ++count;
    }
    if (count == 0) return count;
    if (const Status marked = blocking_write_marks(folder, marks); !marked) return marked.error();
    return count;
}

}  // namespace evalfleet::webhooks
