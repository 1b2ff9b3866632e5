#include "common/http/stamped_socket.hpp"

#include <boost/asio/error.hpp>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>

namespace evalfleet::http {

namespace asio = boost::asio;

namespace {

// A stamp that is older is none: somebody set the clock meanwhile.
constexpr std::chrono::seconds kOldest{10};

/// Stamps are of the wall clock, so that only the machine's own clocks can be related to them.
bool is_system_clock(const async::Clock& clock) {
    return dynamic_cast<const async::SystemClock*>(&clock) != nullptr;
}

/// How long ago the packet came, if its stamp is there.
std::optional<std::chrono::nanoseconds> age_of(msghdr& message) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
        timespec stamp{};
        std::memcpy(&stamp, CMSG_DATA(part), sizeof(stamp));
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME, &now);
        const auto age = std::chrono::seconds(now.tv_sec - stamp.tv_sec) +
                         std::chrono::nanoseconds(now.tv_nsec - stamp.tv_nsec);
        if (age < std::chrono::nanoseconds(0) || age > kOldest) return std::nullopt;
        return age;
    }
    return std::nullopt;
}

}  // namespace

StampedSocket::StampedSocket(Socket socket, const async::Clock& clock)
    : socket_(std::move(socket)), clock_(clock), wants_stamps_(is_system_clock(clock)) {
    if (!wants_stamps_ || !socket_.is_open()) return;
    const int on = 1;
    wants_stamps_ =
        ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) == 0;
}

StampedSocket::Received StampedSocket::receive(asio::mutable_buffer buffer) {
    iovec space{buffer.data(), buffer.size()};
    alignas(cmsghdr) std::array<char, 128> control{};
    msghdr message{};
    message.msg_iov = &space;
    message.msg_iovlen = 1;
    if (wants_stamps_) {
        message.msg_control = control.data();
        message.msg_controllen = control.size();
    }
    ssize_t count = 0;
    do {
        count = ::recvmsg(socket_.native_handle(), &message, MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return {0, asio::error::would_block};
    }
    last_arrival_ = clock_.now();
    is_stamped_ = false;
    if (count < 0) return {0, {errno, boost::system::system_category()}};
    if (count == 0) return {0, asio::error::eof};
    if (const auto age = wants_stamps_ ? age_of(message) : std::nullopt) {
        last_arrival_ -= *age;
        is_stamped_ = true;
    }
    return {static_cast<std::size_t>(count), {}};
}

}  // namespace evalfleet::http
