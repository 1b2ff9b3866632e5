#include "cli/simulator/directive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Directive, ReadsEverySetting) {
    const Directive read = parse_directive(
                               "status=429, times=2,retry_after=1 delay_ms=5 answer=\"two "
                               "\\\"words\\\"\" finish=length "
                               "usage=none judge=1/0 judge_status=500 judge_times=1 "
                               "judge_fault=reset judge_delay_ms=7 code=insufficient_quota "
                               "cached=8 cache_write=9 reasoning=10 drip_ms=11 bytes=12")
                               .value();
    EXPECT_EQ(read.model.status, 429);
    EXPECT_EQ(read.model.times, 2U);
    EXPECT_EQ(read.model.retry_after, std::chrono::seconds(1));
    EXPECT_EQ(read.model.delay, 5ms);
    EXPECT_EQ(read.answer, "two \"words\"");
    EXPECT_EQ(read.finish_reason, "length");
    EXPECT_FALSE(read.has_usage);
    EXPECT_EQ(read.verdict, "1/0");
    EXPECT_EQ(read.judge.status, 500);
    EXPECT_EQ(read.judge.times, 1U);
    EXPECT_EQ(read.judge.fault, Fault::reset);
    EXPECT_EQ(read.judge.delay, 7ms);
    EXPECT_EQ(read.model.error_code, "insufficient_quota");
    EXPECT_EQ(read.cached_tokens, 8U);
    EXPECT_EQ(read.cache_write_tokens, 9U);
    EXPECT_EQ(read.model.reasoning_tokens, 10U);
    EXPECT_EQ(read.drip, 11ms);
    EXPECT_EQ(read.oversized_bytes, 12U);
}

TEST(Directive, IsEmptyForNothing) {
    EXPECT_EQ(parse_directive("").value(), Directive{});
    EXPECT_EQ(parse_directive(" , ").value(), Directive{});
}

TEST(Directive, NamesWhatIsWrong) {
    EXPECT_EQ(parse_directive("status=42").error().message,
              "x-simulate: status: found '42', allowed: 200 to 599");
    EXPECT_EQ(parse_directive("fault=slow").error().message,
              "x-simulate: fault: found 'slow', allowed: hang, reset, close, malformed, empty, "
              "truncate, cut, stall, mid_error, drip, oversized, gzip, refusal, content_filter, "
              "prompt_filter, no_done, surrogates, blank_error");
    EXPECT_THAT(parse_directive("stats=1").error().message, HasSubstr("unknown key 'stats'"));
    EXPECT_FALSE(parse_directive("times=-1"));
    EXPECT_FALSE(parse_directive("delay_ms"));
    EXPECT_FALSE(parse_directive("usage=some"));
}

TEST(Directive, IsFoundInAText) {
    EXPECT_EQ(find_directive("What? [[simulate status=500 times=1]] Really?"),
              "status=500 times=1");
    EXPECT_FALSE(find_directive("What? [[simulate status=500"));
    EXPECT_FALSE(find_directive("[[simulated]]"));
    EXPECT_FALSE(find_directive(""));
}

TEST(Directive, ReadsWhatServersDoThatDifferFromTheBook) {
    EXPECT_EQ(parse_directive("fault=no_done").value().model.fault, Fault::no_done);
    EXPECT_EQ(parse_directive("judge_reasoning=5").value().judge.reasoning_tokens, 5U);
    EXPECT_TRUE(parse_directive("usage=apart").value().counts_reasoning_apart);
    EXPECT_FALSE(parse_directive("usage=some"));
}

}  // namespace
}  // namespace evalfleet::simulator
