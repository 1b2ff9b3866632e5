#include "common/http/round_trip.hpp"

// The C library's <netinet/tcp.h> has an older tcp_info, without the shortest round trip, and does
// not go together with this one: nothing of Asio may be included here.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstddef>
#include <limits>

namespace evalfleet::http {

std::chrono::microseconds shortest_of(const RoundTrips& trips) noexcept {
    constexpr auto kUnknown = std::numeric_limits<std::uint32_t>::max();
    const std::uint32_t shortest = trips.shortest.value_or(kUnknown);
    if (shortest != 0 && shortest != kUnknown) return std::chrono::microseconds(shortest);
    return std::chrono::microseconds(trips.smoothed);
}

std::chrono::microseconds shortest_round_trip(int socket) noexcept {
    constexpr std::size_t kEndOfShortest =
        offsetof(tcp_info, tcpi_min_rtt) + sizeof(tcp_info::tcpi_min_rtt);
    tcp_info info{};
    socklen_t size = sizeof(info);
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
    RoundTrips trips{std::nullopt, info.tcpi_rtt};
    if (size >= kEndOfShortest) trips.shortest = info.tcpi_min_rtt;
    return shortest_of(trips);
}

}  // namespace evalfleet::http
