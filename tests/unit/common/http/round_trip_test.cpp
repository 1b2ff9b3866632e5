#include "common/http/round_trip.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <limits>

namespace evalfleet::http {
namespace {

using std::chrono::microseconds;

TEST(RoundTrip, IsTheShortestElseTheSmoothedElseNothing) {
    constexpr auto kUnknown = std::numeric_limits<std::uint32_t>::max();
    EXPECT_EQ(shortest_of({120, 300}), microseconds(120));
    EXPECT_EQ(shortest_of({std::nullopt, 300}), microseconds(300));
    EXPECT_EQ(shortest_of({kUnknown, 300}), microseconds(300)) << "as the kernel begins";
    EXPECT_EQ(shortest_of({0, 300}), microseconds(300));
    EXPECT_EQ(shortest_of({kUnknown, 0}), microseconds(0));
}

TEST(RoundTrip, IsNothingWhereThereIsNoTcp) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    EXPECT_EQ(shortest_round_trip(ends[0]), microseconds(0));
    ::close(ends[0]);
    ::close(ends[1]);
    EXPECT_EQ(shortest_round_trip(-1), microseconds(0));
}

TEST(RoundTrip, IsKnownOnceAConnectionStands) {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    ASSERT_EQ(::bind(listener, plain, size), 0);
    ASSERT_EQ(::listen(listener, 1), 0);
    ASSERT_EQ(::getsockname(listener, plain, &size), 0);
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::connect(client, plain, size), 0);
    EXPECT_GT(shortest_round_trip(client), microseconds(0));
    ::close(client);
    ::close(listener);
}

}  // namespace
}  // namespace evalfleet::http
