// Measures our HTTP client against our HTTP server on loopback, in two processes: calls a second
// with 64 in flight, and what one call in flight costs the client in memory. Prints one JSON
// object.
#include "common/async/clock.hpp"
#include "common/http/client.hpp"
#include "common/http/server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

namespace {

namespace asio = boost::asio;
using namespace evalfleet;
using namespace evalfleet::http;

constexpr int kConcurrency = 64;
constexpr int kCalls = 50'000;
constexpr int kWaitingCalls = 10'000;
constexpr long kMaxBytesPerWaitingCall = 32 * 1024;

async::SystemClock clock_of_machine;
int waiting_at_server = 0;  // in the server's process

asio::awaitable<Reply> answer(RequestContext& request) {
    static_cast<void>(co_await request.body->read_all());
    co_return Reply::json(R"({"answer": "forty-two"})");
}

asio::awaitable<Reply> count_waiting(RequestContext&) {
    co_return Reply::text(std::to_string(waiting_at_server));
}

asio::awaitable<Reply> wait_long(RequestContext&) {
    ++waiting_at_server;
    co_await clock_of_machine.wait_for(std::chrono::hours(1));
    co_return Reply::text("");
}

/// In the child: tells its port through the pipe and serves until it is killed.
[[noreturn]] void serve(int pipe) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    asio::io_context context(1);
    Router router;
    router.add("POST", "/answer", answer);
    router.add("GET", "/waiting", count_waiting);
    router.add("POST", "/wait", wait_long);
    ServerConfig config;
    config.max_connections = 2 * kWaitingCalls;
    Server server(context.get_executor(), clock_of_machine, config, std::move(router));
    if (!server.listen()) std::abort();
    const std::uint16_t port = server.port();
    if (write(pipe, &port, sizeof(port)) != sizeof(port)) std::abort();
    asio::co_spawn(context, server.run(), [](const std::exception_ptr&) { std::abort(); });
    context.run();
    std::abort();
}

Request make_request(std::uint16_t port, const std::string& path, const std::string& method) {
    Request request;
    request.method = method;
    request.url = Url::parse("http://127.0.0.1:" + std::to_string(port) + path).value();
    if (method == "POST") request.body = std::string(1000, 'x');
    return request;
}

asio::awaitable<void> call_many(Client& client, std::uint16_t port, int count) {
    for (int i = 0; i < count; ++i) {
        CallLimits limits;
        limits.total_deadline = clock_of_machine.now() + std::chrono::seconds(60);
        const auto response = co_await client.send(make_request(port, "/answer", "POST"), limits);
        if (!response || response->status != 200) std::abort();
    }
}

double measure_calls_per_second(Client& client, asio::io_context& context, std::uint16_t port) {
    const auto begin = clock_of_machine.now();
    for (int i = 0; i < kConcurrency; ++i) {
        asio::co_spawn(context, call_many(client, port, kCalls / kConcurrency),
                       [](const std::exception_ptr& failure) {
                           if (failure) std::abort();
                       });
    }
    context.run();
    const std::chrono::duration<double> elapsed = clock_of_machine.now() - begin;
    return kCalls / kConcurrency * kConcurrency / elapsed.count();
}

long resident_bytes() {
    std::ifstream file("/proc/self/statm");
    long size = 0;
    long resident = 0;
    file >> size >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

asio::awaitable<void> call_and_wait(Client& client, std::uint16_t port) {
    CallLimits limits;
    limits.total_deadline = clock_of_machine.now() + std::chrono::hours(1);
    static_cast<void>(co_await client.send(make_request(port, "/wait", "POST"), limits));
}

asio::awaitable<void> await_all_waiting(Client& client, std::uint16_t port, long& resident) {
    for (;;) {
        const auto response = co_await client.send(make_request(port, "/waiting", "GET"), {});
        if (!response) std::abort();
        if (std::stoi(response->body) >= kWaitingCalls) break;
        co_await clock_of_machine.wait_for(std::chrono::milliseconds(100));
    }
    resident = resident_bytes();
}

long measure_bytes_per_call(Client& client, asio::io_context& context, std::uint16_t port) {
    const long before = resident_bytes();
    long during = 0;
    for (int i = 0; i < kWaitingCalls; ++i) {
        asio::co_spawn(context, call_and_wait(client, port), [](const std::exception_ptr&) {});
    }
    asio::co_spawn(context, await_all_waiting(client, port, during),
                   [&context](const std::exception_ptr&) { context.stop(); });
    context.restart();
    context.run();
    return (during - before) / kWaitingCalls;
}

}  // namespace

int main() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);

    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) serve(pipe_ends[1]);
    std::uint16_t port = 0;
    if (read(pipe_ends[0], &port, sizeof(port)) != sizeof(port)) return 1;

    asio::io_context context(1);
    ClientConfig config;
    config.max_connections_per_host = 2 * kWaitingCalls;
    Client client(context.get_executor(), clock_of_machine, config);
    const double calls_per_second = measure_calls_per_second(client, context, port);
    const long bytes_per_call = measure_bytes_per_call(client, context, port);
    fmt::print(
        "{{\"calls_per_second\": {:.0f}, \"in_flight\": {}, \"bytes_per_waiting_call\": {}, "
        "\"max_bytes_per_waiting_call\": {}, \"waiting_calls\": {}}}\n",
        calls_per_second, kConcurrency, bytes_per_call, kMaxBytesPerWaitingCall, kWaitingCalls);
    std::fflush(stdout);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    // Ten thousand calls are still under way: no destructors.
    std::_Exit(bytes_per_call <= kMaxBytesPerWaitingCall ? 0 : 1);
}
