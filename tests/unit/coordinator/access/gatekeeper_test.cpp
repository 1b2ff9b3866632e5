#include "coordinator/access/gatekeeper.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/coordinator/access/tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::access {
namespace {

using ::testing::HasSubstr;

class GatekeeperTest : public ::testing::Test {
  protected:
    GatekeeperTest() {
        files::blocking_write_atomically(folder_ / "tokens.yaml",
                                         "tokens:\n" + token_line("board", "reader", "r") +
                                             token_line("nightly", "submitter", "s") +
                                             token_line("ops", "admin", "a"))
            .value();
        tokens_.emplace(folder_ / "tokens.yaml", pool_, clock_, log::Logger());
    }

    static http::RequestContext request(const std::string& method, const std::string& token = "",
                                        const std::string& peer = "10.0.0.1") {
        http::RequestContext request;
        request.method = method;
        request.peer = peer;
        request.headers.add("Host", "ef.example");
        if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
        return request;
    }
    static int status(const Gatekeeper::Admission& admission) {
        return admission.refusal ? admission.refusal->status : 200;
    }

    testing::TemporaryFolder folder_;
    testing::ManualClock clock_;
    async::BlockingPool pool_{{.threads = 1}};
    std::optional<TokenKeeper> tokens_;
};

TEST_F(GatekeeperTest, LetsEachRoleDoWhatTheOnesBelowItMay) {
    Gatekeeper keeper({}, &*tokens_, clock_);
    EXPECT_EQ(status(keeper.admit(request("GET", "r"), Role::reader)), 200);
    EXPECT_EQ(status(keeper.admit(request("GET", "a"), Role::reader)), 200);
    EXPECT_EQ(status(keeper.admit(request("POST", "s"), Role::submitter)), 200);
    EXPECT_EQ(status(keeper.admit(request("POST", "r"), Role::submitter)), 403);
    EXPECT_EQ(status(keeper.admit(request("DELETE", "s"), Role::admin)), 403);
    EXPECT_EQ(keeper.admit(request("GET", "s"), Role::reader).caller.name, "nightly");
}

TEST_F(GatekeeperTest, AsksForATokenAndDoesNotSayMoreOfAWrongOne) {
    Gatekeeper keeper({}, &*tokens_, clock_);
    const auto missing = keeper.admit(request("GET"), Role::reader);
    EXPECT_EQ(status(missing), 401);
    EXPECT_EQ(missing.refusal->headers.find("WWW-Authenticate"), "Bearer");
    const auto wrong = keeper.admit(request("GET", "wrong"), Role::reader);
    EXPECT_EQ(status(wrong), 401);
    EXPECT_THAT(wrong.refusal->body, ::testing::Not(HasSubstr("wrong")));
    http::RequestContext basic = request("GET");
    basic.headers.add("Authorization", "Basic cjpy");
    EXPECT_EQ(status(keeper.admit(basic, Role::reader)), 401);
    EXPECT_EQ(status(keeper.admit(request("GET", std::string(4096, 'x')), Role::reader)), 401);
    EXPECT_EQ(status(keeper.admit(request("GET"), std::nullopt)), 200) << "open to all";
}

TEST_F(GatekeeperTest, SlowsDownWhoTriesTokens) {
    Gatekeeper keeper({.failures = {1, 3}}, &*tokens_, clock_);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(status(keeper.admit(request("GET", "no"), Role::reader)), 401);
    const auto refused = keeper.admit(request("GET", "no"), Role::reader);
    EXPECT_EQ(status(refused), 429);
    EXPECT_EQ(refused.refusal->headers.find("Retry-After"), "1");
    EXPECT_EQ(status(keeper.admit(request("GET", "r"), Role::reader)), 200)
        << "who has a token is not hindered by a neighbour";
}

TEST_F(GatekeeperTest, LimitsTheRateOfATokenWhereverItIsShown) {
    Gatekeeper keeper({.per_token = {1, 2}}, &*tokens_, clock_);
    EXPECT_EQ(status(keeper.admit(request("GET", "r"), Role::reader)), 200);
    EXPECT_EQ(status(keeper.admit(request("GET", "r", "10.0.0.2"), std::nullopt)), 200);
    EXPECT_EQ(status(keeper.admit(request("GET", "r", "10.0.0.3"), Role::reader)), 429);
    EXPECT_EQ(status(keeper.admit(request("GET", "s"), Role::reader)), 200) << "another token";
    clock_.advance(std::chrono::seconds(1));
    EXPECT_EQ(status(keeper.admit(request("GET", "r"), Role::reader)), 200);
}

TEST_F(GatekeeperTest, ChargesAnAddressOnlyForThoseWithoutAKnownToken) {
    Gatekeeper keeper({.per_address = {1, 3}, .failures = {0, 0}}, &*tokens_, clock_);
    for (int i = 0; i < 10; ++i)
        EXPECT_EQ(status(keeper.admit(request("GET", "r"), Role::reader)), 200);
    EXPECT_EQ(status(keeper.admit(request("GET"), Role::reader)), 401);
    EXPECT_EQ(status(keeper.admit(request("GET", "junk"), Role::reader)), 401);
    EXPECT_EQ(status(keeper.admit(request("GET"), std::nullopt)), 200);
    for (const char* token : {"", "junk"}) {
        EXPECT_EQ(status(keeper.admit(request("GET", token), Role::reader)), 429);
        EXPECT_EQ(status(keeper.admit(request("GET", token), std::nullopt)), 429);
    }
    EXPECT_EQ(status(keeper.admit(request("POST", "s"), Role::submitter)), 200)
        << "junk from behind the same proxy does not lock out who has a token";
    EXPECT_EQ(status(keeper.admit(request("GET", "", "10.0.0.2"), Role::reader)), 401);
}

TEST_F(GatekeeperTest, RefusesChangesThatAPageOfAnotherSiteAsksFor) {
    Gatekeeper keeper({}, &*tokens_, clock_);
    http::RequestContext call = request("POST", "s");
    call.headers.add("Origin", "https://evil.example");
    EXPECT_EQ(status(keeper.admit(call, Role::submitter)), 403);
    call.method = "GET";
    EXPECT_EQ(status(keeper.admit(call, Role::reader)), 200) << "it cannot see the answer";
}

TEST_F(GatekeeperTest, WithoutTokensAnswersOnlyWhatWasMeantForThisMachine) {
    Gatekeeper keeper({}, nullptr, clock_);
    http::RequestContext call = request("GET");
    EXPECT_EQ(status(keeper.admit(call, Role::reader)), 403);
    call.headers.set("Host", "localhost:8080");
    const auto admitted = keeper.admit(call, Role::admin);
    EXPECT_EQ(status(admitted), 200);
    EXPECT_EQ(admitted.caller.name, "local");
}

TEST(NetworkOf, TakesAnIpv6NetworkForOneCaller) {
    EXPECT_EQ(network_of("10.0.0.1"), "10.0.0.1");
    EXPECT_EQ(network_of("::ffff:10.0.0.1"), "10.0.0.1");
    EXPECT_EQ(network_of("2001:db8:1:2:3:4:5:6"), network_of("2001:db8:1:2:ffff::1"));
    EXPECT_NE(network_of("2001:db8:1:2::1"), network_of("2001:db8:1:3::1"));
}

// A request of a browser that has a session.
class SessionTest : public GatekeeperTest {
  protected:
    http::RequestContext browser(const std::string& method, const Gatekeeper::SignIn& session,
                                 bool shows_csrf = true) {
        http::RequestContext made = request(method);
        made.headers.add("Cookie", "evalfleet_session=" + session.session_id);
        if (shows_csrf) made.headers.add("X-CSRF-Token", session.csrf);
        return made;
    }
    Gatekeeper keeper_{{}, &*tokens_, clock_};
};

TEST_F(SessionTest, StandsForTheTokenItWasOpenedWith) {
    const auto session = keeper_.sign_in("s", "10.0.0.1");
    ASSERT_FALSE(session.refusal);
    EXPECT_EQ(session.caller.name, "nightly");
    const auto read = keeper_.admit(browser("GET", session), Role::reader);
    EXPECT_EQ(status(read), 200);
    EXPECT_EQ(read.caller.name, "nightly");
    EXPECT_EQ(status(keeper_.admit(browser("POST", session), Role::submitter)), 200);
    EXPECT_EQ(status(keeper_.admit(browser("DELETE", session), Role::admin)), 403);
}

TEST_F(SessionTest, ChangesNothingWithoutWhatItsPageKnows) {
    const auto session = keeper_.sign_in("s", "10.0.0.1");
    const auto other = keeper_.sign_in("s", "10.0.0.1");
    EXPECT_EQ(status(keeper_.admit(browser("POST", session, false), Role::submitter)), 403);
    EXPECT_EQ(status(keeper_.admit(browser("GET", session, false), Role::reader)), 200);
    http::RequestContext mixed = browser("POST", session, false);
    mixed.headers.add("X-CSRF-Token", other.csrf);
    EXPECT_EQ(status(keeper_.admit(mixed, Role::submitter)), 403);
}

TEST_F(SessionTest, NeedsNoneOfThatWithATokenBesideIt) {
    const auto session = keeper_.sign_in("r", "10.0.0.1");
    http::RequestContext both = browser("POST", session, false);
    both.headers.add("Authorization", "Bearer s");
    EXPECT_EQ(keeper_.admit(both, Role::submitter).caller.name, "nightly");
}

TEST_F(SessionTest, EndsWhenItIsSignedOutOfOrItsTimeIsUp) {
    const auto first = keeper_.sign_in("s", "10.0.0.1");
    const auto second = keeper_.sign_in("s", "10.0.0.1");
    keeper_.sign_out(browser("DELETE", first));
    EXPECT_EQ(status(keeper_.admit(browser("GET", first), Role::reader)), 401);
    EXPECT_EQ(status(keeper_.admit(browser("GET", second), Role::reader)), 200);
    clock_.advance(std::chrono::hours(12));
    EXPECT_EQ(status(keeper_.admit(browser("GET", second), Role::reader)), 401);
}

TEST_F(SessionTest, CountsWrongTokensAndOpensNothingForThem) {
    EXPECT_EQ(keeper_.sign_in("wrong", "10.0.0.1").refusal->status, 401);
    EXPECT_EQ(keeper_.sign_in("", "10.0.0.1").refusal->status, 401);
    int last = 0;
    for (int i = 0; i < 40; ++i)
        last = keeper_.sign_in("wrong", "10.0.0.1").refusal->status;
    EXPECT_EQ(last, 429);
    EXPECT_FALSE(keeper_.sign_in("s", "10.0.0.1").refusal) << "the right one is still taken";
}

TEST_F(SessionTest, EndsWithItsToken) {
    const auto session = keeper_.sign_in("s", "10.0.0.1");
    ASSERT_EQ(status(keeper_.admit(browser("GET", session), Role::reader)), 200);
    files::blocking_write_atomically(folder_ / "tokens.yaml",
                                     "tokens:\n" + token_line("board", "reader", "r"))
        .value();
    // As the keeper is once it has read its file again.
    tokens_.emplace(folder_ / "tokens.yaml", pool_, clock_, log::Logger());
    EXPECT_EQ(status(keeper_.admit(browser("GET", session), Role::reader)), 401);
}

}  // namespace
}  // namespace evalfleet::access
