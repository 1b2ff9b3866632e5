#include "cli/simulator/simulator.hpp"

#include "cli/simulator/refused_members.hpp"
#include "cli/simulator/routes.hpp"
#include "common/async/run_all.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <stdexcept>
#include <utility>
#include <vector>

namespace evalfleet::simulator {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMaxBodyBytes = 64 * 1024 * 1024;
constexpr const char* kDirectives = "x-simulate";
constexpr std::chrono::milliseconds kLookForRequests{10};

/// Keeps a port without listening on it: connections to it are refused, and nobody else gets it
/// (the kernel gives free ports to connections that go out, even to those to that port itself).
class PortHolder {
  public:
    PortHolder(const asio::any_io_executor& executor, const http::ServerConfig& endpoint)
        : socket_(executor) {
        boost::system::error_code error;
        const auto address = asio::ip::make_address(endpoint.host, error);
        if (error) return;
        const asio::ip::tcp::endpoint place(address, endpoint.port);
        // Where it cannot be had the port is just free for that time.
        socket_.open(place.protocol(), error);
        socket_.set_option(asio::socket_base::reuse_address(true), error);
        socket_.bind(place, error);
    }

  private:
    asio::ip::tcp::socket socket_;
};

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
    outcome.failure = kind_of(refusal.limit);
    outcome.status = protocol.status_of(outcome.failure);
    outcome.fault = Fault::none;
    outcome.error_code.clear();
    outcome.retry_after.reset();
    if (refusal.wait) outcome.retry_after = std::chrono::ceil<std::chrono::seconds>(*refusal.wait);
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
    endpoint_.host = service.host;
    endpoint_.port = service.port;
    endpoint_.share_port = share_port;
    endpoint_.max_connections = service.max_connections;
    Status listening = open_server();
    if (listening) endpoint_.port = server_->port();
    return listening;
}

Status Simulator::open_server() {
    auto routes = make_routes([this](const Protocol& protocol, http::RequestContext& request) {
        return complete(protocol, request);
    });
    server_ = std::make_unique<http::Server>(executor_, clock_, endpoint_, std::move(routes));
    return server_->listen();
}

asio::awaitable<void> Simulator::run() {
    if (!stage_.outages().has_refusals()) co_return co_await server_->run();
    for (;;) {
        OutagePlan::Stretch refusal;
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(server_->run());
        roles.push_back(await_refusal(refusal));
        co_await async::run_all(std::move(roles));
        server_.reset();
        {
            const PortHolder holder(executor_, endpoint_);
            co_await clock_.wait_until(refusal.until);
        }
        const Status listening = open_server();
        if (!listening) throw std::runtime_error(listening.error().message);
    }
}

asio::awaitable<void> Simulator::await_refusal(OutagePlan::Stretch& refusal) {
    std::optional<OutagePlan::Stretch> next;
    while (!(next = stage_.outages().next_refusal(clock_.now())))
        co_await clock_.wait_for(kLookForRequests);
    refusal = *next;
    co_await clock_.wait_until(refusal.from);
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
    stage_.outages().note_request(visit->entry.arrival);
    if (const auto status = stage_.outages().status_at(visit->entry.arrival)) {
        visit->entry.kind = "outage";
        Failure failure;
        failure.status = *status;
        failure.retry_after = stage_.config().retry_after.told_with(*status);
        co_return responder_.refuse(protocol, std::move(failure), std::move(visit), moment());
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
    const bool is_late = due.count() > 0 || visit->entry.service > visit->entry.arrival;
    if (is_late) co_await clock_.wait_until(visit->entry.service + due);
    co_return responder_.answer(protocol, std::move(scene->outcome), std::move(visit),
                                moment(scene->quota));
}

void Simulator::refuse(const std::string& member, Outcome& outcome) const {
    constexpr int kBadRequest = 400;
    constexpr int kUnprocessable = 422;
    outcome.status = stage_.config().error_shape == ErrorShape::own ? kBadRequest : kUnprocessable;
    outcome.failure = FailureKind::bad_request;
    outcome.error_code = "unsupported_parameter";
    outcome.refused_member = member;
}

Result<Simulator::Scene> Simulator::decide(const Protocol& protocol,
                                           const http::RequestContext& request,
                                           const std::string& body, Visit& visit) {
    const auto asked = read(protocol, request, body);
    if (!asked) return asked.error();
    auto outcome = stage_.player().play(asked->chat, asked->directive);
    if (!outcome) return outcome.error();
    if (asked->refused_member) refuse(*asked->refused_member, *outcome);
    const async::TimePoint arrival = visit.entry.arrival;
    auto verdict = stage_.quotas().admit(protocol.key(request), asked->chat.model,
                                         outcome->completion.tokens.total(), arrival);
    if (verdict.refusal) {
        apply(*verdict.refusal, protocol, *outcome);
    } else {
        visit.entry.service = stage_.slots().enter(arrival, responder_.service_time(*outcome));
    }
    visit.place = std::move(verdict.place);
    visit.entry.key = outcome->key;
    visit.entry.nth = outcome->nth;
    visit.entry.kind = outcome->is_judge ? "judge" : "model";
    return Scene{std::move(*outcome), verdict.view};
}

Result<Simulator::Asked> Simulator::read(const Protocol& protocol,
                                         const http::RequestContext& request,
                                         const std::string& body) {
    const auto value = parser_.parse(body);
    if (!value) return value.error();
    auto chat = protocol.read(request, *value);
    if (!chat) return chat.error();
    Asked asked{std::move(*chat), {}, find_refused_member(*value, stage_.config().refused_members)};
    if (const auto header = request.headers.find(kDirectives)) {
        auto read = parse_directive(*header);
        if (!read) return read.error();
        asked.directive = std::move(*read);
    }
    return asked;
}

Moment Simulator::moment(std::optional<QuotaView> quota) const {
    return {clock_.now(), clock_.utc_now(), std::move(quota)};
}

}  // namespace evalfleet::simulator
