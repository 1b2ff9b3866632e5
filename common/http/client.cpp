#include "common/http/client.hpp"

#include "common/http/connection_pool.hpp"
#include "common/http/connector.hpp"
#include "common/http/exchange.hpp"
#include "common/http/phase.hpp"
#include "common/http/request_head.hpp"
#include "common/http/resolver.hpp"
#include "common/http/tls.hpp"

#include <stdexcept>
#include <utility>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

ProxyRules make_rules(const ProxyConfig& config) {
    auto rules = ProxyRules::create(config);
    if (!rules) throw std::runtime_error(rules.error().message);
    return std::move(*rules);
}

std::string pool_key(const Url& url, const Url* proxy) {
    std::string key(to_string(url.scheme));
    key.append("://").append(url.host_and_port());
    if (proxy != nullptr) key.append(" via ").append(proxy->host_and_port());
    return key;
}

}  // namespace

struct Client::Parts {
    Parts(const asio::any_io_executor& executor, async::Clock& clock_in, ClientConfig config_in)
        : clock(clock_in),
          config(std::move(config_in)),
          rules(make_rules(config.proxy)),
          tls(make_client_context({config.ca_file, config.certificate_file, config.key_file})),
          resolver(clock, {}),
          connector(executor, clock, resolver, *tls, config.user_agent),
          pool(clock, {.max_connections_per_host = config.max_connections_per_host,
                       .max_idle_per_host = config.max_idle_per_host,
                       .idle_timeout = config.idle_timeout}) {}

    [[nodiscard]] asio::awaitable<Result<ConnectionPool::Slot>> acquire_slot(
        std::string key, async::TimePoint deadline);
    [[nodiscard]] asio::awaitable<Result<std::unique_ptr<Connection>>> connect(
        const Url& url, const Url* proxy, ConnectionPool::Slot& slot, CallLimits limits);
    [[nodiscard]] asio::awaitable<Status> begin(Exchange& exchange, const Request& request,
                                                BodySource* body, CallLimits limits);
    [[nodiscard]] asio::awaitable<Result<std::unique_ptr<Exchange>>> open(const Request& request,
                                                                          BodySource* body,
                                                                          CallLimits limits);
    [[nodiscard]] asio::awaitable<Result<Response>> send(Request request, BodySource* body,
                                                         CallLimits limits);

    async::Clock& clock;
    ClientConfig config;
    ProxyRules rules;
    std::unique_ptr<asio::ssl::context> tls;
    Resolver resolver;
    Connector connector;
    ConnectionPool pool;
};

asio::awaitable<Result<ConnectionPool::Slot>> Client::Parts::acquire_slot(
    std::string key, async::TimePoint deadline) {
    auto free = pool.try_acquire(key);
    if (!free) co_return free.error();
    if (*free) co_return std::move(**free);
    const Phase phase{kSlotPhase, async::kNever, deadline};
    co_return co_await in_phase(clock, phase, pool.acquire(std::move(key)));
}

asio::awaitable<Result<std::unique_ptr<Connection>>> Client::Parts::connect(
    const Url& url, const Url* proxy, ConnectionPool::Slot& slot, CallLimits limits) {
    const Phase phase{kConnectPhase, limits.connect_deadline, limits.total_deadline};
    auto stream = co_await in_phase(clock, phase,
                                    connector.connect(url, proxy, slot.session(), phase.until()));
    if (!stream) co_return stream.error();
    co_return std::make_unique<Connection>(std::move(*stream));
}

/// Sends on a kept connection if there is one; on a new one if there is none, or if the kept one
/// turned out to be closed. A body that comes from a source could not be sent again.
asio::awaitable<Status> Client::Parts::begin(Exchange& exchange, const Request& request,
                                             BodySource* body, CallLimits limits) {
    const Url* proxy = rules.choose(request.url);
    const std::uint64_t body_bytes = body != nullptr ? body->size() : request.body.size();
    const std::string head = format_request_head(request, proxy, config.user_agent, body_bytes);
    Timings& timings = exchange.timings();
    if (auto idle = body != nullptr ? nullptr : exchange.slot().take_idle()) {
        timings.connected = timings.dispatched;
        timings.connection_reused = true;
        const Status sent = co_await exchange.begin(std::move(idle), head, request, body);
        if (sent || !exchange.was_stale() || !request.may_resend) co_return sent;
        timings.connection_reused = false;
        timings.resent = true;
    }
    auto connection = co_await connect(request.url, proxy, exchange.slot(), limits);
    if (!connection) co_return connection.error();
    timings.connected = clock.now();
    co_return co_await exchange.begin(std::move(*connection), head, request, body);
}

asio::awaitable<Result<std::unique_ptr<Exchange>>> Client::Parts::open(const Request& request,
                                                                       BodySource* body,
                                                                       CallLimits limits) {
    if (const Status good = check_request(request); !good) co_return good.error();
    auto slot = co_await acquire_slot(pool_key(request.url, rules.choose(request.url)),
                                      limits.total_deadline);
    if (!slot) co_return slot.error();
    Timings timings;
    timings.dispatched = clock.now();
    auto exchange = std::make_unique<Exchange>(clock, std::move(*slot), limits, timings);
    if (const Status begun = co_await begin(*exchange, request, body, limits); !begun) {
        co_return begun.error();
    }
    co_return exchange;
}

Client::Client(const asio::any_io_executor& executor, async::Clock& clock, ClientConfig config)
    : parts_(std::make_unique<Parts>(executor, clock, std::move(config))) {}

Client::~Client() = default;

asio::awaitable<Result<Response>> Client::Parts::send(Request request, BodySource* body,
                                                      CallLimits limits) {
    auto exchange = co_await open(request, body, limits);
    if (!exchange) co_return exchange.error().within(request.url.redacted());
    auto rest = co_await (*exchange)->read_rest();
    if (!rest) co_return rest.error().within(request.url.redacted());
    MessageHead& head = (*exchange)->head();
    co_return Response{head.status, std::move(head.headers), std::move(*rest),
                       (*exchange)->timings()};
}

asio::awaitable<Result<Response>> Client::send(Request request, CallLimits limits) {
    return parts_->send(std::move(request), nullptr, limits);
}

asio::awaitable<Result<Response>> Client::upload(Request request, BodySource& body,
                                                 CallLimits limits) {
    return parts_->send(std::move(request), &body, limits);
}

asio::awaitable<Result<ResponseStream>> Client::open(Request request, CallLimits limits) {
    auto exchange = co_await parts_->open(request, nullptr, limits);
    if (!exchange) co_return exchange.error().within(request.url.redacted());
    co_return ResponseStream(std::move(*exchange));
}

asio::awaitable<void> Client::run() {
    for (;;) {
        co_await parts_->clock.wait_for(parts_->config.idle_timeout / 2);
        parts_->pool.close_old_idle();
    }
}

std::size_t Client::count_idle_connections() const {
    return parts_->pool.count_idle();
}

bool is_connect_timeout(const Error& error) {
    constexpr async::TimePoint kNow{};
    const auto is_of = [&error](const Phase& phase) {
        return error.message.ends_with(phase.timeout().message);
    };
    return error.kind == ErrorKind::timeout &&
           (is_of({kSlotPhase, async::kNever, kNow}) || is_of({kConnectPhase, kNow}) ||
            is_of({kConnectPhase, async::kNever, kNow}));
}

}  // namespace evalfleet::http
