#include "common/redis/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::redis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Convert, TakesWhatFits) {
    EXPECT_EQ(as<std::int64_t>(Reply::integer(7)).value(), 7);
    EXPECT_EQ(as<std::string>(Reply::string("x")).value(), "x");
    EXPECT_EQ(as<std::string>(Reply::status("OK")).value(), "OK");
    EXPECT_EQ(as<Reply>(Reply::integer(7)).value(), Reply::integer(7));
    EXPECT_TRUE(as<bool>(Reply::integer(1)).value());
    EXPECT_FALSE(as<bool>(Reply::integer(0)).value());
    EXPECT_TRUE(as<bool>(Reply::status("OK")).value());
}

TEST(Convert, TakesNilAsAnEmptyOptional) {
    EXPECT_EQ(as<std::optional<std::string>>(Reply()).value(), std::nullopt);
    EXPECT_EQ(as<std::optional<std::string>>(Reply::string("x")).value(), "x");
    EXPECT_FALSE(as<std::optional<std::string>>(Reply::integer(1)));
}

TEST(Convert, TakesArraysAsVectorsPairsAndMaps) {
    const Reply array = Reply::array({Reply::string("a"), Reply::string("b")});
    EXPECT_THAT(as<std::vector<std::string>>(array).value(), ElementsAre("a", "b"));
    EXPECT_EQ((as<std::pair<std::string, std::string>>(array).value()),
              (std::pair<std::string, std::string>("a", "b")));
    EXPECT_EQ((as<std::map<std::string, std::string>>(array).value().at("a")), "b");
    const Reply holes = Reply::array({Reply(), Reply::integer(3)});
    EXPECT_THAT(as<std::vector<std::optional<std::int64_t>>>(holes).value(),
                ElementsAre(std::nullopt, 3));
}

TEST(Convert, SaysWhatCameInstead) {
    EXPECT_EQ(as<std::int64_t>(Reply::string("7")).error().message,
              "redis: expected an integer, got a string");
    EXPECT_EQ(as<std::string>(Reply()).error().message, "redis: expected a string, got nil");
    EXPECT_EQ(as<bool>(Reply::integer(2)).error().kind, ErrorKind::invalid);
    const Reply three = Reply::array({Reply(), Reply(), Reply()});
    EXPECT_THAT((as<std::map<std::string, Reply>>(three).error().message),
                HasSubstr("got an array of 3"));
    EXPECT_FALSE((as<std::pair<Reply, Reply>>(three)));
}

TEST(Convert, NamesTheElementThatDoesNotFit) {
    const Reply inner = Reply::array({Reply::string("a"), Reply::integer(1)});
    const Reply outer = Reply::array({Reply::array({}), inner});
    EXPECT_EQ(as<std::vector<std::vector<std::string>>>(outer).error().message,
              "element 1: element 1: redis: expected a string, got an integer");
}

struct Case {
    const char* text;
    ErrorKind kind;
};

class ServerError : public ::testing::TestWithParam<Case> {};

TEST_P(ServerError, IsOfTheKindThatDrivesTheRightDecision) {
    const auto result = as<std::string>(Reply::error(GetParam().text));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, GetParam().kind) << GetParam().text;
    EXPECT_THAT(result.error().message, HasSubstr(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(
    All, ServerError,
    ::testing::Values(Case{"LOADING Redis is loading the dataset in memory", ErrorKind::transient},
                      Case{"MASTERDOWN Link with MASTER is down", ErrorKind::transient},
                      Case{"READONLY You can't write against a replica", ErrorKind::transient},
                      Case{"TRYAGAIN Multiple keys request", ErrorKind::transient},
                      Case{"CLUSTERDOWN The cluster is down", ErrorKind::transient},
                      Case{"BUSY Redis is busy running a script", ErrorKind::transient},
                      Case{"MISCONF Errors writing to the AOF file", ErrorKind::transient},
                      Case{"ERR max number of clients reached", ErrorKind::transient},
                      Case{"NOAUTH Authentication required.", ErrorKind::denied},
                      Case{"WRONGPASS invalid username-password pair", ErrorKind::denied},
                      Case{"NOPERM this user has no permissions", ErrorKind::denied},
                      Case{"DENIED Redis is running in protected mode", ErrorKind::denied},
                      Case{"ERR AUTH <password> called without any password", ErrorKind::denied},
                      Case{"OOM command not allowed", ErrorKind::too_large},
                      Case{"MOVED 3999 127.0.0.1:6381", ErrorKind::transient},
                      Case{"WRONGTYPE Operation against a key", ErrorKind::invalid},
                      Case{"LOADINGX not a code we know", ErrorKind::invalid},
                      Case{"", ErrorKind::invalid}));

TEST(Convert, TellsThatAClusterWasMetWithoutAClusterClient) {
    EXPECT_THAT(as<Reply>(Reply::error("MOVED 1 a:1")).error().message, HasSubstr("cluster"));
}

TEST(Convert, CutsLongServerMessages) {
    EXPECT_LT(as<Reply>(Reply::error(std::string(10'000, 'x'))).error().message.size(), 1000U);
}

}  // namespace
}  // namespace evalfleet::redis
