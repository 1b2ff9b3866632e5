#include "coordinator/runs/feeder.hpp"

#include "coordinator/runs/redis_patience.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

using Jobs = std::vector<queue::NewJob>;

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

bool Feeder::may_feed() const {
    return book_.phase == RunPhase::running && !book_.redis_memory_full && !book_.audit_wanted &&
           book_.disk_trouble.empty();
}

std::vector<std::uint64_t> Feeder::pick() {
    std::vector<std::uint64_t> picks;
    while (picks.size() < config_.batch_jobs) {
        const auto lost = book_.window.next_reissue();
        if (!lost) break;
        picks.push_back(*lost);
    }
    // New trials go out only after the lost ones: the batch may be cut short, and a trial before
    // the cursor must never be forgotten.
    if (!picks.empty()) return picks;
    if (!book_.window.has_room()) return picks;
    const std::uint64_t room = book_.window.limits().max_jobs - book_.window.count_jobs();
    const std::uint64_t most = std::min<std::uint64_t>(config_.batch_jobs, room);
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
        if (may_feed()) picks = pick();
        if (picks.empty()) {
            co_await book_.changed.wait(clock_, clock_.now() + std::chrono::seconds(1));
            continue;
        }
        co_await feed(std::move(picks));
    }
}

asio::awaitable<void> Feeder::feed(std::vector<std::uint64_t> picks) {
    auto read = [this, &picks] { return read_jobs(read_payload_, picks, config_.batch_bytes); };
    auto jobs = co_await pool_.run(read);
    if (!jobs) throw std::runtime_error(jobs.error().message);
    // Out before they are sent: a result may come back before the reply does.
    const async::TimePoint now = clock_.now();
    for (const queue::NewJob& job : *jobs) {
        book_.window.issue(job.index, job.payload.size());
        book_.ages.issue(job.index, now);
    }
    const std::uint64_t last = book_.order.position(jobs->back().index);
    const std::uint64_t rewinds = book_.rewinds;
    const std::size_t sent = jobs->size();
    // What was lost on the way, and what was out before but did not fit into the batch, goes out
    // again by the same road; the cursor finds the rest, unless it was set back meanwhile.
    auto advance = [this, &picks, last, rewinds](std::size_t arrived) {
        if (book_.rewinds == rewinds) book_.cursor = std::max(book_.cursor, last + 1);
        for (std::size_t i = arrived; i < picks.size(); ++i)
            book_.window.reissue(picks[i]);
    };
    // A window of Redis wider than ours lets jobs in that came back after a loss of data.
    const std::uint64_t most = book_.window.limits().max_jobs * 2;
    const auto enqueued =
        co_await queue_.enqueue(std::move(*jobs), most, clock_.now() + kCallTimeout);
    if (!enqueued || enqueued->window_full) {
        advance(0);
        const Error full{ErrorKind::transient, "the window in Redis is full"};
        co_await be_patient(clock_, book_, logger_, "enq", enqueued ? full : enqueued.error());
        co_return;
    }
    clear_obstacle(book_);
    metrics_.jobs_issued.increment(static_cast<double>(sent));
    advance(sent);
}

}  // namespace evalfleet::runs
