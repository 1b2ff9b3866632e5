#include "common/redis/reply_reader.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace evalfleet::redis {
namespace {

Reply read_one(std::string_view wire, ReplyLimits limits = {}) {
    ReplyReader reader(limits);
    EXPECT_TRUE(reader.feed(wire));
    return reader.next().value().value();
}

Error read_error(std::string_view wire, ReplyLimits limits = {}) {
    ReplyReader reader(limits);
    EXPECT_TRUE(reader.feed(wire));
    return reader.next().error();
}

/// Reads what is there, until the end or the first error.
std::vector<Reply> read_all(ReplyReader& reader, std::string_view wire, std::size_t step) {
    std::vector<Reply> replies;
    for (std::size_t i = 0; i < wire.size(); i += step) {
        if (!reader.feed(wire.substr(i, step))) return replies;
        for (;;) {
            auto reply = reader.next();
            if (!reply) return replies;
            if (!*reply) break;
            replies.push_back(std::move(**reply));
        }
    }
    return replies;
}

using std::string_view_literals::operator""sv;

constexpr std::string_view kSample =
    "+OK\r\n:-42\r\n$5\r\nhe\0lo\r\n$-1\r\n-ERR no\r\n*-1\r\n*0\r\n"
    "*3\r\n:1\r\n*2\r\n$1\r\na\r\n$0\r\n\r\n+x\r\n"sv;

TEST(ReplyReader, ReadsEveryType) {
    EXPECT_EQ(read_one("+OK\r\n"), Reply::status("OK"));
    EXPECT_EQ(read_one("-ERR no\r\n"), Reply::error("ERR no"));
    EXPECT_EQ(read_one(":-42\r\n"), Reply::integer(-42));
    EXPECT_EQ(read_one("$3\r\na\r\n\r\n"), Reply::string("a\r\n"));
    EXPECT_EQ(read_one("$-1\r\n"), Reply());
    EXPECT_EQ(read_one("*-1\r\n"), Reply());
    EXPECT_EQ(read_one("*0\r\n"), Reply::array({}));
}

TEST(ReplyReader, ReadsArraysInArrays) {
    const Reply reply = read_one("*3\r\n:1\r\n*2\r\n$1\r\na\r\n*1\r\n:5\r\n$1\r\nb\r\n");
    const Reply inner = Reply::array({Reply::string("a"), Reply::array({Reply::integer(5)})});
    EXPECT_EQ(reply, Reply::array({Reply::integer(1), inner, Reply::string("b")}));
}

TEST(ReplyReader, ReadsTheSameWhereverTheBytesAreCut) {
    const std::string wire(kSample);
    ReplyReader whole({});
    const auto expected = read_all(whole, wire, wire.size());
    ASSERT_EQ(expected.size(), 8U);
    EXPECT_EQ(expected[2], Reply::string(std::string("he\0lo"sv)));
    for (std::size_t step = 1; step < wire.size(); ++step) {
        ReplyReader reader({});
        EXPECT_EQ(read_all(reader, wire, step), expected) << step;
    }
}

TEST(ReplyReader, WaitsForTheRestOfAReply) {
    ReplyReader reader({});
    ASSERT_TRUE(reader.feed("$5\r\nhel"));
    EXPECT_FALSE(reader.next().value().has_value());
}

TEST(ReplyReader, RefusesWhatIsNotRedis) {
    EXPECT_EQ(read_error("HTTP/1.1 400 Bad Request\r\n").kind, ErrorKind::invalid);
    EXPECT_EQ(read_error("$abc\r\n").kind, ErrorKind::invalid);
    EXPECT_EQ(read_error("*-7\r\n").kind, ErrorKind::invalid);
}

TEST(ReplyReader, BoundsTheBytesOfAReply) {
    const ReplyLimits limits{.max_bytes = 10};
    EXPECT_EQ(read_one("$10\r\n0123456789\r\n", limits).text(), "0123456789");
    EXPECT_EQ(read_error("$11\r\n0123456789a\r\n", limits).kind, ErrorKind::too_large);
    EXPECT_EQ(read_error("*2\r\n$6\r\n012345\r\n$6\r\n012345\r\n", limits).kind,
              ErrorKind::too_large);
}

TEST(ReplyReader, BoundsTheBytesOfAnIncompleteReply) {
    EXPECT_EQ(read_error("$1000000\r\n" + std::string(100, 'x'), {.max_bytes = 10}).kind,
              ErrorKind::too_large);
    EXPECT_EQ(read_error("+" + std::string(100, 'x'), {.max_bytes = 10}).kind,
              ErrorKind::too_large);
}

TEST(ReplyReader, BoundsTheElementsOfAReplyAllArraysTogether) {
    const ReplyLimits limits{.max_elements = 3};
    EXPECT_EQ(read_one("*3\r\n:1\r\n:2\r\n:3\r\n", limits).items().size(), 3U);
    EXPECT_EQ(read_error("*4\r\n", limits).kind, ErrorKind::too_large);
    EXPECT_EQ(read_error("*2\r\n*1\r\n:1\r\n*1\r\n", limits).kind, ErrorKind::too_large);
    EXPECT_EQ(read_error("*2000000000\r\n").kind, ErrorKind::too_large);
}

TEST(ReplyReader, CountsTheBoundsAnewForEveryReply) {
    ReplyReader reader({.max_bytes = 10, .max_elements = 2});
    std::string wire;
    for (int i = 0; i < 100; ++i)
        wire += "*2\r\n:1\r\n$4\r\nabcd\r\n";
    EXPECT_EQ(read_all(reader, wire, 18).size(), 100U);
}

TEST(ReplyReader, BoundsTheDepth) {
    std::string wire;
    for (int i = 0; i < 1000; ++i)
        wire += "*1\r\n";
    EXPECT_EQ(read_error(wire).kind, ErrorKind::invalid);
}

TEST(ReplyReader, SurvivesRandomBytes) {
    constexpr std::string_view kAlphabet = "+-:$*0123456789\r\n\r\nab\0%~_,#(";
    std::size_t read = 0;
    for (unsigned seed = 0; seed < 5000; ++seed) {
        std::mt19937 random(seed);
        std::string wire(random() % 200, '\0');
        for (char& c : wire)
            c = kAlphabet[random() % kAlphabet.size()];
        ReplyReader reader({.max_bytes = 1000, .max_elements = 100});
        read += read_all(reader, wire, 1 + random() % 50).size();
    }
    EXPECT_GT(read, 0U);
}

TEST(ReplyReader, SurvivesMutatedReplies) {
    std::size_t read = 0;
    for (unsigned seed = 0; seed < 5000; ++seed) {
        std::mt19937 random(seed);
        std::string wire(kSample);
        for (unsigned i = 0; i <= random() % 4; ++i) {
            const std::size_t place = random() % wire.size();
            switch (random() % 3) {
                case 0:
                    wire[place] = static_cast<char>(random());
                    break;
                case 1:
                    wire.erase(place, 1 + random() % 5);
                    break;
                default:
                    wire.insert(place, wire.substr(random() % wire.size(), random() % 20));
            }
            if (wire.empty()) break;
        }
        ReplyReader reader({.max_bytes = 1000, .max_elements = 100});
        read += read_all(reader, wire, 1 + random() % 50).size();
    }
    EXPECT_GT(read, 5000U);
}

}  // namespace
}  // namespace evalfleet::redis
