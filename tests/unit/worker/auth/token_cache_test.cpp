#include "worker/auth/token_cache.hpp"

#include "common/redaction/redactor.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <boost/asio/co_spawn.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

namespace asio = boost::asio;
using std::chrono::seconds;
using testing::ManualClock;

/// Gives tokens with numbers, or fails; waits for a moment of the clock if it is told to.
class FakeSource final : public TokenSource {
  public:
    asio::awaitable<Result<Credential>> fetch(AuthTools tools, async::TimePoint) override {
        ++fetches;
        if (takes.count() > 0) co_await tools.clock.wait_for(takes);
        if (failure) co_return *failure;
        Credential token;
        token.secret = "token-number-" + std::to_string(fetches);
        token.expires = tools.clock.utc_now() + seconds(1000);
        co_return token;
    }

    int fetches = 0;
    seconds takes{0};
    std::optional<Error> failure;
};

class TokenCacheTest : public ::testing::Test {
  protected:
    TokenCacheTest() {
        auto source = std::make_unique<FakeSource>();
        source_ = source.get();
        cache_ = std::make_unique<TokenCache>(std::move(source), secrets_);
    }

    Result<Credential> get() {
        return testing::run(context_, cache_->current(tools_, async::kNever));
    }
    std::string secret() { return get().value().secret; }

    asio::io_context context_{1};
    ManualClock clock_;
    async::BlockingPool pool_{{.threads = 1}};
    http::Client client_{context_.get_executor(), clock_, {}};
    AuthTools tools_{client_, clock_, pool_};
    std::shared_ptr<redaction::Secrets> secrets_ = std::make_shared<redaction::Secrets>();
    FakeSource* source_ = nullptr;
    std::unique_ptr<TokenCache> cache_;
};

TEST_F(TokenCacheTest, AsksOnceAndAgainShortlyBeforeTheEnd) {
    EXPECT_EQ(secret(), "token-number-1");
    clock_.advance(seconds(899));
    EXPECT_EQ(secret(), "token-number-1");
    clock_.advance(seconds(1));
    EXPECT_EQ(secret(), "token-number-2");
    EXPECT_EQ(source_->fetches, 2);
}

TEST_F(TokenCacheTest, LetsOneAskWhileOthersWait) {
    source_->takes = seconds(5);
    int ended = 0;
    for (int i = 0; i < 10; ++i) {
        asio::co_spawn(context_, cache_->current(tools_, async::kNever),
                       [&](std::exception_ptr failure, Result<Credential> token) {
                           EXPECT_FALSE(failure);
                           EXPECT_EQ(token.value().secret, "token-number-1");
                           ++ended;
                       });
    }
    context_.poll();
    clock_.advance(seconds(5));
    while (ended < 10)
        context_.run_one();
    EXPECT_EQ(source_->fetches, 1);
}

TEST_F(TokenCacheTest, GoesOnWithTheOldOneWhileANewOneIsFetchedOrCannotBe) {
    EXPECT_EQ(secret(), "token-number-1");
    clock_.advance(seconds(950));
    source_->failure = Error{ErrorKind::transient, "down"};
    EXPECT_EQ(secret(), "token-number-1");
    clock_.advance(seconds(60));
    EXPECT_EQ(get().error().message, "down");
}

TEST_F(TokenCacheTest, LeavesASourceAloneThatFailed) {
    source_->failure = Error{ErrorKind::transient, "down"};
    EXPECT_FALSE(get());
    EXPECT_FALSE(get());
    EXPECT_EQ(source_->fetches, 1);
    clock_.advance(seconds(1));
    source_->failure = Error{ErrorKind::denied, "no"};
    EXPECT_FALSE(get());
    clock_.advance(seconds(9));
    EXPECT_EQ(get().error().kind, ErrorKind::denied);
    EXPECT_EQ(source_->fetches, 2);
    clock_.advance(seconds(1));
    source_->failure.reset();
    EXPECT_TRUE(get());
}

TEST_F(TokenCacheTest, ReplacesWhatTheProviderRefusesButNotAllTheTime) {
    const Credential first = get().value();
    EXPECT_TRUE(cache_->renew(first, clock_.now()));
    const Credential second = get().value();
    EXPECT_EQ(second.secret, "token-number-2");
    EXPECT_TRUE(cache_->renew(first, clock_.now()));    // there is another one already
    EXPECT_FALSE(cache_->renew(second, clock_.now()));  // not again so soon
    EXPECT_EQ(secret(), "token-number-2");
    clock_.advance(seconds(10));
    EXPECT_TRUE(cache_->renew(second, clock_.now()));
}

TEST_F(TokenCacheTest, TellsTheRedactorsFirst) {
    EXPECT_EQ(secret(), "token-number-1");
    EXPECT_EQ(redaction::Redactor::sharing(secrets_).redact("x token-number-1").text,
              "x [REDACTED:secret]");
}

TEST(TokenCache, RenewsATenthOfALifeBeforeItsEndAtMostFiveMinutes) {
    EXPECT_EQ(renewal_margin(seconds(100)), seconds(10));
    EXPECT_EQ(renewal_margin(std::chrono::hours(24)), std::chrono::minutes(5));
}

}  // namespace
}  // namespace evalfleet::worker
