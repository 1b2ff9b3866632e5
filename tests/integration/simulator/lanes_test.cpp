#include "cli/simulator/lanes.hpp"

#include "tests/integration/simulator/simulator_fixture.hpp"

#include <algorithm>

namespace evalfleet::simulator {
namespace {

class SimulatorLanes : public SimulatorTest {
  protected:
    /// Asks on connections of their own, so that the kernel gives them to different threads.
    asio::awaitable<void> ask_often(std::string url, std::vector<int>& statuses) {
        constexpr int kCalls = 40;
        for (int i = 0; i < kCalls; ++i) {
            http::Client client(context_.get_executor(), clock_, {});
            auto call = ask(client, url, "status=503 times=3");
            const auto response = co_await std::move(call);
            statuses.push_back(response ? response->status : 0);
        }
    }

    /// Ends once calls were refused and then served again.
    asio::awaitable<void> ask_through_an_outage(std::string url) {
        for (const bool is_served : {true, false, true}) {
            for (bool found = !is_served; found != is_served;) {
                http::Client client(context_.get_executor(), clock_, {});
                auto call = ask(client, url);
                found = (co_await std::move(call)).has_value();
            }
        }
    }

    asio::awaitable<void> serve_beside(Simulator& simulator, std::string url,
                                       std::vector<int>& statuses) {
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(ask_often(std::move(url), statuses));
        roles.push_back(simulator.run());
        co_await async::run_all(std::move(roles));
    }
};

TEST_F(SimulatorLanes, ServeOnePortAndCountTogether) {
    const auto stage = Stage::blocking_open({}, service_);
    ASSERT_TRUE(stage);
    Simulator simulator(context_.get_executor(), clock_, **stage);
    ASSERT_TRUE(simulator.listen(service_, true));
    service_.port = simulator.port();
    Lanes lanes(clock_, **stage);
    ASSERT_TRUE(lanes.start(service_, 2));
    std::vector<int> statuses;
    const std::string url = fmt::format("http://127.0.0.1:{}", service_.port);
    ::evalfleet::testing::run(context_, serve_beside(simulator, url, statuses));
    lanes.blocking_stop();
    EXPECT_EQ(statuses.size(), 40U);
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 503), 3);
    EXPECT_EQ(std::count(statuses.begin(), statuses.end(), 200), 37);
}

TEST_F(SimulatorLanes, RefuseConnectionsTogether) {
    SimulatorConfig config;
    config.outages = {Outage::parse("0.02:1:refuse").value()};
    const auto stage = Stage::blocking_open(config, service_);
    ASSERT_TRUE(stage);
    Simulator simulator(context_.get_executor(), clock_, **stage);
    ASSERT_TRUE(simulator.listen(service_, true));
    service_.port = simulator.port();
    Lanes lanes(clock_, **stage);
    ASSERT_TRUE(lanes.start(service_, 2));
    const std::string url = fmt::format("http://127.0.0.1:{}", service_.port);
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(ask_through_an_outage(url));
    roles.push_back(simulator.run());
    ::evalfleet::testing::run(context_, join(std::move(roles)));
    lanes.blocking_stop();
}

TEST_F(SimulatorLanes, SayWhenThePortIsTaken) {
    const auto stage = Stage::blocking_open({}, service_);
    ASSERT_TRUE(stage);
    Simulator alone(context_.get_executor(), clock_, **stage);
    ASSERT_TRUE(alone.listen(service_));
    service_.port = alone.port();
    Lanes lanes(clock_, **stage);
    EXPECT_FALSE(lanes.start(service_, 1));
}

}  // namespace
}  // namespace evalfleet::simulator
