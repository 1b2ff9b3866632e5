#include "coordinator/runs/auditor.hpp"

#include "coordinator/runs/redis_patience.hpp"

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
            co_await be_patient(clock_, book_, logger_, "audit", findings.error());
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
    const auto owned = co_await queue_.own(make_terms_(), deadline());
    if (!owned) co_return owned.error();
    const auto absent = co_await find_absent();
    if (!absent) co_return absent.error();
    // What was finished before the jobs were looked for is in the log after this.
    co_await await_full_look();
    Findings findings;
    findings.vanished = reissue(*absent);
    const auto resurrected = co_await remove_resurrected();
    if (!resurrected) co_return resurrected.error();
    findings.resurrected = *resurrected;
    const auto mended = co_await queue_.mend(deadline());
    if (!mended) co_return mended.error();
    findings.orphaned = *mended;
    book_.audit_wanted = false;
    book_.changed.notify_all();
    co_return findings;
}

asio::awaitable<Result<std::vector<std::uint64_t>>> Auditor::find_absent() {
    const std::vector<std::uint64_t> issued = book_.window.issued();
    std::vector<std::uint64_t> absent;
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

std::uint64_t Auditor::reissue(const std::vector<std::uint64_t>& absent) {
    std::uint64_t count = 0;
    for (const std::uint64_t index : absent)
        if (!book_.ledger.is_done(index) && book_.window.reissue(index)) ++count;
    return count;
}

asio::awaitable<Result<std::uint64_t>> Auditor::remove_resurrected() {
    auto present = co_await queue_.present(deadline());
    if (!present) co_return present.error();
    std::erase_if(*present, [this](std::uint64_t index) {
        return index < book_.ledger.total() && !book_.ledger.is_done(index);
    });
    std::uint64_t removed = 0;
    for (std::size_t from = 0; from < present->size(); from += config_.chunk) {
        const auto some =
            co_await queue_.remove(chunk_of(*present, from, config_.chunk), deadline());
        if (!some) co_return some.error();
        removed += *some;
    }
    co_return removed;
}

}  // namespace evalfleet::runs
