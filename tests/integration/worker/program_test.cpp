#include "common/files/atomic_file.hpp"
#include "common/http/client.hpp"
#include "tests/integration/worker/fleet.hpp"
#include "tests/support/run_coroutine.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

namespace evalfleet::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Action answer(const SeenCall& call) {
    return {.body = completion(call.model == "j" ? verdict() : "x")};
}

http::Response get(const std::string& url) {
    boost::asio::io_context context(1);
    async::SystemClock clock;
    http::Client client(context.get_executor(), clock, {});
    http::Request request;
    request.url = http::Url::parse(url).value();
    return testing::run(context, client.send(request, {})).value();
}

/// The worker's own address, once it listens.
std::string blocking_await_address(const std::filesystem::path& port_file) {
    EXPECT_TRUE(blocking_eventually([&] { return std::filesystem::exists(port_file); }));
    std::string port;
    std::ifstream(port_file) >> port;
    return "http://127.0.0.1:" + port;
}

TEST(WorkerProgram, ServesItsState) {
    Fleet fleet(answer);
    const auto port_file = fleet.folder() / "port";
    const auto worker =
        fleet.start_worker({"--metrics-port", "0", "--port-file", port_file.string()});
    const std::string address = blocking_await_address(port_file);
    fleet.enqueue(0);
    EXPECT_EQ(fleet.blocking_next_record().answer, "x");
    EXPECT_EQ(get(address + "/healthz").status, 200);
    EXPECT_EQ(get(address + "/readyz").status, 200);
    EXPECT_TRUE(blocking_eventually([&] {
        return get(address + "/metrics")
                   .body.find("evalfleet_worker_deliveries_total{result=\"finished\"} 1") !=
               std::string::npos;
    }));
    EXPECT_THAT(get(address + "/metrics").body,
                AllOf(HasSubstr("evalfleet_worker_trials_total{outcome=\"answered\"} 1"),
                      HasSubstr("evalfleet_redis_connected{connection=\"main\","),
                      HasSubstr("evalfleet_worker_slots 8"),
                      HasSubstr("evalfleet_worker_last_take_age_seconds")));
}

TEST(WorkerProgram, LivesButIsNotReadyWithoutRedis) {
    Fleet fleet(answer);
    fleet.redis().kill();
    const auto port_file = fleet.folder() / "port";
    const auto worker =
        fleet.start_worker({"--metrics-port", "0", "--port-file", port_file.string()});
    const std::string address = blocking_await_address(port_file);
    EXPECT_EQ(get(address + "/healthz").status, 200);
    EXPECT_EQ(get(address + "/readyz").status, 503);
    ASSERT_TRUE(worker->blocking_await_line("Redis cannot be reached"));
    fleet.redis().restart();
    EXPECT_TRUE(blocking_eventually([&] { return get(address + "/readyz").status == 200; }));
    worker->signal(SIGTERM);
    EXPECT_EQ(worker->blocking_await_exit(), 0);
}

TEST(WorkerProgram, NamesRedisWithoutItsPassword) {
    Fleet fleet(answer);
    WorkerProcess worker({"--redis", "redis://:hunter22@127.0.0.1:1", "--providers",
                          fleet.folder() / "providers.json", "--log-format", "text"},
                         {"TEST_KEY=" + std::string(kTestKey)});
    ASSERT_TRUE(worker.blocking_await_line("Redis cannot be reached"));
    EXPECT_THAT(worker.output(), AllOf(HasSubstr("127.0.0.1:1"), Not(HasSubstr("hunter22"))));
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.blocking_await_exit(), 0);
}

TEST(WorkerProgram, RefusesProvidersThatCannotWork) {
    Fleet fleet(answer);
    WorkerProcess without_key(fleet.arguments());
    EXPECT_EQ(without_key.blocking_await_exit(), 2);
    EXPECT_TRUE(without_key.blocking_await_line("TEST_KEY is not set"));

    files::blocking_write_atomically(
        fleet.folder() / "providers.json",
        R"({"providers": {"c": {"type": "telepathy", "base_url": "https://h.test"}}})")
        .value();
    const auto other_type = fleet.start_worker();
    EXPECT_EQ(other_type->blocking_await_exit(), 2);
    EXPECT_TRUE(other_type->blocking_await_line("providers.c.type: found 'telepathy'"));
}

TEST(WorkerProgram, RefusesAWrongCommandLine) {
    WorkerProcess worker({"--redis", "redis://h"});
    EXPECT_EQ(worker.blocking_await_exit(), 2);
    EXPECT_TRUE(worker.blocking_await_line("--providers"));
}

}  // namespace
}  // namespace evalfleet::worker
