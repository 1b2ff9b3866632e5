#pragma once

#include "cli/simulator/config.hpp"
#include "cli/simulator/protocols/protocol.hpp"
#include "cli/simulator/responder.hpp"
#include "cli/simulator/stage.hpp"
#include "common/async/clock.hpp"
#include "common/http/server.hpp"
#include "common/json/document.hpp"
#include "common/result/result.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace evalfleet::simulator {

/// A model provider that costs nothing and does what tests ask of it, in the wire protocols of all
/// providers (routes.cpp has the table). It serves as model and as judge: it recognises the judge's
/// prompts. It says that it is simulated in every reply's model name.
///
/// Use: `listen()`, then `run()`. For more threads make one for each, on the same stage and, with
/// `share_port`, on the same port. Threads: `executor` must run on one thread; all functions are
/// called on it.
class Simulator {
  public:
    /// `stage` and `clock` must outlive it.
    Simulator(const boost::asio::any_io_executor& executor, async::Clock& clock, Stage& stage);
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    /// Errors name the address that could not be had.
    [[nodiscard]] Status listen(const ServiceConfig& service, bool share_port = false);

    /// After `listen()`.
    [[nodiscard]] std::uint16_t port() const { return endpoint_.port; }

    /// Serves until cancelled: that ends every connection and throws operation_aborted. While the
    /// stage's plan of outages says so, it has no connections and does not listen.
    [[nodiscard]] boost::asio::awaitable<void> run();

  private:
    /// What a request says.
    struct Asked {
        ChatRequest chat;
        std::optional<Directive> directive;  ///< of its header
        std::optional<std::string> refused_member{};
    };

    /// A request that is to be answered.
    struct Scene {
        Outcome outcome;
        std::optional<QuotaView> quota;
    };

    [[nodiscard]] Status open_server();
    /// Ends when connections are to be refused.
    [[nodiscard]] boost::asio::awaitable<void> await_refusal(OutagePlan::Stretch& refusal);
    [[nodiscard]] boost::asio::awaitable<http::Reply> complete(const Protocol& protocol,
                                                               http::RequestContext& request);
    /// The request has a member that this server does not know.
    void refuse(const std::string& member, Outcome& outcome) const;
    [[nodiscard]] Result<Scene> decide(const Protocol& protocol,
                                       const http::RequestContext& request, const std::string& body,
                                       Visit& visit);
    [[nodiscard]] Result<Asked> read(const Protocol& protocol, const http::RequestContext& request,
                                     const std::string& body);
    [[nodiscard]] Moment moment(std::optional<QuotaView> quota = {}) const;

    boost::asio::any_io_executor executor_;
    async::Clock& clock_;
    Stage& stage_;
    Responder responder_;
    json::Parser parser_;
    http::ServerConfig endpoint_;  // with the real port, once it listens
    std::unique_ptr<http::Server> server_;
};

}  // namespace evalfleet::simulator
