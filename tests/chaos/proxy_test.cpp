#include "tests/support/fault_proxy.hpp"
#include "tests/support/redis_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

/// The proxy that the chaos test puts between programs does what it is told.
namespace evalfleet::testing {
namespace {

using Flow = FaultProxy::Flow;

/// A connection to a redis-server over the proxy, which is asked with PING.
class Caller {
  public:
    explicit Caller(const FaultProxy& proxy)
        : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(proxy.port());
        (void)::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller() { ::close(socket_); }

    void ask() const { (void)::send(socket_, "PING\r\n", 6, MSG_NOSIGNAL); }
    /// "+PONG", "ended", or "nothing" if none of both comes within that time.
    [[nodiscard]] std::string hear(int milliseconds) const {
        pollfd waiting{socket_, POLLIN, 0};
        if (::poll(&waiting, 1, milliseconds) == 0) return "nothing";
        std::array<char, 64> bytes{};
        const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), 0);
        return size <= 0 ? "ended" : std::string(bytes.data(), 5);
    }

  private:
    int socket_;
};

constexpr int kSoon = 60'000;
constexpr int kAWhile = 200;

class FaultProxyTest : public ::testing::Test {
  protected:
    FaultProxyTest() { proxy_.carry_to(server_.socket_path().string()); }

    RedisServer server_;
    FaultProxy proxy_;
};

TEST_F(FaultProxyTest, CarriesBytesBothWays) {
    const Caller caller(proxy_);
    caller.ask();
    EXPECT_EQ(caller.hear(kSoon), "+PONG");
    EXPECT_EQ(proxy_.count_hits(), 0U);
}

TEST_F(FaultProxyTest, KeepsBytesBackUntilItIsHealed) {
    const Caller caller(proxy_);
    caller.ask();
    ASSERT_EQ(caller.hear(kSoon), "+PONG");
    proxy_.set_link({.to_server = Flow::waits, .to_client = Flow::waits});
    caller.ask();
    EXPECT_EQ(caller.hear(kAWhile), "nothing");
    proxy_.heal();
    EXPECT_EQ(caller.hear(kSoon), "+PONG");
    EXPECT_EQ(proxy_.count_hits(), 1U);
}

TEST_F(FaultProxyTest, LosesBytesOfOneDirectionAndResetsTheConnectionWhenItIsHealed) {
    for (const bool loses_replies : {false, true}) {
        const Caller caller(proxy_);
        caller.ask();
        ASSERT_EQ(caller.hear(kSoon), "+PONG");
        FaultProxy::Link link;
        (loses_replies ? link.to_client : link.to_server) = Flow::vanishes;
        proxy_.set_link(link);
        caller.ask();
        EXPECT_EQ(caller.hear(kAWhile), "nothing");
        proxy_.heal();
        EXPECT_EQ(caller.hear(kSoon), "ended");
        const Caller next(proxy_);
        next.ask();
        EXPECT_EQ(next.hear(kSoon), "+PONG");
    }
}

TEST_F(FaultProxyTest, ResetsConnectionsAndRefusesNewOnes) {
    const Caller caller(proxy_);
    caller.ask();
    ASSERT_EQ(caller.hear(kSoon), "+PONG");
    proxy_.reset_connections();
    EXPECT_EQ(caller.hear(kSoon), "ended");
    EXPECT_EQ(proxy_.count_open(), 0U);
    proxy_.set_link({.refuses = true});
    const Caller refused(proxy_);
    refused.ask();
    EXPECT_EQ(refused.hear(kSoon), "ended");
}

TEST_F(FaultProxyTest, DelaysWhatPasses) {
    constexpr std::chrono::milliseconds kLatency{50};
    proxy_.set_link({.latency = kLatency});
    const auto before = std::chrono::steady_clock::now();
    const Caller caller(proxy_);
    caller.ask();
    EXPECT_EQ(caller.hear(kSoon), "+PONG");
    EXPECT_GE(std::chrono::steady_clock::now() - before, kLatency * 2) << "there and back";
}

}  // namespace
}  // namespace evalfleet::testing
