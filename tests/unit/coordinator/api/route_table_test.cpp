#include "coordinator/api/route_table.hpp"

#include "common/files/atomic_file.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/coordinator/access/tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace evalfleet::api {
namespace {

using ::testing::HasSubstr;

boost::asio::awaitable<http::Reply> answer(Call& call) {
    co_return http::Reply::text("hello " + call.caller.name);
}

boost::asio::awaitable<http::Reply> make_runs(Call& call) {
    call.made = {"r1", "r2"};
    co_return http::Reply::json("{}", 201);
}

boost::asio::awaitable<http::Reply> break_down(Call&) {
    throw std::runtime_error("broken");
    co_return http::Reply();
}

class RouteTableTest : public ::testing::Test {
  protected:
    RouteTableTest() {
        RouteSpec spec;
        spec.method = "GET";
        spec.pattern = "/things/{id}";
        spec.id = "get_thing";
        spec.query = {{"limit", "at most"}, {"kind", "which", R"({"type":"string"})", true}};
        table_.add(spec, answer);
        spec.pattern = "/open";
        spec.id = "open";
        spec.role = std::nullopt;
        spec.needs_store = false;
        spec.query = {};
        table_.add(spec, answer);
        table_.install(router_, gatekeeper_, [this] { return blocked_reason_; }, {});
    }
    http::Reply get(const std::string& path, const std::string& query = "") {
        http::RequestContext request;
        request.method = "GET";
        request.path = path;
        request.query = http::Query::parse(query).value();
        request.headers.add("Host", "localhost");
        const auto match = router_.match("GET", path);
        EXPECT_EQ(match.outcome, http::Router::Outcome::found);
        request.parameters = match.parameters;
        return testing::run(match.route->handler(request));
    }

    testing::ManualClock clock_;
    access::Gatekeeper gatekeeper_{{}, nullptr, clock_};
    RouteTable table_;
    http::Router router_;
    std::string blocked_reason_;
};

TEST_F(RouteTableTest, ServesWhatItWasGiven) {
    EXPECT_EQ(get("/things/1", "kind=a").body, "hello local");
    EXPECT_EQ(router_.routes().size(), 2U);
}

TEST_F(RouteTableTest, RefusesParametersThatItDoesNotKnowOrMisses) {
    const http::Reply unknown = get("/things/1", "kind=a&limti=3");
    EXPECT_EQ(unknown.status, 400);
    EXPECT_THAT(unknown.body, HasSubstr("limti"));
    const http::Reply missing = get("/things/1");
    EXPECT_EQ(missing.status, 400);
    EXPECT_THAT(missing.body, HasSubstr("kind"));
}

TEST_F(RouteTableTest, SaysWhatStandsInTheWayOfTheStore) {
    blocked_reason_ = "another coordinator leads";
    const http::Reply refused = get("/things/1", "kind=a");
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("another coordinator leads"));
    EXPECT_EQ(get("/open").status, 200);
}

/// What the audit log says of a call.
class AuditTest : public ::testing::Test {
  protected:
    AuditTest() {
        files::blocking_write_atomically(
            folder_ / "tokens.yaml",
            "tokens:\n" + access::token_line("ops@example.org", "submitter", "s"))
            .value();
        tokens_.emplace(folder_ / "tokens.yaml", pool_, clock_, log::Logger());
        gatekeeper_.emplace(access::Gatekeeper::Config{}, &*tokens_, clock_);
        for (const auto& [pattern, handler] :
             std::map<std::string, CallHandler>{{"/runs/{id}/cancel", answer},
                                                {"/runs", make_runs},
                                                {"/broken/{id}", break_down}}) {
            RouteSpec spec;
            spec.method = "POST";
            spec.pattern = pattern;
            spec.id = "steer";
            spec.role = access::Role::submitter;
            table_.add(spec, handler);
        }
        table_.install(
            router_, *gatekeeper_, [] { return ""; }, logger());
    }
    log::Logger logger() {
        log::Settings settings;
        settings.level = log::Level::error;  // is not asked
        settings.format = log::Format::text;
        settings.asynchronous = false;
        settings.sink = [this](std::string_view line) { lines_.emplace_back(line); };
        return {"audit", std::move(settings)};
    }
    void post(const std::string& path, const std::string& token = "s") {
        http::RequestContext request;
        request.method = "POST";
        request.path = path;
        request.peer = "10.0.0.1";
        request.request_id = "q1";
        request.headers.add("Authorization", "Bearer " + token);
        const auto match = router_.match("POST", path);
        request.parameters = match.parameters;
        static_cast<void>(testing::run(match.route->handler(request)));
    }

    testing::TemporaryFolder folder_;
    testing::ManualClock clock_;
    async::BlockingPool pool_{{.threads = 1}};
    std::optional<access::TokenKeeper> tokens_;
    std::optional<access::Gatekeeper> gatekeeper_;
    RouteTable table_;
    http::Router router_;
    std::vector<std::string> lines_;
};

TEST_F(AuditTest, NamesWhoDidWhatToWhichRunWhateverTheNamesLookLike) {
    const std::string digits = "4111111111111111";  // looks like a payment card
    post("/runs/" + digits + "/cancel");
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_THAT(lines_[0], HasSubstr("call action=steer target=" + digits +
                                     " made=\"\" caller=ops@example.org peer=10.0.0.1 status=200 "
                                     "request=q1"));
}

TEST_F(AuditTest, NamesTheRunsThatACallMade) {
    post("/runs");
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_THAT(lines_[0], HasSubstr("made=r1,r2 caller=ops@example.org"));
}

TEST_F(AuditTest, ShowsNothingAsItIsThatAStrangerSent) {
    post("/runs/4111111111111111/cancel", "wrong");
    post("/runs/a@example.org/cancel");
    ASSERT_EQ(lines_.size(), 2U);
    EXPECT_THAT(lines_[0], HasSubstr("target=[REDACTED:"));
    EXPECT_THAT(lines_[0], HasSubstr("caller=\"\" peer=10.0.0.1 status=401"));
    EXPECT_THAT(lines_[1], HasSubstr("target=[REDACTED:email]"));
}

TEST_F(AuditTest, HasALineForACallThatBrokeDown) {
    EXPECT_THROW(post("/broken/r7"), std::runtime_error);
    ASSERT_EQ(lines_.size(), 1U);
    EXPECT_THAT(lines_[0], HasSubstr("target=r7 made=\"\" caller=ops@example.org"));
    EXPECT_THAT(lines_[0], HasSubstr("status=500"));
}

}  // namespace
}  // namespace evalfleet::api
