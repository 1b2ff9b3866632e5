#pragma once

#include "cli/simulator/config.hpp"
#include "cli/simulator/player.hpp"
#include "cli/simulator/request_log.hpp"
#include "common/async/blocking_pool.hpp"
#include "common/async/clock.hpp"
#include "common/http/server.hpp"
#include "common/json/document.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace evalfleet::simulator {

/// A model provider that costs nothing and does what tests ask of it: OpenAI's
/// `POST /v1/chat/completions` and `GET /v1/models`, on loopback. It serves as model and as judge:
/// it recognises the judge's prompts. It says that it is simulated in every reply's model name.
///
/// Use: `blocking_start()`, then `run()`. Threads: `executor` must run on one thread; all functions
/// are called on it.
class Simulator {
  public:
    Simulator(const boost::asio::any_io_executor& executor, async::Clock& clock,
              SimulatorConfig config, ServiceConfig service);
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;
    ~Simulator();

    /// Reads the dataset, opens the log, listens, and writes the port file. Errors name the file,
    /// or the address that could not be had.
    [[nodiscard]] Status blocking_start();

    /// After `blocking_start()`.
    [[nodiscard]] std::uint16_t port() const { return server_->port(); }

    /// Serves until cancelled: that ends every connection and throws operation_aborted.
    [[nodiscard]] boost::asio::awaitable<void> run();

    /// Replies made so far, faults included.
    [[nodiscard]] std::uint64_t count_requests() const noexcept { return requests_; }

  private:
    [[nodiscard]] http::Router make_router();
    [[nodiscard]] boost::asio::awaitable<http::Reply> complete(http::RequestContext& request);
    [[nodiscard]] boost::asio::awaitable<http::Reply> carry_out(Outcome outcome,
                                                                async::TimePoint arrival);
    [[nodiscard]] Result<Outcome> decide(const http::RequestContext& request,
                                         const std::string& body, async::TimePoint now);

    boost::asio::any_io_executor executor_;
    async::Clock& clock_;
    SimulatorConfig config_;
    ServiceConfig service_;
    json::Parser parser_;
    std::optional<Player> player_;
    std::optional<RequestLog> log_;
    async::BlockingPool pool_;
    std::unique_ptr<http::Server> server_;
    std::uint64_t requests_ = 0;
};

}  // namespace evalfleet::simulator
