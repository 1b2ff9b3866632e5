#include "common/http/sse.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace evalfleet::http {
namespace {

std::vector<Event> drain(SseParser& parser) {
    std::vector<Event> events;
    while (auto event = parser.next())
        events.push_back(std::move(*event));
    return events;
}

std::vector<Event> parse(std::string_view text) {
    SseParser parser;
    EXPECT_TRUE(parser.feed(text));
    return drain(parser);
}

using Events = std::vector<Event>;

TEST(SseParser, ReadsTheExamplesOfTheStandard) {
    EXPECT_EQ(parse("data: YHOO\ndata: +2\ndata: 10\n\n"), (Events{{"", "YHOO\n+2\n10", ""}}));
    EXPECT_EQ(
        parse(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third "
              "event\n\n"),
        (Events{{"", "first event", "1"}, {"", "second event", ""}, {"", " third event", ""}}));
    EXPECT_EQ(parse("data\n\ndata\ndata\n\ndata:"), (Events{{"", "", ""}, {"", "\n", ""}}));
    EXPECT_EQ(parse("data:test\n\ndata: test\n\n"), (Events{{"", "test", ""}, {"", "test", ""}}));
}

TEST(SseParser, TakesEveryLineEnding) {
    for (const char* text : {"event: a\ndata: 1\n\n", "event: a\rdata: 1\r\r",
                             "event: a\r\ndata: 1\r\n\r\n", "event: a\rdata: 1\n\r\n"}) {
        EXPECT_EQ(parse(text), (Events{{"a", "1", ""}})) << text;
    }
}

TEST(SseParser, GivesTheSameWhereverTheBytesAreCut) {
    const std::string text =
        "\xEF\xBB\xBF: hi\r\nevent: delta\rdata: one\r\ndata: two\n\r\nid: 7\ndata: \xC3\xA4\r\r\n"
        "retry: 250\ndata: last\n\n";
    const auto whole = parse(text);
    ASSERT_EQ(whole, (Events{{"delta", "one\ntwo", ""}, {"", "\xC3\xA4", "7"}, {"", "last", "7"}}));
    for (std::size_t first = 0; first <= text.size(); ++first) {
        for (std::size_t second = first; second <= text.size(); ++second) {
            SseParser parser;
            ASSERT_TRUE(parser.feed(text.substr(0, first)));
            ASSERT_TRUE(parser.feed(text.substr(first, second - first)));
            ASSERT_TRUE(parser.feed(text.substr(second)));
            ASSERT_EQ(drain(parser), whole) << first << ", " << second;
            ASSERT_EQ(parser.retry(), std::chrono::milliseconds(250));
        }
    }
}

TEST(SseParser, GivesAnEventOutAsSoonAsItsEmptyLineBegins) {
    SseParser parser;
    ASSERT_TRUE(parser.feed("data: x\r\n\r"));
    EXPECT_EQ(drain(parser).size(), 1U);
    ASSERT_TRUE(parser.feed("\ndata: y\n\n"));
    EXPECT_EQ(drain(parser).size(), 1U);
}

TEST(SseParser, DropsTheByteOrderMarkOnlyAtTheStart) {
    EXPECT_EQ(parse("\xEF\xBB\xBF"
                    "data: x\n\n"),
              (Events{{"", "x", ""}}));
    EXPECT_EQ(parse("data: y\n\n\xEF\xBB\xBF"
                    "data: x\n\n"),
              (Events{{"", "y", ""}}));
}

TEST(SseParser, IgnoresWhatItDoesNotKnow) {
    EXPECT_EQ(parse("colour: blue\nDATA: no\n data: no\ndata: yes\nretry: 1s\n\n"),
              (Events{{"", "yes", ""}}));
    SseParser parser;
    ASSERT_TRUE(parser.feed("retry: 99999999999999999999\nretry:\n"));
    EXPECT_FALSE(parser.retry());
}

TEST(SseParser, ForgetsTheTypeOfAnEventWithoutData) {
    EXPECT_EQ(parse("event: lost\n\ndata: x\n\n"), (Events{{"", "x", ""}}));
}

TEST(SseParser, KeepsTheLastIdAndRefusesOneWithNul) {
    SseParser parser;
    using namespace std::string_view_literals;
    ASSERT_TRUE(parser.feed("id: 1\ndata: a\n\nid: 2\0x\ndata: b\n\nid: 3\n\n"sv));
    EXPECT_EQ(drain(parser), (Events{{"", "a", "1"}, {"", "b", "1"}}));
    EXPECT_EQ(parser.last_event_id(), "3");
}

TEST(SseParser, DropsAnUnfinishedEventAtTheEnd) {
    EXPECT_EQ(parse("data: a\n\ndata: b\n"), (Events{{"", "a", ""}}));
}

TEST(SseParser, BoundsLinesAndEvents) {
    SseParser lines({.max_line_bytes = 10, .max_event_bytes = 100});
    EXPECT_TRUE(lines.feed("data: 6789\n"));
    EXPECT_TRUE(lines.feed("data: 6789"));
    const Status too_long = lines.feed("0");
    ASSERT_FALSE(too_long);
    EXPECT_EQ(too_long.error().kind, ErrorKind::too_large);

    SseParser events({.max_line_bytes = 100, .max_event_bytes = 10});
    EXPECT_TRUE(events.feed("data: 1234\ndata: 678\n"));
    EXPECT_FALSE(events.feed("data: 1\n"));
}

TEST(EncodeEvent, IsReadBackAsItWas) {
    for (const Event& event :
         Events{{"", "", ""}, {"delta", "one\ntwo", "9"}, {"", "\n\n", ""}, {"", " lead", "a b"}}) {
        EXPECT_EQ(parse(encode_event(event)), Events{event});
    }
}

TEST(EncodeEvent, LetsNoFieldBreakOut) {
    EXPECT_EQ(parse(encode_event({"a\ndata: forged", "x\r\ny\rz", "1\n\n"})),
              (Events{{"adata: forged", "x\ny\nz", "1"}}));
    EXPECT_TRUE(parse(kSseHeartbeat).empty());
}

}  // namespace
}  // namespace evalfleet::http
