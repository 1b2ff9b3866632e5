#include "common/aws/event_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::aws {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

// AWS's own test vectors of the format: "empty_message" and "payload_no_headers".
const std::string kEmpty = "\x00\x00\x00\x10\x00\x00\x00\x00\x05\xc2\x48\xeb\x7d\x98\xc8\xff"s;
const std::string kPayload =
    "\x00\x00\x00\x1d\x00\x00\x00\x00\xfd\x52\x8c\x5a{'foo':'bar'}\xc3\x65\x39\x36"s;

Frame event() {
    return {{{":event-type", "contentBlockDelta"}, {":message-type", "event"}}, R"({"a":1})"};
}

std::vector<Frame> parse(std::string_view bytes, std::size_t step) {
    FrameParser parser;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        parser.feed(bytes.substr(at, step));
        while (auto frame = parser.next().value())
            frames.push_back(*std::move(frame));
    }
    EXPECT_FALSE(parser.has_rest());
    return frames;
}

TEST(EventStream, ReadsAndWritesThePublishedVectors) {
    EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
    EXPECT_EQ(encode({}), kEmpty);
    EXPECT_EQ(encode({{}, "{'foo':'bar'}"}), kPayload);
    const auto frames = parse(kEmpty + kPayload, 1000);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].payload, "");
    EXPECT_EQ(frames[1].payload, "{'foo':'bar'}");
}

TEST(EventStream, IsTheSameInWhateverPiecesItComes) {
    const std::string bytes = encode(event()) + kPayload + encode(event());
    for (const std::size_t step : {1U, 2U, 7U, 100U}) {
        const auto frames = parse(bytes, step);
        ASSERT_EQ(frames.size(), 3U);
        EXPECT_EQ(frames[2].header(":event-type"), "contentBlockDelta");
        EXPECT_EQ(frames[2].header(":none"), "");
        EXPECT_EQ(frames[2].payload, R"({"a":1})");
    }
}

TEST(EventStream, RefusesEveryBrokenByte) {
    const std::string bytes = encode(event());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string broken = bytes;
        broken[i] = static_cast<char>(broken[i] ^ 0x20);
        FrameParser parser;
        parser.feed(broken);
        EXPECT_FALSE(parser.next()) << i;
    }
}

TEST(EventStream, RefusesWhatIsTooLongBeforeItCame) {
    std::string head = "\x7f\xff\xff\xff\x00\x00\x00\x00"s;
    const std::uint32_t sum = crc32(head);
    for (int i = 3; i >= 0; --i)
        head += static_cast<char>(sum >> (8U * static_cast<unsigned>(i)) & 0xFFU);
    FrameParser parser;
    parser.feed(head);
    EXPECT_EQ(parser.next().error().kind, ErrorKind::too_large);
}

}  // namespace
}  // namespace evalfleet::aws
