#include "common/http/client.hpp"

#include "common/http/connection_pool.hpp"
#include "common/http/connector.hpp"
#include "common/http/exchange.hpp"
#include "common/http/phase.hpp"
#include "common/http/request_head.hpp"
#include "common/http/resolver.hpp"
#include "common/http/system_trust.hpp"
#include "common/http/tls.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
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

std::string pool_key(const Request& request, const Proxy* proxy) {
    std::string key(to_string(request.url.scheme));
    key.append("://").append(request.url.host_and_port());
    if (proxy != nullptr) key.append(" via ").append(proxy->url.host_and_port());
    if (request.transport)
        key.append(" by ").append(
            std::to_string(reinterpret_cast<std::uintptr_t>(request.transport.get())));
    return key;
}

constexpr std::string_view kStale = "the kept connection was closed before an answer came";

}  // namespace

struct Client::Parts {
    Parts(const asio::any_io_executor& executor, async::Clock& clock_in, ClientConfig config_in)
        : clock(clock_in),
          config(std::move(config_in)),
          rules(make_rules(config.proxy)),
          tls(make_client_context_without_system(
              {config.ca_file, {}, config.certificate_file, config.key_file})),
          names(config.name_servers),
          resolver(clock, {}, [this](const std::string& host) { return names.blocking_ask(host); }),
          connector(executor, clock, resolver, *tls, config.user_agent),
          pool(clock, {.max_connections_per_host = config.max_connections_per_host,
                       .max_idle_per_host = config.max_idle_per_host,
                       .idle_timeout = config.idle_timeout}) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    ~Parts() { names.stop(); }

    [[nodiscard]] asio::awaitable<Result<ConnectionPool::Slot>> acquire_slot(
        const Request& request, async::TimePoint deadline);
    [[nodiscard]] asio::awaitable<Result<std::unique_ptr<Connection>>> connect(
        const Request& request, const Proxy* proxy, ConnectionPool::Slot& slot, CallLimits limits);
    [[nodiscard]] Result<asio::ssl::context*> tls_of(const Request& request);
    void trust_system_once();
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
    std::once_flag is_system_trusted;
    std::mutex mutex;  // guards own_tls
    /// Of servers that are reached in a way of their own; there are as many as providers.
    std::map<std::shared_ptr<const Transport>, std::unique_ptr<asio::ssl::context>> own_tls;
    NameLookup names;
    Resolver resolver;
    Connector connector;
    ConnectionPool pool;
};

/// A command that makes one call without TLS need not read them; a program that makes many has them
/// before the first.
void Client::Parts::trust_system_once() {
    if (!config.ca_file.empty()) return;
    std::call_once(is_system_trusted, [this] { trust_system(*tls); });
}

Result<asio::ssl::context*> Client::Parts::tls_of(const Request& request) {
    const auto& transport = request.transport;
    const bool is_usual =
        !transport || (transport->ca_file.empty() && transport->certificate_file.empty());
    if (is_usual) return tls.get();
    const std::lock_guard lock(mutex);
    auto& own = own_tls[transport];
    try {
        if (!own)
            own = make_client_context({config.ca_file, transport->ca_file,
                                       transport->certificate_file, transport->key_file});
    } catch (const std::runtime_error& error) {
        return Error{ErrorKind::invalid, error.what()};
    }
    return own.get();
}

asio::awaitable<Result<ConnectionPool::Slot>> Client::Parts::acquire_slot(
    const Request& request, async::TimePoint deadline) {
    std::string key = pool_key(request, rules.choose(request.url));
    const auto idle =
        request.transport ? request.transport->idle_timeout : ConnectionPool::IdleTimeout();
    auto free = pool.try_acquire(key, idle);
    if (!free) co_return free.error();
    if (*free) co_return std::move(**free);
    const Phase phase{kSlotPhase, async::kNever, deadline};
    co_return co_await in_phase(clock, phase, pool.acquire(std::move(key), idle));
}

asio::awaitable<Result<std::unique_ptr<Connection>>> Client::Parts::connect(
    const Request& request, const Proxy* proxy, ConnectionPool::Slot& slot, CallLimits limits) {
    const bool is_encrypted = request.url.scheme == Scheme::https ||
                              (proxy != nullptr && proxy->kind == Proxy::Kind::https);
    if (is_encrypted) trust_system_once();
    const auto context = tls_of(request);
    if (!context) co_return context.error();
    std::string_view now = kConnectPhase;
    const Phase phase{kConnectPhase, limits.connect_deadline, limits.total_deadline, &now};
    auto stream = co_await in_phase(
        clock, phase, connector.connect(request.url, proxy, **context, slot.session(), now));
    if (!stream) co_return stream.error();
    co_return std::make_unique<Connection>(std::move(*stream));
}

/// Sends on a kept connection if there is one; on a new one if there is none, or if the kept one
/// turned out to be closed. A body that comes from a source could not be sent again.
asio::awaitable<Status> Client::Parts::begin(Exchange& exchange, const Request& request,
                                             BodySource* body, CallLimits limits) {
    const Proxy* proxy = rules.choose(request.url);
    // Other proxies than these carry bytes and do not look at them.
    const Url* reader = proxy != nullptr && proxy->forwards() ? &proxy->url : nullptr;
    const std::uint64_t body_bytes = body != nullptr ? body->size() : request.body.size();
    const std::string head = format_request_head(request, reader, config.user_agent, body_bytes);
    Timings& timings = exchange.timings();
    const bool is_new = body != nullptr || request.wants_new_connection;
    if (auto idle = is_new ? nullptr : exchange.slot().take_idle()) {
        timings.connected = timings.dispatched;
        timings.connection_reused = true;
        const Status sent = co_await exchange.begin(std::move(idle), head, request, body);
        if (sent || !exchange.was_stale()) co_return sent;
        if (!request.may_resend) co_return Error{ErrorKind::transient, std::string(kStale)};
        timings.connection_reused = false;
        timings.resent = true;
    }
    auto connection = co_await connect(request, proxy, exchange.slot(), limits);
    if (!connection) co_return connection.error();
    timings.connected = clock.now();
    co_return co_await exchange.begin(std::move(*connection), head, request, body);
}

asio::awaitable<Result<std::unique_ptr<Exchange>>> Client::Parts::open(const Request& request,
                                                                       BodySource* body,
                                                                       CallLimits limits) {
    if (const Status good = check_request(request); !good) co_return good.error();
    auto slot = co_await acquire_slot(request, limits.total_deadline);
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
    parts_->trust_system_once();
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
    if (error.kind != ErrorKind::timeout) return false;
    return std::any_of(
        kPhasesBeforeSending.begin(), kPhasesBeforeSending.end(), [&](std::string_view name) {
            return error.message.ends_with(Phase{name, kNow}.timeout().message) ||
                   error.message.ends_with(Phase{name, async::kNever, kNow}.timeout().message);
        });
}

bool is_stale_connection(const Error& error) {
    return error.kind == ErrorKind::transient && error.message.ends_with(kStale);
}

}  // namespace evalfleet::http
