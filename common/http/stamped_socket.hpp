#pragma once

#include "common/async/clock.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace evalfleet::http {

/// A socket that knows when its bytes arrived, not when somebody got round to reading them.
///
/// An event loop that serves thousands of connections reads bytes later than they come, by as much
/// as the handlers before it take: that delay would be added to every latency. Linux stamps each
/// packet on its arrival (SO_TIMESTAMPNS) and hands the stamp of the last packet over with the
/// bytes. Where there is none, for unix sockets and under a clock of a test, the time is that of
/// the read.
///
/// Has what Asio asks of the stream under an SSL stream. Threads as an Asio socket.
class StampedSocket {
  public:
    using Socket = boost::asio::generic::stream_protocol::socket;
    using executor_type = Socket::executor_type;
    using lowest_layer_type = Socket::lowest_layer_type;

    StampedSocket(Socket socket, const async::Clock& clock);

    /// What a read gave at once.
    struct Received {
        std::size_t bytes = 0;
        boost::system::error_code code{};  ///< `eof` at the end, `would_block` if nothing is there
    };

    /// Reads what is there without waiting, and notes when it came.
    [[nodiscard]] Received receive(boost::asio::mutable_buffer buffer);

    /// When the bytes of the last read came.
    [[nodiscard]] async::TimePoint last_arrival() const noexcept { return last_arrival_; }
    /// Whether the kernel said so.
    [[nodiscard]] bool is_stamped() const noexcept { return is_stamped_; }

    [[nodiscard]] executor_type get_executor() { return socket_.get_executor(); }
    [[nodiscard]] lowest_layer_type& lowest_layer() { return socket_.lowest_layer(); }
    [[nodiscard]] const lowest_layer_type& lowest_layer() const { return socket_.lowest_layer(); }
    [[nodiscard]] Socket& socket() { return socket_; }

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_compose<Token, void(boost::system::error_code, std::size_t)>(
            ReadSome{*this, *boost::asio::buffer_sequence_begin(buffers)}, token, socket_);
    }

    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return socket_.async_write_some(buffers, std::forward<Token>(token));
    }

  private:
    /// Waits until there is something, then takes it.
    struct ReadSome {
        StampedSocket& owner;
        boost::asio::mutable_buffer buffer;

        template <class Self>
        void operator()(Self& self, boost::system::error_code code = {}) {
            // Asio's SSL stream reads nothing to get its handler called later. Nothing is always
            // there: to wait for a byte, or to take "no byte" for the end, would be wrong.
            if (buffer.size() == 0) {
                if (std::exchange(waited, true)) return self.complete({}, 0);
                return boost::asio::post(owner.get_executor(), std::move(self));
            }
            if (!code && std::exchange(waited, true)) {
                const Received received = owner.receive(buffer);
                if (received.code != boost::asio::error::would_block) {
                    return self.complete(received.code, received.bytes);
                }
            }
            if (code) return self.complete(code, 0);
            owner.socket_.async_wait(Socket::wait_read, std::move(self));
        }

        bool waited = false;
    };

    Socket socket_;
    const async::Clock& clock_;
    bool wants_stamps_;
    bool is_stamped_ = false;
    async::TimePoint last_arrival_{};
};

}  // namespace evalfleet::http
