#include "coordinator/runs/feeder.hpp"

#include "coordinator/runs/redis_backoff.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

using Jobs = std::vector<queue::NewJob>;

constexpr std::size_t kFewJobs = 8;  // while Redis is full

// Reads lines until the batch is full; the rest of the picks is left for the next one.
Result<Jobs> read_jobs(const Feeder::ReadPayload& read_payload,
                       const std::vector<std::uint64_t>& picks, std::size_t max_bytes) {
    Jobs jobs;
    std::size_t bytes = 0;
    for (const std::uint64_t index : picks) {
        if (bytes >= max_bytes) break;
        auto payload = read_payload(index);
        if (!payload) return payload.error();
        bytes += payload->size();
        jobs.push_back({index, std::move(*payload)});
    }
    return jobs;
}

}  // namespace

Feeder::Feeder(Config config, RunBook& book, queue::RunQueue& queue, async::BlockingPool& pool,
               ReadPayload read_payload, RunsMetrics& metrics, async::Clock& clock,
               log::Logger logger)
    : config_(config),
      book_(book),
      queue_(queue),
      pool_(pool),
      read_payload_(std::move(read_payload)),
      metrics_(metrics),
      clock_(clock),
      logger_(std::move(logger)) {}

bool Feeder::is_stopped() const {
    return book_.phase != RunPhase::running || book_.audit_wanted ||
           !book_.log_blocked_reason.empty();
}

// Redis may be full of what is not ours: as long as it takes jobs, a run with nothing out sends a
// few, and one that lost some sends them again.
bool Feeder::has_memory() const {
    return !book_.redis_memory_full || book_.window.count_jobs() == 0 ||
           book_.window.has_reissues();
}

std::vector<std::uint64_t> Feeder::pick() {
    const std::size_t batch = book_.redis_memory_full ? kFewJobs : config_.batch_jobs;
    std::vector<std::uint64_t> picks;
    while (picks.size() < batch) {
        const auto lost = book_.window.next_reissue();
        if (!lost) break;
        picks.push_back(*lost);
    }
    // New trials go out only after the lost ones: the batch may be cut short, and a trial before
    // the cursor must never be forgotten.
    if (!picks.empty()) return picks;
    const std::uint64_t most = std::min<std::uint64_t>(batch, book_.window.room());
    for (std::uint64_t position = book_.cursor;
         position < book_.ledger.total() && picks.size() < most; ++position) {
        const std::uint64_t index = book_.order.at(position);
        // One that is out may stand behind a cursor that was set back.
        if (book_.ledger.is_open(index) && !book_.window.holds(index)) picks.push_back(index);
    }
    return picks;
}

asio::awaitable<void> Feeder::run() {
    for (;;) {
        std::vector<std::uint64_t> picks;
        if (!is_stopped() && has_memory()) picks = pick();
        if (picks.empty()) {
            co_await book_.changed.wait(clock_, clock_.now() + std::chrono::seconds(1));
            continue;
        }
        co_await feed(std::move(picks));
    }
}

asio::awaitable<void> Feeder::feed(std::vector<std::uint64_t> picks) {
    Sending sending{std::move(picks), 0, book_.rewinds};
    auto read = [this, &sending] {
        return read_jobs(read_payload_, sending.picks, config_.batch_bytes);
    };
    auto jobs = co_await pool_.run(read);
    if (!jobs) throw std::runtime_error(jobs.error().message);
    sending.read = jobs->size();
    // Meanwhile the run may have been stopped, and late results may have come.
    if (is_stopped()) co_return send_later(sending, 0);
    std::erase_if(*jobs, [this](const auto& job) { return !book_.ledger.is_open(job.index); });
    if (jobs->empty()) co_return send_later(sending, sending.read);
    // Out before they are sent: a result may come back before the reply does.
    const async::TimePoint now = clock_.now();
    std::vector<std::uint64_t> sent;
    for (const queue::NewJob& job : *jobs) {
        book_.window.issue(job.index, job.payload.size());
        book_.ages.issue(job.index, now);
        sent.push_back(job.index);
    }
    // A window of Redis wider than ours lets jobs in that came back after a loss of data.
    const std::uint64_t most = book_.window.limits().max_jobs * 2;
    const auto enqueued =
        co_await queue_.enqueue(std::move(*jobs), most, clock_.now() + kCallTimeout);
    if (!enqueued || enqueued->window_full) {
        send_later(sending, 0);
        pass_over(sending);
        // Named: GCC 12 destroys a conditional temporary of an awaited call twice.
        Error error{ErrorKind::transient, "the window in Redis is full"};
        if (!enqueued) error = enqueued.error();
        co_await backoff(clock_, book_, logger_, "enq", std::move(error));
        co_return;
    }
    clear_blocked_reason(book_);
    metrics_.jobs_issued.increment(static_cast<double>(sent.size()));
    send_later(sending, sending.read);
    co_await take_back(std::move(sent));
}

// What was out before but did not fit into the batch, or was lost on the way, goes out again by the
// same road; the cursor finds the rest.
void Feeder::send_later(const Sending& sending, std::size_t arrived) {
    for (std::size_t i = arrived; i < sending.picks.size(); ++i)
        book_.window.reissue(sending.picks[i]);
    if (arrived > 0) pass_over(sending);
}

// Everything that was read has been out or needs not, unless the cursor was set back meanwhile.
void Feeder::pass_over(const Sending& sending) {
    if (book_.rewinds != sending.rewinds) return;
    const std::uint64_t last = book_.order.position(sending.picks[sending.read - 1]);
    book_.cursor = std::max(book_.cursor, last + 1);
}

// A late result of a trial may have come while its job was on the way: nobody need call for it.
asio::awaitable<void> Feeder::take_back(std::vector<std::uint64_t> sent) {
    std::erase_if(sent, [this](std::uint64_t index) { return book_.ledger.is_open(index); });
    if (sent.empty()) co_return;
    // Best effort: the audit finds what stays.
    (void)co_await queue_.remove(std::move(sent), clock_.now() + kCallTimeout);
}

}  // namespace evalfleet::runs
