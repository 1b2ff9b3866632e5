#include "cli/simulator/simulator.hpp"

#include "cli/simulator/routes.hpp"

#include <utility>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMaxBodyBytes = 64 * 1024 * 1024;
constexpr const char* kDirectives = "x-simulate";

Failure to_failure(const Error& error) {
    Failure failure;
    failure.kind = FailureKind::bad_request;
    failure.message = error.message;
    failure.status = 400;
    if (error.kind == ErrorKind::too_large) failure.status = 413;
    if (error.kind == ErrorKind::not_found) failure.status = 404;
    return failure;
}

FailureKind kind_of(QuotaKeeper::Limit limit) {
    switch (limit) {
        case QuotaKeeper::Limit::requests:
            return FailureKind::requests_limit;
        case QuotaKeeper::Limit::tokens:
            return FailureKind::tokens_limit;
        case QuotaKeeper::Limit::concurrency:
            return FailureKind::busy;
    }
    return FailureKind::plain;
}

void apply(const QuotaKeeper::Refusal& refusal, const Protocol& protocol, Outcome& outcome) {
    const auto wait = std::chrono::ceil<std::chrono::seconds>(refusal.wait);
    outcome.failure = kind_of(refusal.limit);
    outcome.status = protocol.status_of(outcome.failure);
    outcome.fault = Fault::none;
    outcome.error_code.clear();
    outcome.retry_after_s = static_cast<std::uint64_t>(wait.count());
    outcome.delay = {};
}

}  // namespace

Simulator::Simulator(const asio::any_io_executor& executor, async::Clock& clock, Stage& stage)
    : executor_(executor),
      clock_(clock),
      stage_(stage),
      responder_(stage.config()),
      parser_(json::Limits{.max_bytes = kMaxBodyBytes, .reject_duplicate_keys = false}) {}

Status Simulator::listen(const ServiceConfig& service, bool share_port) {
    http::ServerConfig server;
    server.host = service.host;
    server.port = service.port;
    server.share_port = share_port;
    server.max_connections = service.max_connections;
    auto routes = make_routes([this](const Protocol& protocol, http::RequestContext& request) {
        return complete(protocol, request);
    });
    server_ = std::make_unique<http::Server>(executor_, clock_, server, std::move(routes));
    return server_->listen();
}

asio::awaitable<void> Simulator::run() {
    return server_->run();
}

asio::awaitable<http::Reply> Simulator::complete(const Protocol& protocol,
                                                 http::RequestContext& request) {
    const auto body = co_await request.body->read_all();
    auto visit = std::make_unique<Visit>(stage_.log());
    visit->entry.request_id = request.request_id;
    visit->entry.arrival = request.body->last_arrival();
    if (!body) {
        co_return responder_.refuse(protocol, to_failure(body.error()), std::move(visit), moment());
    }
    if (!stage_.keys().allow(protocol.key(request))) {
        Failure failure;
        failure.kind = FailureKind::bad_key;
        failure.status = protocol.status_of(failure.kind);
        co_return responder_.refuse(protocol, std::move(failure), std::move(visit), moment());
    }
    auto scene = decide(protocol, request, *body, *visit);
    if (!scene) {
        co_return responder_.refuse(protocol, to_failure(scene.error()), std::move(visit),
                                    moment());
    }
    const async::Duration due = responder_.head_due(scene->outcome);
    if (due.count() > 0) co_await clock_.wait_until(visit->entry.arrival + due);
    co_return responder_.answer(protocol, std::move(scene->outcome), std::move(visit),
                                moment(scene->quota));
}

Result<Simulator::Scene> Simulator::decide(const Protocol& protocol,
                                           const http::RequestContext& request,
                                           const std::string& body, Visit& visit) {
    auto outcome = play(protocol, request, body);
    if (!outcome) return outcome.error();
    auto verdict = stage_.quotas().admit(protocol.key(request), outcome->completion.tokens.total(),
                                         visit.entry.arrival);
    if (verdict.refusal) apply(*verdict.refusal, protocol, *outcome);
    visit.place = std::move(verdict.place);
    visit.entry.key = outcome->key;
    visit.entry.nth = outcome->nth;
    visit.entry.kind = outcome->is_judge ? "judge" : "model";
    return Scene{std::move(*outcome), verdict.view};
}

Result<Outcome> Simulator::play(const Protocol& protocol, const http::RequestContext& request,
                                const std::string& body) {
    const auto value = parser_.parse(body);
    if (!value) return value.error();
    const auto chat = protocol.read(request, *value);
    if (!chat) return chat.error();
    std::optional<Directive> directive;
    if (const auto header = request.headers.find(kDirectives)) {
        auto read = parse_directive(*header);
        if (!read) return read.error();
        directive = std::move(*read);
    }
    return stage_.player().play(*chat, directive);
}

Moment Simulator::moment(std::optional<QuotaView> quota) const {
    return {clock_.now(), clock_.utc_now(), std::move(quota)};
}

}  // namespace evalfleet::simulator
