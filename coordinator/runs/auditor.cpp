#include "coordinator/runs/auditor.hpp"

#include "coordinator/runs/redis_backoff.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

std::vector<std::uint64_t> chunk_of(const std::vector<std::uint64_t>& all, std::size_t from,
                                    std::size_t size) {
    const std::size_t end = std::min(all.size(), from + size);
    return {all.begin() + static_cast<std::ptrdiff_t>(from),
            all.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

Auditor::Auditor(Config config, RunBook& book, queue::RunQueue& queue, redis::Client& client,
                 MakeTerms make_terms, RunsMetrics& metrics, async::Clock& clock,
                 log::Logger logger)
    : config_(config),
      book_(book),
      queue_(queue),
      client_(client),
      make_terms_(std::move(make_terms)),
      metrics_(metrics),
      clock_(clock),
      logger_(std::move(logger)) {}

async::TimePoint Auditor::deadline() const {
    return clock_.now() + kCallTimeout;
}

asio::awaitable<void> Auditor::run() {
    std::uint64_t connects = client_.state().connects;
    for (async::TimePoint next = clock_.now() + config_.interval;;) {
        const bool reconnected = client_.state().connects != connects;
        if (!book_.audit_wanted && !reconnected && clock_.now() < next) {
            const auto look_again = std::min(next, clock_.now() + std::chrono::seconds(1));
            co_await book_.changed.wait(clock_, look_again);
            continue;
        }
        connects = client_.state().connects;
        if (!config_.enabled) {
            book_.audit_wanted = false;
            next = clock_.now() + config_.interval;
            continue;
        }
        const auto findings = co_await run_once();
        if (!findings) {
            book_.audit_wanted = true;
            co_await backoff(clock_, book_, logger_, "audit", findings.error());
            continue;
        }
        metrics_.count(*findings);
        if (findings->any()) {
            logger_.warn("the audit repaired the queue", {{"vanished", findings->vanished},
                                                          {"resurrected", findings->resurrected},
                                                          {"orphaned", findings->orphaned}});
        }
        next = clock_.now() + config_.interval;
    }
}

asio::awaitable<Result<Auditor::Findings>> Auditor::run_once() {
    // Not in turn: workers wait for a run that Redis has forgotten.
    const auto owned = co_await queue_.own(make_terms_(), deadline());
    if (!owned) co_return owned.error();
    const auto findings = co_await compare();
    if (!findings) co_return findings.error();
    book_.audit_wanted = false;
    book_.changed.notify_all();
    co_return *findings;
}

asio::awaitable<Result<Auditor::Findings>> Auditor::compare() {
    auto turn = co_await config_.turns->acquire();
    const auto absent = co_await find_absent();
    if (!absent) co_return absent.error();
    turn = {};
    // What was finished before the jobs were looked for is in the log after this.
    co_await await_full_look();
    Findings findings;
    findings.vanished = reissue(*absent);
    turn = co_await config_.turns->acquire();
    const std::size_t slice = std::min(config_.chunk, book_.window.jobs_a_mib());
    const auto found = co_await queue_.present(deadline(), slice);
    if (!found) co_return found.error();
    Indexes present(found->begin(), found->end());
    const auto resurrected = co_await remove_resurrected(present);
    if (!resurrected) co_return resurrected.error();
    findings.resurrected = *resurrected;
    const auto mended = co_await mend(std::move(present));
    if (!mended) co_return mended.error();
    findings.orphaned = *mended;
    co_return findings;
}

asio::awaitable<Result<std::vector<std::uint64_t>>> Auditor::find_absent() {
    const Indexes issued = book_.window.issued();
    Indexes absent;
    for (std::size_t from = 0; from < issued.size(); from += config_.chunk) {
        auto some = co_await queue_.absent(chunk_of(issued, from, config_.chunk), deadline());
        if (!some) co_return some.error();
        absent.insert(absent.end(), some->begin(), some->end());
    }
    co_return absent;
}

asio::awaitable<void> Auditor::await_full_look() {
    const std::uint64_t begun = book_.looks_begun;
    while (book_.looks_completed <= begun)
        co_await book_.changed.wait(clock_);
}

std::uint64_t Auditor::reissue(const Indexes& absent) {
    std::uint64_t count = 0;
    for (const std::uint64_t index : absent) {
        if (!book_.ledger.is_open(index))
            book_.settle(index);
        else if (book_.window.reissue(index))
            ++count;
    }
    return count;
}

asio::awaitable<Result<std::uint64_t>> Auditor::remove_resurrected(Indexes& present) {
    const auto is_wanted = [this](std::uint64_t index) {
        return index < book_.ledger.total() && !book_.ledger.is_done(index);
    };
    const auto bound = std::stable_partition(present.begin(), present.end(), is_wanted);
    const Indexes unwanted(bound, present.end());
    present.erase(bound, present.end());
    std::uint64_t removed = 0;
    for (std::size_t from = 0; from < unwanted.size(); from += config_.chunk) {
        const auto some =
            co_await queue_.remove(chunk_of(unwanted, from, config_.chunk), deadline());
        if (!some) co_return some.error();
        removed += *some;
    }
    co_return removed;
}

// Those that are in nobody's hands and not in the list of ready jobs. Jobs move while we look: what
// is found is looked at once more, and what moved then, too, stands in the list twice at worst.
asio::awaitable<Result<std::uint64_t>> Auditor::mend(Indexes present) {
    auto orphans = co_await find_orphans(std::move(present));
    if (orphans && !orphans->empty()) orphans = co_await find_orphans(std::move(*orphans));
    if (!orphans) co_return orphans.error();
    std::uint64_t mended = 0;
    for (std::size_t from = 0; from < orphans->size(); from += config_.chunk) {
        const auto some = co_await queue_.mend(chunk_of(*orphans, from, config_.chunk), deadline());
        if (!some) co_return some.error();
        mended += *some;
    }
    co_return mended;
}

asio::awaitable<Result<std::vector<std::uint64_t>>> Auditor::find_orphans(Indexes suspects) {
    Indexes unheld;
    for (std::size_t from = 0; from < suspects.size(); from += config_.chunk) {
        auto some = co_await queue_.unheld(chunk_of(suspects, from, config_.chunk), deadline());
        if (!some) co_return some.error();
        unheld.insert(unheld.end(), some->begin(), some->end());
    }
    if (unheld.empty()) co_return unheld;
    // After that: a job that was ready then is so still, or has been taken.
    const auto ready = co_await queue_.ready(deadline());
    if (!ready) co_return ready.error();
    std::erase_if(unheld, [&](std::uint64_t index) { return ready->contains(index); });
    co_return unheld;
}

}  // namespace evalfleet::runs
