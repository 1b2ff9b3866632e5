#include "common/queue/permit_queue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evalfleet::queue {
namespace {

using redis::Reply;

Reply::Array good_answer() {
    Reply::Array items;
    for (const int number : {2, 700, 5, 1, 30, 0, 4})
        items.push_back(Reply::integer(number));
    items.push_back(Reply::string("state"));
    items.push_back(Reply::string("12.5"));
    items.push_back(Reply::string("1700000000000"));
    for (const int number : {6, 7, 8})
        items.push_back(Reply::integer(number));
    return items;
}

TEST(DecodePermit, GivesEveryField) {
    const auto answer = decode_permit(Reply::array(good_answer()));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->granted, 2U);
    EXPECT_EQ(answer->bucket, 700U);
    EXPECT_EQ(answer->allowed, 5U);
    EXPECT_TRUE(answer->keep);
    EXPECT_EQ(answer->wait.count(), 30);
    EXPECT_EQ(answer->paused.count(), 0);
    EXPECT_EQ(answer->shared, (SharedLimit{4, "state", 12.5}));
    EXPECT_EQ(answer->server_now.count(), 1'700'000'000'000);
    EXPECT_EQ(answer->fleet_held, 6U);
    EXPECT_EQ(answer->fleet_requests, 7U);
    EXPECT_EQ(answer->fleet_tokens, 8U);
}

TEST(DecodePermit, RefusesAnyFieldOfAnotherShape) {
    for (std::size_t i = 0; i < good_answer().size(); ++i) {
        for (const Reply& hostile : {Reply(), Reply::integer(-1), Reply::array({})}) {
            Reply::Array items = good_answer();
            items[i] = hostile;
            const auto answer = decode_permit(Reply::array(items));
            ASSERT_FALSE(answer) << i;
            EXPECT_EQ(answer.error().kind, ErrorKind::invalid);
        }
    }
    for (const char* limit : {"", "nan", "inf", "-3", "12x"}) {
        Reply::Array items = good_answer();
        items[8] = Reply::string(limit);
        EXPECT_FALSE(decode_permit(Reply::array(items))) << limit;
    }
    Reply::Array shorter = good_answer();
    shorter.pop_back();
    EXPECT_FALSE(decode_permit(Reply::array(shorter)));
    EXPECT_FALSE(decode_permit(Reply()));
    EXPECT_FALSE(decode_permit(Reply::string("x")));
}

TEST(DecodePermits, GivesAllKeysOrRefuses) {
    Reply::Array row{Reply::string("k")};
    for (int i = 1; i <= 5; ++i)
        row.push_back(Reply::integer(i));
    row.push_back(Reply::string("0"));
    row.push_back(Reply::integer(9));
    const auto stats = decode_permits(Reply::array({Reply::array(row)}));
    ASSERT_TRUE(stats);
    ASSERT_EQ(stats->size(), 1U);
    EXPECT_EQ(stats->front().key, "k");
    EXPECT_EQ(stats->front().held, 1U);
    EXPECT_EQ(stats->front().paused.count(), 9);
    EXPECT_TRUE(decode_permits(Reply::array({})).value().empty());
    EXPECT_FALSE(decode_permits(Reply::array({Reply()})));
    EXPECT_FALSE(decode_permits(Reply()));
}

TEST(LimitKey, IsAdaptiveOnlyWhereNothingIsConfigured) {
    EXPECT_TRUE(LimitKey{}.is_adaptive());
    EXPECT_FALSE((LimitKey{.name = "k", .rpm = 1}.is_adaptive()));
    EXPECT_FALSE((LimitKey{.name = "k", .tpm = 1}.is_adaptive()));
    EXPECT_FALSE((LimitKey{.name = "k", .max_concurrent = 1}.is_adaptive()));
    EXPECT_TRUE((LimitKey{.name = "k", .tpm = 1}.is_rated()));
    EXPECT_FALSE((LimitKey{.name = "k", .max_concurrent = 1}.is_rated()));
}

}  // namespace
}  // namespace evalfleet::queue
