#include "cli/doctor/redis_probe.hpp"

#include "common/async/clock.hpp"
#include "common/async/run_all.hpp"
#include "common/queue/functions_text.hpp"
#include "common/redis/client.hpp"
#include "common/redis/function_library.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <utility>
#include <vector>

namespace evalfleet::doctor {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::int64_t kMsPerSecond = 1'000;
constexpr std::int64_t kUsPerMs = 1'000;

milliseconds to_ms(async::Duration duration) {
    return std::chrono::duration_cast<milliseconds>(duration);
}

asio::awaitable<void> ask_clock(redis::Client& client, async::Clock& clock,
                                async::TimePoint deadline, RedisFacts& facts) {
    const async::TimePoint before = clock.now();
    const auto began = clock.utc_now();
    const auto time =
        co_await client.execute_as<std::vector<std::string>>(redis::Command("TIME"), deadline);
    facts.round_trip = to_ms(clock.now() - before);
    if (!time || time->size() != 2) co_return;
    const std::int64_t theirs =
        std::atoll((*time)[0].c_str()) * kMsPerSecond + std::atoll((*time)[1].c_str()) / kUsPerMs;
    const auto ours = std::chrono::duration_cast<milliseconds>(began.time_since_epoch()).count() +
                      facts.round_trip.count() / 2;
    facts.clock_ahead = milliseconds(theirs - ours);
}

asio::awaitable<void> ask(redis::Client& client, redis::FunctionLibrary& library,
                          async::Clock& clock, RedisFacts& facts) {
    const async::TimePoint deadline = clock.now() + kPatience;
    if (const Status ready = co_await client.ready(deadline); !ready) {
        facts.error = ready.error().message;
        co_return;
    }
    const auto info = co_await client.execute_as<std::string>(redis::Command("INFO"), deadline);
    if (info)
        facts.info = parse_info(*info);
    else
        facts.info_error = info.error().message;
    co_await ask_clock(client, clock, deadline, facts);
    auto installed = co_await library.installed_code(deadline);
    if (installed)
        facts.library = std::move(*installed);
    else
        facts.library_error = installed.error().message;
}

}  // namespace

RedisFacts blocking_probe_redis(redis::Config config) {
    RedisFacts facts;
    facts.url = redis::to_string(config);
    asio::io_context context(1);
    async::SystemClock clock;
    redis::Client client(context.get_executor(), clock, std::move(config));
    redis::FunctionLibrary library(
        client, redis::parse_library(std::string(queue::functions_text())).value());
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(client.run());
    roles.push_back(ask(client, library, clock, facts));
    std::exception_ptr failure;
    asio::co_spawn(context, async::run_all(std::move(roles)),
                   [&failure](std::exception_ptr thrown, std::size_t) { failure = thrown; });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return facts;
}

}  // namespace evalfleet::doctor
