#include "common/queue/permit_queue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evalfleet::queue {
namespace {

using redis::Reply;

Reply::Array good_answer() {
    Reply::Array items;
    for (const int number : {2, 700, 5, 3, 30, 0, 4})
        items.push_back(Reply::integer(number));
    for (const char* text : {"state", "12.5", "0.75", "1700000000000"})
        items.push_back(Reply::string(text));
    for (const int number : {6, 9, 7, 8})
        items.push_back(Reply::integer(number));
    items.push_back(Reply::string("1,2,3"));
    items.push_back(Reply::integer(250));
    return items;
}

TEST(DecodePermit, GivesEveryField) {
    const auto answer = decode_permit(Reply::array(good_answer()));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->granted, 2U);
    EXPECT_EQ(answer->bucket, 700U);
    EXPECT_EQ(answer->allowed, 5U);
    EXPECT_EQ(answer->target, 3U);
    EXPECT_EQ(answer->wait.count(), 30);
    EXPECT_EQ(answer->paused.count(), 0);
    EXPECT_EQ(answer->shared, (SharedLimit{4, "state", 12.5, 0.75}));
    EXPECT_EQ(answer->server_now.count(), 1'700'000'000'000);
    EXPECT_EQ(answer->fleet_held, 6U);
    EXPECT_EQ(answer->fleet_running, 9U);
    EXPECT_EQ(answer->fleet_requests, 7U);
    EXPECT_EQ(answer->fleet_tokens, 8U);
    EXPECT_EQ(answer->sums, "1,2,3");
    EXPECT_EQ(answer->elapsed.count(), 250);
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
        for (const std::size_t field : {8U, 9U}) {
            Reply::Array items = good_answer();
            items[field] = Reply::string(limit);
            EXPECT_FALSE(decode_permit(Reply::array(items))) << limit;
        }
    }
    Reply::Array shorter = good_answer();
    shorter.pop_back();
    EXPECT_FALSE(decode_permit(Reply::array(shorter)));
    EXPECT_FALSE(decode_permit(Reply()));
    EXPECT_FALSE(decode_permit(Reply::string("x")));
}

Reply::Array good_stats() {
    Reply::Array row{Reply::string("k")};
    for (int i = 1; i <= 7; ++i)
        row.push_back(Reply::integer(i));
    row.push_back(Reply::string("8.5"));
    row.push_back(Reply::string("0.25"));
    for (int i = 10; i <= 12; ++i)
        row.push_back(Reply::integer(i));
    row.push_back(Reply::string("12 x 429"));
    row.push_back(Reply::integer(14));
    return row;
}

TEST(DecodePermits, GivesEveryFieldOfEveryKey) {
    const auto all =
        decode_permits(Reply::array({Reply::array(good_stats()), Reply::array(good_stats())}));
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 2U);
    const LimitStats& stats = all->back();
    EXPECT_EQ(stats.key, "k");
    EXPECT_EQ(stats.held, 1U);
    EXPECT_EQ(stats.unmet, 2U);
    EXPECT_EQ(stats.urgent, 3U);
    EXPECT_EQ(stats.running, 4U);
    EXPECT_EQ(stats.workers, 5U);
    EXPECT_EQ(stats.requests, 6U);
    EXPECT_EQ(stats.tokens, 7U);
    EXPECT_EQ(stats.calls, 8.5);
    EXPECT_EQ(stats.rate, 0.25);
    EXPECT_EQ(stats.paused.count(), 10);
    EXPECT_EQ(stats.refused, 11U);
    EXPECT_EQ(stats.since_refusal.count(), 12);
    EXPECT_EQ(stats.reason, "12 x 429");
    EXPECT_EQ(stats.since_change.count(), 14);
    EXPECT_TRUE(decode_permits(Reply::array({})).value().empty());
}

TEST(DecodePermits, RefusesAnyFieldOfAnotherShape) {
    for (std::size_t i = 0; i < good_stats().size(); ++i) {
        Reply::Array row = good_stats();
        row[i] = Reply();
        EXPECT_FALSE(decode_permits(Reply::array({Reply::array(row)}))) << i;
    }
    Reply::Array longer = good_stats();
    longer.push_back(Reply::integer(1));
    EXPECT_FALSE(decode_permits(Reply::array({Reply::array(longer)})));
    EXPECT_FALSE(decode_permits(Reply::array({Reply()})));
    EXPECT_FALSE(decode_permits(Reply()));
}

TEST(LimitKey, IsRatedWhereRequestsOrTokensAreCounted) {
    EXPECT_TRUE((LimitKey{.name = "k", .rpm = 1}.is_rated()));
    EXPECT_TRUE((LimitKey{.name = "k", .tpm = 1}.is_rated()));
    EXPECT_FALSE((LimitKey{.name = "k", .max_concurrent = 1}.is_rated()));
    EXPECT_FALSE(LimitKey{}.is_rated());
}

}  // namespace
}  // namespace evalfleet::queue
