#include "coordinator/api/route_table.hpp"

#include "tests/support/manual_clock.hpp"
#include "tests/support/run_coroutine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::api {
namespace {

using ::testing::HasSubstr;

boost::asio::awaitable<http::Reply> answer(Call& call) {
    co_return http::Reply::text("hello " + call.caller.name);
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
        table_.install(router_, gatekeeper_, [this] { return hindrance_; }, {});
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
    std::string hindrance_;
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
    hindrance_ = "another coordinator leads";
    const http::Reply refused = get("/things/1", "kind=a");
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("another coordinator leads"));
    EXPECT_EQ(get("/open").status, 200);
}

}  // namespace
}  // namespace evalfleet::api
