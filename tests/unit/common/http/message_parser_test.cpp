#include "common/http/message_parser.hpp"

#include "common/http/input_buffer.hpp"
#include "common/http/pace.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace evalfleet::http {
namespace {

/// Feeds `text` in pieces of `size` bytes, as a connection would, and returns the body.
Result<std::string> read_in_pieces(MessageParser& parser, std::string_view text, std::size_t size) {
    std::string waiting;
    std::string body;
    while (!parser.is_done() && !text.empty()) {
        waiting += text.substr(0, size);
        text.remove_prefix(std::min(size, text.size()));
        const auto used = parser.feed(waiting);
        if (!used) return used.error();
        waiting.erase(0, *used);
        body += parser.take_body();
    }
    return body;
}

TEST(MessageParser, ReadsTheSameInPiecesOfAnySize) {
    const std::string text =
        "HTTP/1.1 201 Created\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
        "4\r\nWiki\r\n6\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\n\r\n";
    for (std::size_t size = 1; size <= text.size(); ++size) {
        MessageParser parser(MessageKind::response, 4096);
        const auto body = read_in_pieces(parser, text, size);
        ASSERT_TRUE(body) << size << ": " << body.error().message;
        EXPECT_EQ(*body, "Wikipedia in \r\n\r\nchunks.") << size;
        EXPECT_TRUE(parser.is_done());
        EXPECT_TRUE(parser.keep_alive());
        EXPECT_EQ(parser.head().status, 201);
        EXPECT_EQ(parser.head().headers.find("x-a"), "1");
    }
}

TEST(MessageParser, StopsAtTheEndOfItsMessage) {
    MessageParser parser(MessageKind::request, 4096);
    const std::string first = "POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nab";
    EXPECT_EQ(*parser.feed(first + "GET /b HTTP/1.1\r\n\r\n"), first.size());
    EXPECT_TRUE(parser.is_done());
    EXPECT_EQ(parser.head().target, "/a");
    EXPECT_EQ(parser.take_body(), "ab");
    EXPECT_EQ(parser.body_bytes(), 2U);
}

TEST(MessageParser, EndsAResponseWithTheConnectionOnlyIfNothingElseEndsIt) {
    MessageParser open_ended(MessageKind::response, 4096);
    ASSERT_TRUE(open_ended.feed("HTTP/1.1 200 OK\r\n\r\nabc"));
    EXPECT_TRUE(open_ended.feed_end());
    EXPECT_TRUE(open_ended.is_done());
    EXPECT_FALSE(open_ended.keep_alive());

    MessageParser counted(MessageKind::response, 4096);
    ASSERT_TRUE(counted.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc"));
    EXPECT_EQ(counted.feed_end().error().kind, ErrorKind::transient);
    EXPECT_FALSE(MessageParser(MessageKind::response, 4096).feed_end());
}

TEST(MessageParser, BoundsTheSumOfAllHeaderLines) {
    std::string text = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < 100; ++i)
        text += "X-Header: 0123456789\r\n";
    for (const std::size_t size : {1, 22, 500, 3000}) {
        MessageParser fresh(MessageKind::request, 1000);
        const auto body = read_in_pieces(fresh, text, size);
        ASSERT_FALSE(body) << size;
        EXPECT_EQ(body.error().kind, ErrorKind::too_large);
    }
}

TEST(MessageParser, BoundsTheNumberOfHeaderLines) {
    MessageParser parser(MessageKind::request, 1'000'000);
    std::string text = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < 300; ++i)
        text += "A: b\r\n";
    EXPECT_EQ(parser.feed(text).error().kind, ErrorKind::too_large);
}

TEST(MessageParser, BoundsTheBodyFromTheMomentItIsTold) {
    MessageParser parser(MessageKind::request, 4096);
    ASSERT_TRUE(parser.feed("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n"));
    EXPECT_TRUE(parser.limit_body(11));
    EXPECT_EQ(parser.limit_body(10).error().kind, ErrorKind::too_large);
}

TEST(InputBuffer, GrowsToItsLimitAndLosesNothing) {
    InputBuffer buffer(10'000);
    std::string written;
    for (;;) {
        const auto space = buffer.prepare();
        if (space.size == 0) break;
        std::memset(space.data, 'a' + static_cast<int>(written.size() % 26), space.size);
        written.append(space.data, space.size);
        buffer.commit(space.size);
    }
    EXPECT_EQ(written.size(), 10'000U);
    EXPECT_EQ(buffer.data(), written);
    buffer.consume(9'000);
    EXPECT_EQ(buffer.data(), std::string_view(written).substr(9'000));
    EXPECT_EQ(buffer.prepare().size, 9'000U);
    EXPECT_EQ(buffer.data(), std::string_view(written).substr(9'000));
}

TEST(InputBuffer, GivesItsMemoryBack) {
    InputBuffer buffer(10'000);
    EXPECT_EQ(buffer.prepare().size, 4096U);
    buffer.release();
    EXPECT_TRUE(buffer.empty());
    EXPECT_EQ(buffer.prepare().size, 4096U);
}

TEST(Pace, GivesASecondForEachRateOfBytes) {
    const Pace pace{std::chrono::seconds(5), 1000};
    const async::TimePoint begun{std::chrono::hours(1)};
    EXPECT_EQ(pace.deadline(begun, 0), begun + std::chrono::seconds(5));
    EXPECT_EQ(pace.deadline(begun, 2500), begun + std::chrono::milliseconds(7500));
    EXPECT_EQ((Pace{std::chrono::seconds(5), 0}).deadline(begun, 1), async::kNever);
}

}  // namespace
}  // namespace evalfleet::http
