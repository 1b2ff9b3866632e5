#include "common/redis/seed_resolver.hpp"

#include "common/async/deadline.hpp"
#include "common/redis/connection.hpp"
#include "common/redis/discovery.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::redis {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kLongestPatience{1'000};

Config make_seed_config(const Config& config) {
    Config seed;
    seed.tls = config.tls;
    seed.client_name = config.client_name;
    if (config.discovery->kind == Discovery::Kind::sentinel) {
        seed.user = config.discovery->sentinel_user;
        seed.password = config.discovery->sentinel_password;
    } else {
        seed.user = config.user;
        seed.password = config.password;
    }
    return seed;
}

}  // namespace

SeedResolver::SeedResolver(async::Clock& clock, const Config& config)
    : clock_(clock),
      discovery_(*config.discovery),
      seed_config_(make_seed_config(config)),
      patience_(std::min(config.connect_timeout / 2, kLongestPatience)) {}

asio::awaitable<Result<Endpoint>> SeedResolver::resolve() {
    std::string complaints;
    const std::size_t count = discovery_.seeds.size();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = (first_ + i) % count;
        const Endpoint& seed = discovery_.seeds[place];
        const async::TimePoint deadline = clock_.now() + patience_;
        Result<Endpoint> endpoint = co_await async::with_deadline(clock_, deadline, ask(seed));
        if (endpoint) {
            first_ = place;
            co_return endpoint;
        }
        complaints += (i == 0 ? "" : "; ") + to_string(seed) + ": " + endpoint.error().message;
    }
    co_return Error{ErrorKind::transient, "nobody names the server: " + complaints};
}

asio::awaitable<Result<Endpoint>> SeedResolver::ask(const Endpoint& seed) {
    FixedEndpoint fixed(seed);
    auto connection = co_await Connection::open(seed_config_, fixed);
    if (!connection) co_return connection.error();
    std::string wire;
    if (Status status = discovery_question(discovery_).append_to(wire); !status)
        co_return status.error();
    if (Status status = co_await (*connection)->write(wire); !status) co_return status.error();
    std::vector<Reply> replies;
    while (replies.empty()) {
        const Result<std::size_t> size = co_await (*connection)->read(replies);
        if (!size && replies.empty()) co_return size.error();
    }
    co_return read_discovery(discovery_, std::move(replies.front()), seed);
}

std::unique_ptr<EndpointResolver> make_resolver(async::Clock& clock, const Config& config) {
    if (config.discovery) return std::make_unique<SeedResolver>(clock, config);
    return std::make_unique<FixedEndpoint>(config.endpoint);
}

}  // namespace evalfleet::redis
