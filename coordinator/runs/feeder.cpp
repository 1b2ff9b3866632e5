#include "coordinator/runs/feeder.hpp"

#include "coordinator/runs/redis_patience.hpp"
#include "coordinator/runs/trial_index.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

using Jobs = std::vector<queue::NewJob>;

// Reads lines until the batch is full; the rest of the picks is left for the next one.
Result<Jobs> read_jobs(const Feeder::ReadLine& read_line, const std::vector<std::uint64_t>& picks,
                       std::uint64_t repeats, std::size_t max_bytes) {
    Jobs jobs;
    std::size_t bytes = 0;
    for (const std::uint64_t index : picks) {
        if (bytes >= max_bytes) break;
        auto line = read_line(TrialIndex::of(index, repeats).sample_index);
        if (!line) return line.error();
        bytes += line->size();
        jobs.push_back({index, std::move(*line)});
    }
    return jobs;
}

}  // namespace

Feeder::Feeder(Config config, RunBook& book, queue::RunQueue& queue, async::BlockingPool& pool,
               ReadLine read_line, RunsMetrics& metrics, async::Clock& clock, log::Logger logger)
    : config_(config),
      book_(book),
      queue_(queue),
      pool_(pool),
      read_line_(std::move(read_line)),
      metrics_(metrics),
      clock_(clock),
      logger_(std::move(logger)) {}

bool Feeder::may_feed() const {
    return book_.phase == RunPhase::running && !book_.redis_memory_full && !book_.audit_wanted;
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
    std::optional<std::uint64_t> open = book_.ledger.next_open(book_.cursor);
    while (open && picks.size() < std::min<std::uint64_t>(config_.batch_jobs, room)) {
        picks.push_back(*open);
        open = book_.ledger.next_open(*open + 1);
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
    auto read = [this, &picks] {
        return read_jobs(read_line_, picks, config_.repeats, config_.batch_bytes);
    };
    auto jobs = co_await pool_.run(read);
    if (!jobs) throw std::runtime_error(jobs.error().message);
    // Out before they are sent: a result may come back before the reply does.
    const async::TimePoint now = clock_.now();
    for (const queue::NewJob& job : *jobs) {
        book_.window.issue(job.index, job.payload.size());
        book_.ages.issue(job.index, now);
    }
    const std::uint64_t last = jobs->back().index;
    const std::size_t sent = jobs->size();
    // What did not fit into the batch, or was lost on the way, goes out again by the same road.
    auto put_back = [this, &picks](std::size_t from) {
        for (std::size_t i = from; i < picks.size(); ++i)
            if (picks[i] < book_.cursor) book_.window.reissue(picks[i]);
    };
    // A window of Redis wider than ours lets jobs in that came back after a loss of data.
    const std::uint64_t most = book_.window.limits().max_jobs * 2;
    const auto enqueued =
        co_await queue_.enqueue(std::move(*jobs), most, clock_.now() + kCallTimeout);
    if (!enqueued || enqueued->window_full) {
        book_.cursor = std::max(book_.cursor, last + 1);
        put_back(0);
        const Error full{ErrorKind::transient, "the window in Redis is full"};
        co_await be_patient(clock_, book_, logger_, "enq", enqueued ? full : enqueued.error());
        co_return;
    }
    clear_obstacle(book_);
    metrics_.jobs_issued.increment(static_cast<double>(sent));
    book_.cursor = std::max(book_.cursor, last + 1);
    put_back(sent);
}

}  // namespace evalfleet::runs
