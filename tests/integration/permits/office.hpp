#pragma once

#include "common/async/deadline.hpp"
#include "common/async/run_all.hpp"
#include "common/async/task_group.hpp"
#include "common/queue/functions_text.hpp"
#include "tests/integration/redis/scenario.hpp"
#include "tests/support/redis_server.hpp"
#include "worker/permits/permit_keeper.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace evalfleet::worker {

using redis::soon;

/// One worker's permits, talking to a real Redis.
class Clerk {
  public:
    /// `provider`: the only one, called "main".
    Clerk(redis::Client& client, async::Clock& clock, const std::string& name,
          const providers::ProviderConfig& provider, queue::WindowTerms terms)
        : functions_(client, redis::parse_library(std::string(queue::functions_text())).value()),
          queue_(functions_, queue::Keys(), name),
          keeper_(
              clock, queue_, LimitKeys({{"main", provider}}), {"main"}, terms, registry_,
              [] { return 0.5; }, logger_) {}

    /// Waits for a permit, until `deadline` at the latest.
    boost::asio::awaitable<std::optional<Permit>> acquire_until(CallNeeds needs,
                                                                async::Clock& clock,
                                                                async::TimePoint deadline) {
        auto permit = co_await async::with_deadline(clock, deadline, acquire(needs));
        if (!permit) co_return std::nullopt;
        co_return *std::move(permit);
    }

    PermitKeeper& keeper() { return keeper_; }
    queue::PermitQueue& queue() { return queue_; }
    metrics::Registry& registry() { return registry_; }

  private:
    boost::asio::awaitable<Result<Permit>> acquire(CallNeeds needs) {
        co_return co_await keeper_.acquire("main", "m", needs);
    }

    metrics::Registry registry_{"test"};
    log::Logger logger_;
    redis::FunctionLibrary functions_;
    queue::PermitQueue queue_;
    PermitKeeper keeper_;
};

inline providers::ProviderConfig with_limits(providers::Limits limits) {
    providers::ProviderConfig provider;
    provider.name = "main";
    provider.limits = limits;
    return provider;
}

/// What the calls of that provider are counted by.
inline queue::LimitKey key_of(const providers::ProviderConfig& provider) {
    return LimitKeys({{"main", provider}}).of("main", "m");
}

/// A provider that notes when requests arrive and how many are there at once, and may refuse those
/// that are too many at once.
class Counter {
  public:
    explicit Counter(std::size_t most_at_once = SIZE_MAX) : most_at_once_(most_at_once) {}

    /// False: refused.
    bool enter(async::TimePoint now) {
        arrivals_.push_back(now);
        if (inside_ >= most_at_once_) {
            ++refused_;
            return false;
        }
        peak_ = std::max(peak_, ++inside_);
        return true;
    }
    void leave() { --inside_; }

    [[nodiscard]] std::size_t peak() const { return peak_; }
    [[nodiscard]] std::size_t count_refused() const { return refused_; }
    [[nodiscard]] const std::vector<async::TimePoint>& arrivals() const { return arrivals_; }

    /// The most that arrived within any stretch of that length.
    [[nodiscard]] std::size_t most_within(async::Duration window) const {
        std::size_t most = 0;
        std::size_t first = 0;
        for (std::size_t i = 0; i < arrivals_.size(); ++i) {
            while (arrivals_[first] + window <= arrivals_[i])
                ++first;
            most = std::max(most, i - first + 1);
        }
        return most;
    }
    [[nodiscard]] std::size_t count_until(async::Duration since_first) const {
        return static_cast<std::size_t>(std::count_if(
            arrivals_.begin(), arrivals_.end(),
            [&](async::TimePoint at) { return at < arrivals_.front() + since_first; }));
    }

  private:
    std::size_t most_at_once_;
    std::size_t inside_ = 0;
    std::size_t peak_ = 0;
    std::size_t refused_ = 0;
    std::vector<async::TimePoint> arrivals_;
};

}  // namespace evalfleet::worker
