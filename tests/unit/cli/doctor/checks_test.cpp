#include "cli/doctor/machine_checks.hpp"
#include "cli/doctor/redis_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace evalfleet::doctor {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kOurs = "#!lua name=evalfleet\n-- version: 7\n-- serves: 4\n";

RedisFacts healthy() {
    return {.url = "redis://redis:6379",
            .info = parse_info("# Server\r\nredis_version:7.0.15\r\nloading:0\r\naof_enabled:1\r\n"
                               "aof_last_write_status:ok\r\nmaxmemory_policy:noeviction\r\n"
                               "used_memory:1000\r\nmaxmemory:0\r\n"),
            .clock_ahead = milliseconds(-20),
            .round_trip = milliseconds(2),
            .library = kOurs};
}

Finding about(const Findings& findings, const std::string& what) {
    const auto found = std::ranges::find(findings, what, &Finding::what);
    return found == findings.end() ? Finding{Level::ok, "(nothing)", "", ""} : *found;
}

TEST(RedisChecks, FindNothingWrongWithAHealthyServer) {
    const Findings findings = check_redis(healthy(), kOurs);
    for (const Finding& each : findings) {
        EXPECT_EQ(each.level, Level::ok) << each.what << ": " << each.found;
        EXPECT_THAT(each.advice, IsEmpty()) << each.what;
    }
    EXPECT_FALSE(has_failure(findings));
    EXPECT_THAT(about(findings, "clock").found, HasSubstr("20 ms behind"));
}

TEST(RedisChecks, SayOfOneThatIsAwayNothingButThat) {
    RedisFacts facts = healthy();
    facts.error = "connection refused";
    const Findings findings = check_redis(facts, kOurs);
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].level, Level::fail);
    EXPECT_THAT(findings[0].found, HasSubstr("connection refused"));
}

TEST(RedisChecks, SayWhatToDoAboutEachSetting) {
    struct Case {
        const char* key;
        const char* value;
        const char* what;
        Level level;
        const char* advice;
    };
    for (const Case& each :
         {Case{"redis_version", "6.2.1", "redis version", Level::fail, "7 or newer"},
          Case{"aof_enabled", "0", "redis persistence", Level::warn, "appendonly yes"},
          Case{"aof_last_write_status", "err", "redis persistence", Level::fail, "disk"},
          Case{"loading", "1", "redis persistence", Level::warn, "wait"},
          Case{"maxmemory_policy", "allkeys-lru", "redis memory", Level::fail, "noeviction"},
          Case{"maxmemory", "1100", "redis memory", Level::fail, "raise maxmemory"}}) {
        RedisFacts facts = healthy();
        facts.info[each.key] = each.value;
        const Finding finding = about(check_redis(facts, kOurs), each.what);
        EXPECT_EQ(finding.level, each.level) << each.key;
        EXPECT_THAT(finding.advice, HasSubstr(each.advice)) << each.key;
    }
}

TEST(RedisChecks, WarnOfAClockThatIsASecondOff) {
    RedisFacts facts = healthy();
    facts.clock_ahead = milliseconds(1'001);
    const Finding finding = about(check_redis(facts, kOurs), "clock");
    EXPECT_EQ(finding.level, Level::warn);
    EXPECT_THAT(finding.found, HasSubstr("1001 ms ahead of ours"));
}

TEST(RedisChecks, TellALibraryThatServesUsFromOneThatDoesNot) {
    const auto level = [](std::optional<std::string> library) {
        RedisFacts facts = healthy();
        facts.library = std::move(library);
        return about(check_redis(facts, kOurs), "function library").level;
    };
    EXPECT_EQ(level(kOurs), Level::ok);
    EXPECT_EQ(level(std::nullopt), Level::warn);
    EXPECT_EQ(level("#!lua name=evalfleet\n-- version: 6\n"), Level::warn);
    EXPECT_EQ(level("#!lua name=evalfleet\n-- version: 9\n-- serves: 5\n"), Level::ok);
    EXPECT_EQ(level("#!lua name=evalfleet\n-- version: 9\n-- serves: 8\n"), Level::fail);
}

TEST(RedisChecks, SayWhichRightAUserLacks) {
    RedisFacts facts = healthy();
    facts.info_error = facts.library_error = "NOPERM this user has no permissions";
    facts.clock_ahead.reset();
    const Findings findings = check_redis(facts, kOurs);
    EXPECT_THAT(about(findings, "redis info").advice, HasSubstr("INFO"));
    EXPECT_THAT(about(findings, "function library").advice, HasSubstr("FUNCTION LIST"));
    EXPECT_FALSE(has_failure(findings)) << "what is not known is not wrong";
}

TEST(MachineChecks, KnowHowMuchRoomIsLittle) {
    constexpr std::uint64_t kMiB = 1 << 20;
    EXPECT_EQ(check_room("/data", 199 * kMiB, 1000 * kMiB).level, Level::fail);
    EXPECT_EQ(check_room("/data", 4000 * kMiB, 9000 * kMiB).level, Level::warn);
    EXPECT_EQ(check_room("/data", 6000 * kMiB, 9000 * kMiB).level, Level::ok);
    EXPECT_EQ(check_open_files(1024).level, Level::warn);
    EXPECT_EQ(check_open_files(65536).level, Level::ok);
}

TEST(ProviderChecks, NameTheKeyThatIsNotSetAndShowNone) {
    const auto all = providers::read_providers_text(
        "providers:\n"
        "  good: {type: openai, base_url: \"http://127.0.0.1:1/v1\", api_key_env: SET, rpm: 60,\n"
        "         prices: {input_usd_per_mtok: 1, output_usd_per_mtok: 2}}\n"
        "  bad: {type: openai, base_url: \"http://127.0.0.1:1/v1\", api_key_env: UNSET}\n",
        "providers.yaml");
    ASSERT_TRUE(all) << all.error().message;
    const config::Environment environment =
        [](const std::string& name) -> std::optional<std::string> {
        return name == "SET" ? std::optional<std::string>("sk-very-secret") : std::nullopt;
    };
    const Findings findings = blocking_check_providers(*all, environment);
    EXPECT_EQ(about(findings, "provider good").level, Level::ok);
    EXPECT_EQ(about(findings, "provider good limits").level, Level::ok);
    EXPECT_EQ(about(findings, "provider bad").level, Level::fail);
    EXPECT_THAT(about(findings, "provider bad").found, HasSubstr("UNSET"));
    EXPECT_EQ(about(findings, "provider bad limits").level, Level::warn);
    EXPECT_EQ(about(findings, "provider bad prices").level, Level::warn);
    EXPECT_THAT(to_text(findings), Not(HasSubstr("very-secret")));
}

TEST(Findings, AreALineEachWithWhatToDoBelow) {
    const Findings findings{well("a", "fine"), broken("b", "\033[2Jgone", "mend it")};
    EXPECT_EQ(to_text(findings),
              "ok    a: fine\n"
              "fail  b: ?[2Jgone\n"
              "      -> mend it\n"
              "1 ok, 0 to look at, 1 wrong\n");
    EXPECT_THAT(to_json(findings), HasSubstr("\"healthy\": false"));
    EXPECT_THAT(to_json({}), HasSubstr("\"healthy\": true"));
}

}  // namespace
}  // namespace evalfleet::doctor
