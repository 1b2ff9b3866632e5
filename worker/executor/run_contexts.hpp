#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/semaphore.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/client.hpp"
#include "worker/trial/run_context.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace evalfleet::worker {

/// Every job names its run, and what is to be known of a run is in Redis. RunContexts fetches it
/// once and keeps it for the runs used last. Safe to use from any thread.
class RunContexts {
  public:
    static constexpr std::size_t kMaxRuns = 64;
    using Shared = std::shared_ptr<const RunContext>;

    RunContexts(redis::Client& client, queue::Keys keys, const ProviderSet& providers,
                async::BlockingPool& pool);

    /// `not_found`: Redis does not know the run. `invalid`: this worker cannot work for it. Others
    /// and cancellation as `redis::Client::execute`.
    [[nodiscard]] boost::asio::awaitable<Result<Shared>> get(std::string run_id,
                                                             async::TimePoint deadline);

  private:
    [[nodiscard]] Shared find(const std::string& run_id);
    void keep(Shared context);

    redis::Client& client_;
    queue::Keys keys_;
    const ProviderSet& providers_;
    async::BlockingPool& pool_;
    async::Semaphore loading_{1};  // jobs of a new run come together: load it once
    std::mutex mutex_;             // guards contexts_
    std::list<Shared> contexts_;   // used last first
};

}  // namespace evalfleet::worker
