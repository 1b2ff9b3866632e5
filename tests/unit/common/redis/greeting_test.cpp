#include "common/redis/greeting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evalfleet::redis {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Config plain() {
    Config config;
    config.client_name = "";
    return config;
}

TEST(Greeting, OnlyPingsWhenNothingElseIsNeeded) {
    const Greeting greeting(plain());
    EXPECT_EQ(greeting.count_replies(), 1U);
    EXPECT_EQ(greeting.wire().value(), "*1\r\n$4\r\nPING\r\n");
}

TEST(Greeting, AuthenticatesBeforeEverythingElse) {
    Config config;
    config.user = "worker";
    config.password = "secret";
    config.database = 3;
    const Greeting greeting(config);
    EXPECT_EQ(greeting.count_replies(), 4U);
    const std::string wire = greeting.wire().value();
    EXPECT_TRUE(wire.starts_with("*3\r\n$4\r\nAUTH\r\n$6\r\nworker\r\n$6\r\nsecret\r\n"));
    EXPECT_THAT(wire, HasSubstr("SELECT\r\n$1\r\n3"));
    EXPECT_THAT(wire, HasSubstr("SETNAME"));
}

TEST(Greeting, LeavesTheUserOutIfThereIsNone) {
    Config config = plain();
    config.password = "secret";
    EXPECT_TRUE(Greeting(config).wire().value().starts_with("*2\r\n$4\r\nAUTH\r\n$6\r\nsecret"));
}

TEST(Greeting, FailsAsSoonAsThePasswordIsRefused) {
    Config config = plain();
    config.password = "secret";
    const Status status = Greeting(config).check({Reply::error("WRONGPASS invalid")});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::denied);
    EXPECT_THAT(status.error().message, Not(HasSubstr("secret")));
}

TEST(Greeting, DoesNotMindAServerThatForbidsNames) {
    EXPECT_TRUE(Greeting(Config{}).check({Reply::error("NOPERM no"), Reply::status("PONG")}));
}

TEST(Greeting, WaitsForAServerThatIsNotReady) {
    for (const char* text : {"LOADING x", "MASTERDOWN x", "ERR max number of clients reached"}) {
        const Status status = Greeting(plain()).check({Reply::error(text)});
        ASSERT_FALSE(status) << text;
        EXPECT_EQ(status.error().kind, ErrorKind::transient);
    }
    EXPECT_EQ(Greeting(plain()).check({Reply::error("NOAUTH x")}).error().kind, ErrorKind::denied);
}

TEST(Greeting, UsesAServerThatOnlyRefusesThePing) {
    for (const char* text : {"NOPERM x", "MISCONF x", "BUSY x"})
        EXPECT_TRUE(Greeting(plain()).check({Reply::error(text)})) << text;
}

TEST(Greeting, RefusesMoreRepliesThanCommands) {
    EXPECT_FALSE(Greeting(plain()).check({Reply::status("PONG"), Reply::status("PONG")}));
}

}  // namespace
}  // namespace evalfleet::redis
