#include "common/http/router.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace evalfleet::http {
namespace {

using Outcome = Router::Outcome;

boost::asio::awaitable<Reply> nothing(RequestContext&) {
    co_return Reply();
}

Router make_router() {
    Router router;
    for (const char* pattern :
         {"/files/{path*}", "/runs/{id}/events", "/runs/{id}", "/runs/new", "/runs", "/"}) {
        router.add("GET", pattern, nothing);
    }
    router.add("POST", "/runs", nothing);
    return router;
}

std::string found(const Router& router, std::string_view path) {
    const auto match = router.match("GET", path);
    return match.outcome == Outcome::found ? match.route->pattern : "";
}

TEST(Router, FindsRoutesByTheirShape) {
    const Router router = make_router();
    EXPECT_EQ(found(router, "/"), "/");
    EXPECT_EQ(found(router, "/runs"), "/runs");
    EXPECT_EQ(found(router, "/runs/42"), "/runs/{id}");
    EXPECT_EQ(found(router, "/runs/42/events"), "/runs/{id}/events");
    EXPECT_EQ(found(router, "/files/a/b.js"), "/files/{path*}");
    EXPECT_EQ(found(router, "/files"), "/files/{path*}");
}

TEST(Router, PrefersTextToParameters) {
    const Router router = make_router();
    EXPECT_EQ(found(router, "/runs/new"), "/runs/new");
    EXPECT_EQ(found(router, "/runs/news"), "/runs/{id}");
}

TEST(Router, FindsNothingElse) {
    const Router router = make_router();
    for (const char* path :
         {"/run", "/runs/", "/runs//events", "/runs/1/events/2", "/Runs", "//"}) {
        EXPECT_EQ(router.match("GET", path).outcome, Outcome::not_found) << path;
    }
}

TEST(Router, DecodesParametersAfterSplitting) {
    const auto match = make_router().match("GET", "/runs/a%2Fb%20c");
    ASSERT_EQ(match.outcome, Outcome::found);
    EXPECT_EQ(match.parameters, (PathParameters{{"id", "a/b c"}}));
    EXPECT_EQ(make_router().match("GET", "/files/a/b%20c/").parameters,
              (PathParameters{{"path", "a/b c/"}}));
}

TEST(Router, RefusesAPathItCannotDecode) {
    for (const char* path : {"/runs/%", "/runs/%00", "runs", "", "*"}) {
        EXPECT_EQ(make_router().match("GET", path).outcome, Outcome::malformed_path) << path;
    }
}

TEST(Router, TellsWhichMethodsAreAllowed) {
    const auto match = make_router().match("DELETE", "/runs");
    EXPECT_EQ(match.outcome, Outcome::method_not_allowed);
    EXPECT_EQ(match.allow, "GET, HEAD, POST");
}

TEST(Router, AnswersHeadWithTheRouteOfGetUnlessThereIsOne) {
    Router router = make_router();
    EXPECT_EQ(router.match("HEAD", "/runs").route->method, "GET");
    router.add("HEAD", "/runs", nothing);
    EXPECT_EQ(router.match("HEAD", "/runs").route->method, "HEAD");
    EXPECT_EQ(router.match("GET", "/runs").route->method, "GET");
}

TEST(Router, RefusesPatternsThatMakeNoSense) {
    Router router = make_router();
    for (const char* pattern : {"runs", "", "/a{b}", "/{}", "/{a*}/b", "/{a b}", "/{a"}) {
        EXPECT_THROW(router.add("GET", pattern, nothing), std::logic_error) << pattern;
    }
    EXPECT_THROW(router.add("GET", "/runs", nothing), std::logic_error);
    EXPECT_THROW(router.add("G T", "/x", nothing), std::logic_error);
}

}  // namespace
}  // namespace evalfleet::http
