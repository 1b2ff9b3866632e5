#include "coordinator/runs/reopening.hpp"

#include <vector>

namespace evalfleet::runs {

namespace asio = boost::asio;

asio::awaitable<Result<std::uint64_t>> reopen_unmeasured(OpenRun& open,
                                                         async::BlockingPool& durable,
                                                         async::HeavyPool& heavy) {
    const auto turn = co_await open.book.log_turn.acquire();
    const std::vector<std::uint64_t> trials = open.book.find_retries();
    if (trials.empty()) co_return 0;
    auto append = [&open, &trials] {
        std::vector<store::Entry> entries;
        for (const std::uint64_t index : trials)
            entries.push_back({store::EntryKind::reopened, index, {}});
        return open.log.blocking_append(entries);
    };
    const auto written = co_await durable.run(append);
    if (!written) co_return written.error();
    for (const std::uint64_t index : trials)
        open.book.reopen(index);
    if (open.may_end_early) {
        auto watch = [&open](const std::stop_token& stop) {
            return open.blocking_watch_gates(stop);
        };
        async::HeavyPool::Job job{open.intake.terms().run_id, open.log.size()};
        open.book.gates = co_await heavy.run(std::move(job), watch);
        open.book.early_stop = {};
    }
    co_return trials.size();
}

}  // namespace evalfleet::runs
