#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/log/logger.hpp"
#include "coordinator/webhooks/run_watch.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace evalfleet::webhooks {

/// How long to wait after so many failed attempts: a second, doubled each time, at most ten
/// minutes. Pure.
[[nodiscard]] std::chrono::seconds delay_after(std::uint64_t failures) noexcept;

/// Tells the operator's receivers what happens to runs, each at least once: what was not taken is
/// tried again for three days, restarts included. Only while this coordinator leads its store. A
/// receiver that is slow or away holds up nobody but itself.
///
/// Runs on one single-threaded executor; files are read and written on `pool`.
class Webhooks {
  public:
    /// Reads the operator's file, and so blocks. Throws std::runtime_error if it cannot be used.
    Webhooks(const boost::asio::any_io_executor& executor, const std::filesystem::path& file,
             const std::filesystem::path& store, std::function<bool()> leads,
             async::BlockingPool& pool, async::Clock& clock, log::Logger logger);

    /// Until cancelled: then throws operation_aborted. What was not sent stays for the next start.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    /// How often a letter was tried, and when it is tried again.
    struct Attempt {
        std::uint64_t failures = 0;
        async::TimePoint next{};
    };
    using Attempts = std::map<std::string, Attempt>;

    [[nodiscard]] boost::asio::awaitable<void> watch();
    [[nodiscard]] boost::asio::awaitable<void> serve(const Receiver& receiver);
    [[nodiscard]] boost::asio::awaitable<void> deliver(const Receiver& receiver,
                                                       Outbox::Letter letter, Attempts& attempts);
    [[nodiscard]] boost::asio::awaitable<Status> send(const Receiver& receiver,
                                                      Outbox::Letter letter, std::string body);

    std::function<bool()> leads_;
    async::BlockingPool& pool_;
    async::Clock& clock_;
    log::Logger logger_;
    std::vector<Receiver> receivers_;
    std::unique_ptr<RunWatch> runs_;
    http::Client client_;
};

}  // namespace evalfleet::webhooks
