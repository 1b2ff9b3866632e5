#include "common/redis/url.hpp"
#include "tests/integration/worker/fleet.hpp"
#include "tests/support/redis_server.hpp"
#include "worker/heartbeat/heartbeater.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

/// A worker's heartbeats in a Redis that knows none of its jobs.
class HeartbeatTest : public ::testing::Test {
  protected:
    std::shared_ptr<HeldJob> hold(std::uint64_t index) {
        auto job =
            std::make_shared<HeldJob>(queue::JobRef{"r1", index, 1}, context_.get_executor());
        held_.add(job);
        return job;
    }
    // Each asks about every job.
    void await_beats(double count) {
        HeartbeaterConfig config{.redis = redis::parse_url(redis_.url()).value(),
                                 .keys = queue::Keys(),
                                 .worker = "w",
                                 .lease = std::chrono::milliseconds(300)};
        const Heartbeater heartbeater(clock_, std::move(config), held_, health_, metrics_,
                                      log::Logger());
        ASSERT_TRUE(blocking_eventually([&] { return metrics_.heartbeats.value() >= count; }));
    }

    testing::RedisServer redis_;
    async::SystemClock clock_;
    metrics::Registry registry_{"test"};
    WorkerMetrics metrics_{registry_};
    ProviderHealth health_{{}};
    boost::asio::io_context context_;
    HeldJobs held_;
};

TEST_F(HeartbeatTest, AJobThatRedisDoesNotKnowAsOursIsLostOnce) {
    const auto job = hold(1);
    await_beats(3);
    EXPECT_TRUE(job->is_lost());
    EXPECT_EQ(metrics_.leases_lost.value(), 1);
}

// The queue has taken its end, and the answer to that is on its way.
TEST_F(HeartbeatTest, AJobWhoseEndIsBeingToldIsNotLost) {
    const auto job = hold(1);
    job->begin_settling();
    await_beats(3);
    EXPECT_FALSE(job->is_lost());
    EXPECT_EQ(metrics_.leases_lost.value(), 0);
}

}  // namespace
}  // namespace evalfleet::worker
