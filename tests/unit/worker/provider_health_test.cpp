#include "worker/call/provider_health.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using job::CallError;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class ProviderHealthTest : public ::testing::Test {
  protected:
    void observe(const std::string& provider, std::optional<CallError> kind, int times = 1) {
        for (int i = 0; i < times; ++i) {
            std::optional<CallFailure> failure;
            if (kind) failure = CallFailure{*kind, "no route"};
            health_.observe(provider, failure, now_);
        }
    }

    static constexpr int kTooMany = static_cast<int>(ProviderHealth::kTooMany);
    ProviderHealth health_{{"a", "b"}};
    async::TimePoint now_{std::chrono::hours(1)};
};

TEST_F(ProviderHealthTest, TakesJobsForAllUntilOneCannotBeReached) {
    observe("a", CallError::connect, kTooMany - 1);
    const auto choice = health_.choose(now_);
    EXPECT_THAT(choice.providers, ElementsAre("a", "b"));
    EXPECT_FALSE(choice.is_trial);
    EXPECT_FALSE(choice.next);
    EXPECT_THAT(health_.unreachable(), IsEmpty());
}

TEST_F(ProviderHealthTest, LeavesAProviderAloneThatCannotBeReachedAndSaysWhy) {
    observe("a", CallError::connect, kTooMany - 1);
    observe("a", CallError::tls);
    const auto choice = health_.choose(now_);
    EXPECT_THAT(choice.providers, ElementsAre("b"));
    EXPECT_EQ(choice.next, now_ + ProviderHealth::kFirstRest);
    EXPECT_THAT(health_.unreachable(), ElementsAre(Pair("a", "no route")));
}

TEST_F(ProviderHealthTest, TriesASingleJobAfterARestWhichGetsLonger) {
    observe("a", CallError::connect, kTooMany);
    now_ += ProviderHealth::kFirstRest;
    const auto trial = health_.choose(now_);
    EXPECT_THAT(trial.providers, ElementsAre("a", "b"));
    EXPECT_TRUE(trial.is_trial);
    observe("a", CallError::connect);
    EXPECT_EQ(health_.choose(now_).next, now_ + 2 * ProviderHealth::kFirstRest);
    observe("a", CallError::connect, 5);
    EXPECT_EQ(health_.choose(now_).next, now_ + 2 * ProviderHealth::kFirstRest)
        << "calls that were under way change nothing";
    for (int i = 0; i < 10; ++i) {
        now_ = health_.choose(now_).next.value();
        observe("a", CallError::connect);
    }
    EXPECT_EQ(health_.choose(now_).next, now_ + ProviderHealth::kLongestRest);
}

TEST_F(ProviderHealthTest, IsWellAgainOnceACallGotThrough) {
    for (const std::optional<CallError> reached :
         {std::optional<CallError>(), std::optional(CallError::http_5xx),
          std::optional(CallError::http_4xx)}) {
        observe("a", CallError::connect, kTooMany);
        observe("a", reached);
        EXPECT_THAT(health_.choose(now_).providers, ElementsAre("a", "b"));
        EXPECT_FALSE(health_.choose(now_).is_trial);
    }
}

TEST_F(ProviderHealthTest, LearnsNothingFromATimeout) {
    observe("a", CallError::timeout, 100);
    EXPECT_THAT(health_.unreachable(), IsEmpty());
    observe("a", CallError::connect, kTooMany);
    observe("a", CallError::timeout);
    EXPECT_FALSE(health_.unreachable().empty());
}

TEST_F(ProviderHealthTest, KnowsNothingOfOtherProviders) {
    observe("x", CallError::connect, 100);
    EXPECT_THAT(health_.choose(now_).providers, ElementsAre("a", "b"));
    EXPECT_THAT(health_.unreachable(), IsEmpty());
}

TEST_F(ProviderHealthTest, KnowsWhenAModelLastAnswered) {
    EXPECT_EQ(health_.last_answer("a", "m"), std::nullopt);
    health_.note_answer("a", "m", now_);
    health_.note_answer("a", "m", now_ + std::chrono::seconds(1));
    EXPECT_EQ(health_.last_answer("a", "m"), now_ + std::chrono::seconds(1));
    EXPECT_EQ(health_.last_answer("a", "other"), std::nullopt);
    EXPECT_EQ(health_.last_answer("b", "m"), std::nullopt);
}

TEST_F(ProviderHealthTest, RemembersABoundedNumberOfModels) {
    for (std::size_t i = 0; i <= ProviderHealth::kMaxModels; ++i)
        health_.note_answer("a", std::to_string(i), now_);
    EXPECT_EQ(health_.last_answer("a", std::to_string(ProviderHealth::kMaxModels)), std::nullopt);
    health_.note_answer("a", "0", now_ + std::chrono::seconds(1));
    EXPECT_EQ(health_.last_answer("a", "0"), now_ + std::chrono::seconds(1));
}

}  // namespace
}  // namespace evalfleet::worker
