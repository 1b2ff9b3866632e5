#pragma once

#include "common/queue/permit_queue.hpp"
#include "tests/integration/queue/queue_scenario.hpp"

#include <string>
#include <utility>

namespace evalfleet::queue {

/// A window, or a tick, that no test sees the end of.
inline constexpr std::chrono::milliseconds kLong{600'000};

/// One worker's dealings with one limit key.
struct Asker {
    Asker(Queues& queues, const std::string& name, LimitKey key_)
        : queue(queues.functions, queues.keys, name), key(std::move(key_)) {}

    boost::asio::awaitable<PermitAnswer> ask(PermitAsk what) {
        co_return (co_await queue.ask(key, terms, std::move(what), soon())).value();
    }
    /// Wants so many requests of so many tokens each, so many of them for calls that have begun.
    boost::asio::awaitable<PermitAnswer> wish(std::size_t count, std::int64_t tokens = 0,
                                              std::uint64_t urgent = 0) {
        PermitAsk what = make_ask(0, count, urgent);
        what.wishes.assign(count, tokens);
        return ask(std::move(what));
    }
    /// Has so many calls under way and wants so many more.
    boost::asio::awaitable<PermitAnswer> use(std::uint64_t in_use, std::uint64_t wanted,
                                             std::uint64_t urgent = 0) {
        return ask(make_ask(in_use, wanted, urgent));
    }
    boost::asio::awaitable<LimitStats> stats() {
        auto all = (co_await queue.stats(soon())).value();
        co_return all.empty() ? LimitStats{} : all.front();
    }

    /// Nothing is learnt in most tests: only what is configured counts.
    static PermitAsk make_ask(std::uint64_t in_use, std::uint64_t wanted, std::uint64_t urgent) {
        PermitAsk what;
        what.running = in_use;
        what.in_use = in_use;
        what.wanted = wanted;
        what.urgent = urgent;
        what.first_calls = 1000;
        what.tick = kLong;
        return what;
    }

    PermitQueue queue;
    LimitKey key;
    WindowTerms terms{kLong, std::chrono::milliseconds(1'000), std::chrono::milliseconds(60'000)};
};

}  // namespace evalfleet::queue
