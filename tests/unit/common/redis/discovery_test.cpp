#include "common/redis/discovery.hpp"

#include "common/redis/key_slot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::redis {
namespace {

using ::testing::HasSubstr;

Reply text(std::string bytes) {
    return Reply::string(std::move(bytes));
}

Reply range(std::int64_t first, std::int64_t last, Reply host, std::int64_t port) {
    return Reply::array({Reply::integer(first), Reply::integer(last),
                         Reply::array({std::move(host), Reply::integer(port), text("id")})});
}

Discovery cluster_of(std::string key) {
    Discovery discovery;
    discovery.kind = Discovery::Kind::cluster;
    discovery.key = std::move(key);
    return discovery;
}

const Endpoint kSeed{"seed.example", 7000, ""};

// What CLUSTER KEYSLOT of a redis-server says.
TEST(KeySlot, IsThatOfTheServer) {
    EXPECT_EQ(key_slot("123456789"), 12739);
    EXPECT_EQ(key_slot("foo"), 12182);
    EXPECT_EQ(key_slot(""), 0);
}

TEST(KeySlot, CountsOnlyTheHashTag) {
    EXPECT_EQ(key_slot("ef:{foo}:run:1"), key_slot("foo"));
    EXPECT_EQ(key_slot("{foo}{bar}"), key_slot("foo"));
    EXPECT_NE(key_slot("ef:{}foo"), key_slot("foo"));
    EXPECT_NE(key_slot("ef:{foo"), key_slot("foo"));
}

TEST(Discovery, ReadsTheMasterThatASentinelNames) {
    const Reply reply = Reply::array({text("10.0.0.7"), text("6380")});
    EXPECT_EQ(read_discovery(Discovery{}, reply, kSeed).value(), (Endpoint{"10.0.0.7", 6380, ""}));
}

TEST(Discovery, KnowsASentinelThatKnowsNoMaster) {
    Discovery discovery;
    discovery.master = "prod";
    const auto endpoint = read_discovery(discovery, Reply(), kSeed);
    EXPECT_EQ(endpoint.error().kind, ErrorKind::not_found);
    EXPECT_THAT(endpoint.error().message, HasSubstr("'prod'"));
}

TEST(Discovery, FindsTheNodeOfAKeyAmongTheRanges) {
    const Reply slots =
        Reply::array({range(0, 12181, text("a"), 1), range(12182, 16383, text("b"), 2)});
    EXPECT_EQ(read_discovery(cluster_of("x{foo}"), slots, kSeed).value(), (Endpoint{"b", 2, ""}));
}

TEST(Discovery, TakesTheSeedsHostWhereANodeNamesNone) {
    for (const Reply& nobody : {Reply(), text(""), text("?")}) {
        const Reply slots = Reply::array({range(0, 16383, nobody, 7001)});
        EXPECT_EQ(read_discovery(cluster_of("x"), slots, kSeed).value(),
                  (Endpoint{"seed.example", 7001, ""}));
    }
}

TEST(Discovery, KnowsASlotThatNobodyHolds) {
    const Reply slots = Reply::array({range(0, 5, text("a"), 1)});
    const auto endpoint = read_discovery(cluster_of("foo"), slots, kSeed);
    EXPECT_EQ(endpoint.error().kind, ErrorKind::not_found);
    EXPECT_THAT(endpoint.error().message, HasSubstr("12182"));
}

TEST(Discovery, RefusesRepliesOfAnotherShape) {
    const std::vector<Reply> strange{Reply::integer(1),
                                     text("host"),
                                     Reply::array({text("a")}),
                                     Reply::array({text("a"), text("65536")}),
                                     Reply::array({text("a"), text("80x")}),
                                     Reply::array({text(""), text("80")})};
    for (const Reply& reply : strange)
        EXPECT_EQ(read_discovery(Discovery{}, reply, kSeed).error().kind, ErrorKind::invalid);
    const std::vector<Reply> ranges{
        Reply::integer(1), Reply::array({}),
        Reply::array({Reply::integer(0), Reply::integer(16383), text("a")}),
        Reply::array({text("0"), text("1"), text("a")}), range(0, 16383, text("a"), 0)};
    for (const Reply& one : ranges) {
        const auto endpoint = read_discovery(cluster_of("foo"), Reply::array({one}), kSeed);
        EXPECT_EQ(endpoint.error().kind, ErrorKind::invalid);
    }
}

TEST(Discovery, PassesOnWhatTheSeedRefuses) {
    const Reply refusal = Reply::error("NOAUTH Authentication required.");
    EXPECT_EQ(read_discovery(Discovery{}, refusal, kSeed).error().kind, ErrorKind::denied);
}

}  // namespace
}  // namespace evalfleet::redis
