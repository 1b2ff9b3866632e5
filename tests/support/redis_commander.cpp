#include "tests/support/redis_commander.hpp"

#include "common/async/clock.hpp"
#include "common/async/run_all.hpp"
#include "common/redis/client.hpp"
#include "common/redis/url.hpp"
#include "tests/support/run_coroutine.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace evalfleet::testing {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> send_all(redis::Client& client, std::vector<redis::Command> commands,
                               async::TimePoint deadline, std::vector<redis::Reply>& replies) {
    for (redis::Command& command : commands) {
        Result<redis::Reply> reply = co_await client.execute(std::move(command), deadline);
        replies.push_back(std::move(reply).value());
    }
}

}  // namespace

std::vector<redis::Reply> blocking_command(const std::string& url,
                                           std::vector<redis::Command> commands) {
    async::SystemClock clock;
    std::vector<redis::Reply> replies;
    asio::io_context context(1);
    redis::Client client(context.get_executor(), clock, redis::parse_url(url).value());
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(
        send_all(client, std::move(commands), clock.now() + std::chrono::seconds(20), replies));
    roles.push_back(client.run());
    run(context, async::run_all(std::move(roles)));
    return replies;
}

redis::Reply blocking_command(const std::string& url, redis::Command command) {
    std::vector<redis::Command> commands;
    commands.push_back(std::move(command));
    return blocking_command(url, std::move(commands)).front();
}

bool blocking_await_command(const std::string& url, const redis::Command& command) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < deadline) {
        try {
            (void)blocking_command(url, command);
            return true;
        } catch (const std::exception&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
    return false;
}

}  // namespace evalfleet::testing
