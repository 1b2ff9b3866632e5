#include "cli/simulator/simulator.hpp"

#include "cli/simulator/completion.hpp"
#include "common/async/run_all.hpp"
#include "common/files/atomic_file.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kMaxBodyBytes = 64 * 1024 * 1024;
constexpr const char* kHeader = "x-simulate";

http::Reply refuse(const Error& error) {
    const int status = error.kind == ErrorKind::too_large ? 413 : 400;
    return http::Reply::json(error_body(status, error.message), status);
}

}  // namespace

Simulator::Simulator(const asio::any_io_executor& executor, async::Clock& clock,
                     SimulatorConfig config, ServiceConfig service)
    : executor_(executor),
      clock_(clock),
      config_(std::move(config)),
      service_(std::move(service)),
      parser_(json::Limits{.max_bytes = kMaxBodyBytes}),
      pool_({.threads = 1, .name = "request-log"}) {}

Simulator::~Simulator() {
    if (log_) static_cast<void>(log_->blocking_flush());
}

Status Simulator::blocking_start() {
    ReferenceBook book;
    if (config_.dataset) {
        auto read = ReferenceBook::blocking_read(*config_.dataset);
        if (!read) return read.error();
        book = std::move(*read);
    }
    player_.emplace(config_, std::move(book));
    if (service_.log) {
        auto log = RequestLog::blocking_create(*service_.log);
        if (!log) return log.error();
        log_ = std::move(*log);
    }
    http::ServerConfig server;
    server.host = service_.host;
    server.port = service_.port;
    server.max_connections = service_.max_connections;
    server_ = std::make_unique<http::Server>(executor_, clock_, server, make_router());
    if (Status listening = server_->listen(); !listening) return listening;
    if (!service_.port_file) return {};
    return files::blocking_write_atomically(*service_.port_file, fmt::format("{}\n", port()));
}

asio::awaitable<void> Simulator::run() {
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(server_->run());
    if (log_) roles.push_back(log_->run(clock_, pool_));
    co_await async::run_all(std::move(roles));
}

http::Router Simulator::make_router() {
    http::Router router;
    router.add("POST", "/v1/chat/completions",
               [this](http::RequestContext& request) { return complete(request); },
               {.max_body_bytes = kMaxBodyBytes});
    router.add("GET", "/v1/models", [](http::RequestContext&) -> asio::awaitable<http::Reply> {
        co_return http::Reply::json(models_body());
    });
    return router;
}

asio::awaitable<http::Reply> Simulator::complete(http::RequestContext& request) {
    const async::TimePoint arrival = clock_.now();
    const auto body = co_await request.body->read_all();
    if (!body) co_return refuse(body.error());
    auto outcome = decide(request, *body, arrival);
    if (!outcome) co_return refuse(outcome.error());
    co_return co_await carry_out(std::move(*outcome), arrival);
}

Result<Outcome> Simulator::decide(const http::RequestContext& request, const std::string& body,
                                  async::TimePoint now) {
    const auto value = parser_.parse(body);
    if (!value) return value.error();
    const auto chat = read_chat_request(*value);
    if (!chat) return chat.error();
    if (chat->stream) {
        return Error{ErrorKind::invalid, "stream: found true, allowed: false"};
    }
    std::optional<Directive> directive;
    if (const auto header = request.headers.find(kHeader)) {
        auto read = parse_directive(*header);
        if (!read) return read.error();
        directive = std::move(*read);
    }
    return player_->play(*chat, directive, now);
}

asio::awaitable<http::Reply> Simulator::carry_out(Outcome outcome, async::TimePoint arrival) {
    ++requests_;
    const bool hangs = outcome.fault == Fault::hang;
    const async::Duration delay = hangs ? async::Duration(config_.hang) : outcome.delay;
    if (delay.count() > 0) co_await clock_.wait_until(arrival + delay);
    const async::TimePoint now = clock_.now();
    if (log_) log_->add(outcome, arrival, now);
    if (hangs || outcome.fault == Fault::reset) co_return http::Reply::hang_up();
    auto reply = http::Reply::json(std::move(outcome.body), outcome.status);
    const auto worked = std::chrono::duration_cast<std::chrono::milliseconds>(now - arrival);
    reply.headers.add("openai-processing-ms", std::to_string(worked.count()));
    if (outcome.retry_after_s) {
        reply.headers.add("Retry-After", std::to_string(*outcome.retry_after_s));
    }
    co_return reply;
}

}  // namespace evalfleet::simulator
