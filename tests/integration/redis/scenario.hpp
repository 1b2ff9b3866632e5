#pragma once

#include "common/async/clock.hpp"
#include "common/async/run_all.hpp"
#include "common/redis/client.hpp"
#include "common/redis/url.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::redis {

/// Long enough for anything that goes well, on the slowest machine under a sanitizer.
inline async::TimePoint soon() {
    return std::chrono::steady_clock::now() + std::chrono::seconds(60);
}

inline async::TimePoint in(std::chrono::milliseconds duration) {
    return std::chrono::steady_clock::now() + duration;
}

/// A configuration that reconnects without delay worth mentioning.
inline Config quick_config(const std::string& url) {
    Config config = parse_url(url).value();
    config.backoff = {std::chrono::milliseconds(1), std::chrono::milliseconds(20)};
    return config;
}

/// Runs `play` next to the roles; it ends the scene. A role that ends first is a failure.
inline void run_scene(boost::asio::io_context& context, std::vector<Client*> clients,
                      boost::asio::awaitable<void> play) {
    std::vector<boost::asio::awaitable<void>> roles;
    for (Client* client : clients)
        roles.push_back(client->run());
    roles.push_back(std::move(play));
    auto join = [](std::vector<boost::asio::awaitable<void>> all) -> boost::asio::awaitable<void> {
        const std::size_t last = all.size() - 1;
        if (co_await async::run_all(std::move(all)) != last)
            throw std::logic_error("a client ended before the scene");
    };
    testing::run(context, join(std::move(roles)));
}

using Play = std::function<boost::asio::awaitable<void>(Client&)>;

/// A scene with one client. `play` must be a named lambda, since it has to outlive its coroutine.
inline void with_client(Config config, const Play& play) {
    boost::asio::io_context context(1);
    async::SystemClock clock;
    Client client(context.get_executor(), clock, std::move(config));
    run_scene(context, {&client}, play(client));
}

inline boost::asio::awaitable<std::string> echo(Client& client, std::string text) {
    co_return (co_await client.execute_as<std::string>(Command("ECHO", text), soon())).value();
}

/// Waits until the state fulfils `condition`.
inline boost::asio::awaitable<ConnectionState> await_state(
    Client& client, std::function<bool(const ConnectionState&)> condition) {
    ConnectionState state = client.state();
    while (!condition(state))
        state = co_await client.state_changed(state.version);
    co_return state;
}

inline boost::asio::awaitable<ConnectionState> await_phase(Client& client,
                                                           ConnectionState::Phase phase) {
    return await_state(client, [phase](const ConnectionState& s) { return s.phase == phase; });
}

}  // namespace evalfleet::redis
