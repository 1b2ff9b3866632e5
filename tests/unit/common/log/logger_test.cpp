#include "common/log/logger.hpp"

#include "common/json/document.hpp"
#include "common/log/line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace evalfleet::log {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::system_clock::time_point kNow{1763308518123ms};

struct Captured {
    std::vector<std::string> lines;

    Logger logger(Format format, Level level = Level::info, std::vector<std::string> secrets = {}) {
        Settings settings;
        settings.level = level;
        settings.format = format;
        settings.redactor = redaction::Redactor(secrets);
        settings.asynchronous = false;
        settings.sink = [this](std::string_view line) { lines.emplace_back(line); };
        settings.now = [] { return kNow; };
        return Logger("worker", std::move(settings));
    }
};

TEST(Logger, WritesTextLinesWithFields) {
    Captured captured;
    captured.logger(Format::text).info("lease reaped", {{"run", "r1"}, {"count", 3}, {"ok", true}});
    EXPECT_THAT(
        captured.lines,
        ElementsAre("2025-11-16T15:55:18.123Z INFO  worker: lease reaped run=r1 count=3 ok=true"));
}

TEST(Logger, WritesOneJsonObjectALine) {
    Captured captured;
    captured.logger(Format::json)
        .warn("a \"b\"\n",
              {{"text", "x\ny"}, {"big", ~std::uint64_t{0}}, {"real", 0.5}, {"waited_ms", 20ms}});
    ASSERT_EQ(captured.lines.size(), 1U);
    const auto document = json::Document::parse(captured.lines[0]);
    ASSERT_TRUE(document) << captured.lines[0];
    const json::Value root = document->root();
    EXPECT_EQ(*root.get<std::string>("ts"), "2025-11-16T15:55:18.123Z");
    EXPECT_EQ(*root.get<std::string>("level"), "warn");
    EXPECT_EQ(*root.get<std::string>("logger"), "worker");
    EXPECT_EQ(*root.get<std::string>("msg"), "a \"b\"\n");
    EXPECT_EQ(*root.get<std::string>("text"), "x\ny");
    EXPECT_EQ(*root.get<std::uint64_t>("big"), ~std::uint64_t{0});
    EXPECT_EQ(*root.get<double>("real"), 0.5);
    EXPECT_EQ(*root.get<int>("waited_ms"), 20);
}

TEST(Logger, ValuesCannotBreakATextLineOrImitateAField) {
    Captured captured;
    captured.logger(Format::text).info("x\ny", {{"a", "1\n2"}, {"b", "c d=e"}, {"empty", ""}});
    EXPECT_THAT(captured.lines[0], HasSubstr(R"(x\ny a="1\n2" b="c d=e" empty="")"));
}

TEST(Logger, RedactsMessageFieldsAndBoundFields) {
    Captured captured;
    const Logger logger = captured.logger(Format::json, Level::info, {"hunter22"});
    logger.with("part", {{"key", "hunter22"}}).error("hunter22", {{"mail", "a@example.org"}});
    EXPECT_EQ(captured.lines[0],
              R"({"ts":"2025-11-16T15:55:18.123Z","level":"error","logger":"worker.part",)"
              R"("msg":"[REDACTED:secret]","key":"[REDACTED:secret]","mail":"[REDACTED:email]"})");
}

TEST(Logger, KeepsTheEndsOfConnections) {
    Captured captured;
    captured.logger(Format::text)
        .info("call from 10.1.2.3", {{"peer", "10.1.2.3"}, {"target", "10.1.2.3"}});
    EXPECT_THAT(captured.lines[0], HasSubstr("call from [REDACTED:ip_address] peer=10.1.2.3 "
                                             "target=[REDACTED:ip_address]"));
}

TEST(Logger, SaysNothingBelowItsLevel) {
    Captured captured;
    const Logger logger = captured.logger(Format::text, Level::warn);
    logger.info("quiet");
    EXPECT_FALSE(logger.enabled(Level::info));
    logger.set_level(Level::debug);
    logger.with("child").debug("loud");
    EXPECT_EQ(captured.lines.size(), 1U);
    Logger().error("nobody listens");
}

TEST(Logger, NeverThrowsButCountsWhatItLost) {
    Settings settings;
    settings.asynchronous = false;
    settings.sink = [](std::string_view) { throw std::runtime_error("disk full"); };
    const Logger logger("x", std::move(settings));
    logger.info("lost");
    EXPECT_EQ(logger.lost_lines(), 1U);
}

TEST(Logger, NumbersThatJsonLacksDoNotBreakTheLine) {
    Captured captured;
    captured.logger(Format::json).info("x", {{"nan", std::numeric_limits<double>::quiet_NaN()}});
    EXPECT_TRUE(json::Document::parse(captured.lines[0]));
}

TEST(Logger, AsynchronousLinesOfManyThreadsAllArriveBeforeTheEnd) {
    std::vector<std::string> lines;
    {
        Settings settings;
        settings.format = Format::json;
        settings.sink = [&](std::string_view line) { lines.emplace_back(line); };
        const Logger logger("x", std::move(settings));
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([logger, t] {
                for (int i = 0; i < 500; ++i)
                    logger.info("line", {{"thread", t}, {"i", i}});
            });
        }
    }
    EXPECT_EQ(lines.size(), 2000U);
}

TEST(Logger, KeepsNamesThatWereGivenByTheOperator) {
    Captured captured;
    captured.logger(Format::text)
        .info("call", {Field::plain("caller", "ops@example.org"),
                       {"mail", "ops@example.org"},
                       Field::plain("odd", "a b")});
    EXPECT_THAT(captured.lines[0],
                HasSubstr("caller=ops@example.org mail=[REDACTED:email] odd=\"a b\""));
}

TEST(Logger, NeverLosesALineThatIsToBeKept) {
    std::vector<std::string> kept;
    std::mutex gate;
    std::uint64_t lost = 0;
    {
        Settings settings;
        settings.level = Level::error;
        settings.format = Format::text;
        settings.sink = [&](std::string_view line) {
            if (line.find("audit") != std::string_view::npos) kept.emplace_back(line);
            const std::lock_guard wait(gate);
        };
        const Logger logger("x", std::move(settings));
        {
            // The output stands still, and what is queued runs over.
            const std::lock_guard stop(gate);
            for (int i = 0; i < 20'000; ++i)
                logger.error("noise");
        }
        lost = logger.lost_lines();
        for (int i = 0; i < 100; ++i) {
            logger.keep(Level::info, "audit", {{"i", i}});
            EXPECT_EQ(kept.size(), static_cast<std::size_t>(i + 1)) << "written when it returns";
            for (int n = 0; n < 1'000; ++n)
                logger.error("noise");
        }
    }
    EXPECT_GT(lost, 0U) << "there was nothing to survive";
    EXPECT_EQ(kept.size(), 100U);
    Logger().keep(Level::info, "nobody listens");
}

TEST(FormatUtc, PadsAndHandlesTimesBeforeTheEpoch) {
    EXPECT_EQ(format_utc(std::chrono::system_clock::time_point{5ms}), "1970-01-01T00:00:00.005Z");
    EXPECT_EQ(format_utc(std::chrono::system_clock::time_point{-1ms}), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace evalfleet::log
