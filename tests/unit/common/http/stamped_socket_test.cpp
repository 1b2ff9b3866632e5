#include "common/http/stamped_socket.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>

namespace evalfleet::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

class StampedSocketTest : public ::testing::Test {
  protected:
    StampedSocketTest() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        peer_ = ends[1];
        socket_.socket().assign(asio::generic::stream_protocol(AF_UNIX, 0), ends[0]);
    }
    ~StampedSocketTest() override { ::close(peer_); }

    /// Runs everything that can be run without another byte from the peer.
    void read(std::size_t size) {
        socket_.async_read_some(asio::buffer(space_.data(), size),
                                [this](error_code code, std::size_t bytes) {
                                    is_done_ = true;
                                    code_ = code;
                                    bytes_ = bytes;
                                });
        EXPECT_FALSE(is_done_) << "a handler must not be called by who starts the read";
        context_.poll();
    }

    asio::io_context context_{1};
    async::SystemClock clock_;
    StampedSocket socket_{StampedSocket::Socket(context_), clock_};
    int peer_ = -1;
    std::array<char, 16> space_{};
    bool is_done_ = false;
    error_code code_;
    std::size_t bytes_ = 0;
};

TEST_F(StampedSocketTest, ReadsWhatIsThere) {
    ASSERT_EQ(::write(peer_, "abc", 3), 3);
    read(space_.size());
    EXPECT_TRUE(is_done_);
    EXPECT_EQ(std::string(space_.data(), bytes_), "abc");
}

TEST_F(StampedSocketTest, WaitsForAByte) {
    read(space_.size());
    EXPECT_FALSE(is_done_);
    ASSERT_EQ(::write(peer_, "a", 1), 1);
    context_.run();
    EXPECT_TRUE(is_done_);
    EXPECT_EQ(bytes_, 1U);
}

// Asio's SSL stream reads nothing to get its handler called later, when the bytes that it was asked
// for came together with the end of the handshake. Nobody sends more until they are answered.
TEST_F(StampedSocketTest, ReadsNothingAtOnceIntoNoRoom) {
    read(0);
    EXPECT_TRUE(is_done_);
    EXPECT_FALSE(code_) << code_.message();
    EXPECT_EQ(bytes_, 0U);
}

}  // namespace
}  // namespace evalfleet::http
