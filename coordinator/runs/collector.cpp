#include "coordinator/runs/collector.hpp"

#include "common/job/setback.hpp"
#include "common/queue/bounds.hpp"
#include "common/redis/server_error.hpp"
#include "coordinator/runs/redis_backoff.hpp"

#include <unordered_set>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

Collector::Collector(Config config, RunBook& book, queue::RunQueue& queue, redis::Client& blocking,
                     store::DurableLog& log, Intake& intake, Intake::ReadSample read_sample,
                     async::BlockingPool& pool, async::BlockingPool& durable, RunsMetrics& metrics,
                     async::Clock& clock, log::Logger logger)
    : config_(std::move(config)),
      pace_(config.batch),
      book_(book),
      queue_(queue),
      blocking_(blocking),
      log_(log),
      intake_(intake),
      read_sample_(std::move(read_sample)),
      pool_(pool),
      durable_(durable),
      metrics_(metrics),
      clock_(clock),
      logger_(std::move(logger)) {}

asio::awaitable<void> Collector::run() {
    for (;;) {
        const std::uint64_t look = ++book_.looks_begun;
        const std::size_t count = pace_.count();
        auto results = co_await queue_.results(blocking_, count, config_.patience,
                                               clock_.now() + config_.patience + kCallTimeout);
        if (!results) {
            co_await backoff_after(results.error());
            continue;
        }
        clear_blocked_reason(book_);
        learn_sizes(*results);
        const bool saw_the_end = results->size() < count;
        if (!results->empty()) co_await collect(std::move(*results));
        if (saw_the_end) book_.looks_completed = look;
        book_.changed.notify_all();
    }
}

// More than an answer may hold: fewer are asked for. If it was a single one, it never can be read.
asio::awaitable<void> Collector::backoff_after(Error error) {
    if (error.kind == ErrorKind::too_large && !redis::is_out_of_memory(error)) {
        logger_.warn("results are too large to be read together",
                     {{"results", pace_.count()}, {"error", error}});
        if (pace_.halve()) co_return;
        const auto cut =
            co_await queue_.cut_result(queue::kMaxRecordBytes, clock_.now() + kCallTimeout);
        if (cut && *cut > 0) co_return;
        if (!cut) error = cut.error();
    }
    co_await backoff(clock_, book_, logger_, "read results", std::move(error));
}

void Collector::learn_sizes(const std::vector<queue::RunResult>& results) {
    std::size_t bytes = 0;
    for (const queue::RunResult& result : results) {
        bytes += result.value.size();
        if (result.kind != queue::RunResult::Kind::note) book_.window.learn(result.value.size());
    }
    pace_.observe(results.size(), bytes);
}

asio::awaitable<void> Collector::collect(std::vector<queue::RunResult> results) {
    std::vector<std::string> ids;
    for (const queue::RunResult& result : results)
        ids.push_back(result.id);
    take_notes(results);
    const std::size_t count = results.size();
    const auto fresh = keep_new(std::move(results));
    metrics_.results_repeated.increment(static_cast<double>(count - fresh.size()));
    auto work = [this, &fresh] { return validate(fresh); };
    Batch batch = co_await pool_.run(work);
    note_refused(batch);
    co_await write_down(std::move(batch));
    note_lag(ids);
    co_await acknowledge(std::move(ids));
}

// What is in the way of trials that go on: nothing of it is kept but what people are told.
void Collector::take_notes(std::vector<queue::RunResult>& results) {
    for (const queue::RunResult& result : results) {
        if (result.kind != queue::RunResult::Kind::note) continue;
        const auto setback = job::parse_setback(result.value);
        if (!setback) continue;
        metrics_.setbacks.increment();
        using Role = FailureStreak::Setback::Role;
        const bool is_judge = setback->role == job::CallRole::judge;
        book_.streak.observe_setback(
            {is_judge ? Role::judge : Role::model, setback->kind, setback->http_status,
             setback->message, static_cast<std::uint64_t>(setback->attempts)},
            clock_.now());
        book_.last_setback = *setback;
        book_.last_setback_at = clock_.now();
    }
    std::erase_if(results, [](const queue::RunResult& result) {
        return result.kind == queue::RunResult::Kind::note;
    });
}

bool Collector::is_settled(std::uint64_t index) const {
    return config_.drop_repeats && index < book_.ledger.total() && !book_.ledger.is_open(index);
}

std::vector<queue::RunResult> Collector::keep_new(std::vector<queue::RunResult> results) {
    if (!config_.drop_repeats) return results;
    std::unordered_set<std::uint64_t> seen;
    std::erase_if(results, [&](const queue::RunResult& result) {
        // The trial may have gone out once more before its first result came.
        if (is_settled(result.index)) book_.settle(result.index);
        return is_settled(result.index) || !seen.insert(result.index).second;
    });
    return results;
}

Collector::Batch Collector::validate(const std::vector<queue::RunResult>& results) {
    Batch batch;
    for (const queue::RunResult& result : results) {
        auto accepted = intake_.accept(result, read_sample_);
        if (accepted)
            batch.kept.push_back({result.index, std::move(*accepted)});
        else
            batch.refused.emplace_back(result.index, accepted.error().message);
    }
    return batch;
}

// A result that is not usable is dropped; the audit finds its job gone and sends it out again. A
// trial that never gets a usable one is recorded as lost in the end.
void Collector::note_refused(const Batch& batch) {
    metrics_.results_refused.increment(static_cast<double>(batch.refused.size()));
    for (const auto& [index, reason] : batch.refused) {
        logger_.warn("dropped an unusable result", {{"index", index}, {"reason", reason}});
        if (index >= book_.ledger.total()) continue;
        ++book_.bad_results[index];
        book_.audit_wanted = true;
    }
}

void Collector::note_lag(const std::vector<std::string>& ids) {
    const auto now = clock_.utc_now();
    for (const std::string& id : ids)
        metrics_.results_lag.observe(age_of_entry(id, now));
    metrics_.last_record.set(std::chrono::duration<double>(now.time_since_epoch()).count());
}

asio::awaitable<void> Collector::write_down(Batch batch) {
    std::vector<Kept>& kept = batch.kept;
    for (const auto& [index, reason] : batch.refused) {
        const auto bad = book_.bad_results.find(index);
        if (bad == book_.bad_results.end() || bad->second < config_.max_bad_results) continue;
        kept.push_back({index, intake_.lost(index, "no usable result: " + reason, read_sample_)});
    }
    auto work = [this, &kept] {
        std::vector<store::Entry> entries;
        for (const Kept& each : kept)
            entries.push_back({store::EntryKind::record, each.index, each.accepted.record});
        const metrics::Timer timer(metrics_.log_append);
        return log_.blocking_append(entries);
    };
    for (;;) {
        auto turn = co_await book_.log_turn.acquire();
        // Trials may have been taken out meanwhile.
        std::erase_if(kept, [this](const Kept& each) { return is_settled(each.index); });
        if (kept.empty()) co_return;
        const auto offsets = co_await durable_.run(work);
        if (offsets) {
            enter(kept, *offsets);
            co_return;
        }
        turn = {};
        if (offsets.error().kind == ErrorKind::lease_lost) throw Fenced(offsets.error().message);
        metrics_.log_failures.increment();
        if (log_.is_broken()) throw LogBroken(offsets.error().message);
        // A full disk, or one that fails: nothing was acknowledged, so nothing is lost by waiting.
        book_.log_blocked_reason = "nothing goes out: " + offsets.error().message;
        logger_.error("cannot write to the log", {{"error", offsets.error()}});
        co_await clock_.wait_for(std::chrono::seconds(1));
    }
}

void Collector::enter(const std::vector<Kept>& kept, const std::vector<std::uint64_t>& offsets) {
    book_.log_blocked_reason.clear();
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto& [index, accepted] = kept[i];
        if (!book_.ledger.mark(index, offsets[i])) book_.repeated_offsets.push_back(offsets[i]);
        book_.settle(index);
        book_.enter(index, accepted.trial);
        book_.streak.observe(accepted.trial, clock_.now());
        metrics_.count(accepted.trial);
        if (config_.on_record) config_.on_record(intake_.terms().run_id, index, accepted.record);
    }
}

asio::awaitable<void> Collector::acknowledge(std::vector<std::string> ids) {
    const auto done = co_await queue_.acknowledge(std::move(ids), clock_.now() + kCallTimeout);
    // Not acknowledged is not lost: the results are read and dropped once more.
    if (!done) co_await backoff(clock_, book_, logger_, "ack", done.error());
}

}  // namespace evalfleet::runs
