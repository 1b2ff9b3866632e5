#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/async/notifier.hpp"
#include "common/http/client.hpp"
#include "common/http/retry_policy.hpp"
#include "common/log/logger.hpp"
#include "common/metrics/registry.hpp"
#include "common/traces/trace_config.hpp"
#include "coordinator/traces/trace_buffer.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::traces {

/// Of trials, by what became of their traces. Exists whether there is a collector or not.
struct TraceMetrics {
    explicit TraceMetrics(metrics::Registry& registry);

    metrics::Counter sent;
    metrics::Counter dropped;  ///< too much waited, or the collector did not take them
};

/// Tells a collector of OpenTelemetry's (OTLP over HTTP, JSON) where the time of trials went.
///
/// It may cost traces and nothing else: a record is copied into a bounded buffer, everything else
/// happens behind it. What the collector refuses for now is sent again for a minute, then dropped.
///
/// Runs on one single-threaded executor; what takes time is done on `pool`.
class TraceExporter {
  public:
    /// Reads the operator's file, and so blocks. Throws std::runtime_error if it cannot be used.
    TraceExporter(const boost::asio::any_io_executor& executor, const std::filesystem::path& file,
                  async::BlockingPool& pool, async::Clock& clock, TraceMetrics& metrics,
                  log::Logger logger);

    /// Takes a record in if it is sampled and there is room. Does not block, does not throw.
    void offer(std::string_view run_id, std::uint64_t index, std::string_view record);

    /// Until cancelled: then throws operation_aborted. What was not sent is dropped.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Completes when nothing waits any more, or at `deadline`: for the end of a program.
    [[nodiscard]] boost::asio::awaitable<void> drain(async::TimePoint deadline);

  private:
    [[nodiscard]] boost::asio::awaitable<void> tell(std::vector<WaitingRecord> batch);
    [[nodiscard]] boost::asio::awaitable<Status> deliver(const std::string& body);
    [[nodiscard]] boost::asio::awaitable<Result<http::Response>> send(std::string body);
    [[nodiscard]] boost::asio::awaitable<void> rest(async::Duration duration);
    void drop(std::size_t count, std::string_view why);

    async::BlockingPool& pool_;
    async::Clock& clock_;
    TraceMetrics& metrics_;
    log::Logger logger_;
    TraceConfig config_;
    http::Client client_;
    http::RetryPolicy retries_;
    TraceBuffer buffer_;
    async::Notifier hurry_;
    bool is_draining_ = false;
    bool is_sending_ = false;
    std::size_t dropped_ = 0;  // not yet in the log
    async::TimePoint next_complaint_{};
};

}  // namespace evalfleet::traces
