#include "common/result/result.hpp"

#include <gtest/gtest.h>

namespace evalfleet {
namespace {

Result<int> half(int value) {
    if (value % 2 != 0) return Error{ErrorKind::invalid, "odd"};
    return value / 2;
}

TEST(Result, HoldsAValueOrAnError) {
    EXPECT_EQ(*half(8), 4);
    ASSERT_FALSE(half(7));
    EXPECT_EQ(half(7).error().kind, ErrorKind::invalid);
}

TEST(Result, ThrowsTheMessageWhenTheCheckWasForgotten) {
    try {
        (void)half(7).value();
        FAIL() << "no exception";
    } catch (const BadResultAccess& bad) {
        EXPECT_STREQ(bad.what(), "value of a failed result: odd");
    }
}

TEST(Error, KeepsKindAndRetryTimeWhenContextIsAdded) {
    const Error error{ErrorKind::rate_limited, "quota used up", std::chrono::seconds(3)};
    const Error wrapped = error.within("provider main");
    EXPECT_EQ(wrapped.message, "provider main: quota used up");
    EXPECT_EQ(wrapped.kind, ErrorKind::rate_limited);
    EXPECT_EQ(wrapped.retry_after, std::chrono::seconds(3));
}

TEST(Error, OnlyFailuresThatMayPassAreRetryable) {
    for (const auto kind : {ErrorKind::transient, ErrorKind::rate_limited, ErrorKind::timeout})
        EXPECT_TRUE(is_retryable(kind)) << to_string(kind);
    for (const auto kind :
         {ErrorKind::cancelled, ErrorKind::invalid, ErrorKind::too_large, ErrorKind::not_found,
          ErrorKind::denied, ErrorKind::lease_lost, ErrorKind::tls, ErrorKind::internal})
        EXPECT_FALSE(is_retryable(kind)) << to_string(kind);
}

}  // namespace
}  // namespace evalfleet
