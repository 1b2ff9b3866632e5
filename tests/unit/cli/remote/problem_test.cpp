#include "cli/remote/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::remote {
namespace {

using ::testing::HasSubstr;

TEST(Refusal, IsWhatTheCoordinatorSaidFieldByField) {
    const Refusal refusal = read_refusal(422, {}, R"({"title": "Unprocessable Entity",
        "status": 422, "detail": "1 fault in the run file",
        "errors": [{"field": "model.provider", "line": 4, "message": "found \"mian\""}]})");
    EXPECT_EQ(refusal.detail, "1 fault in the run file");
    ASSERT_EQ(refusal.faults.size(), 1U);
    const Error error = to_error(refusal, "submitter");
    EXPECT_EQ(error.kind, ErrorKind::invalid);
    EXPECT_EQ(error.message, "1 fault in the run file\n  model.provider (line 4): found \"mian\"");
}

TEST(Refusal, TellsTheStatusWhenSomethingElseAnswered) {
    const Refusal refusal = read_refusal(502, {}, "<html>Bad Gateway</html>");
    EXPECT_EQ(refusal.detail, "the coordinator answered 502 Bad Gateway");
    EXPECT_EQ(to_error(refusal, "reader").kind, ErrorKind::transient);
    EXPECT_THAT(read_refusal(404, {}, "").detail, HasSubstr("404"));
    EXPECT_THAT(read_refusal(500, {}, R"({"detail": 7, "errors": "none"})").detail,
                HasSubstr("500"));
}

TEST(Refusal, IsBounded) {
    std::string body = R"({"detail": "many", "errors": [{})";
    for (int i = 0; i < 100; ++i)
        body += R"(,{"field": "f", "message": "m"})";
    EXPECT_EQ(read_refusal(422, {}, body + "]}").faults.size(), 20U);
}

TEST(Refusal, SaysWhichRoleIsNeeded) {
    EXPECT_THAT(to_error(read_refusal(401, {}, ""), "reader").message,
                HasSubstr("role reader is needed: set EVALFLEET_TOKEN"));
    EXPECT_THAT(to_error(read_refusal(403, {}, ""), "submitter").message,
                HasSubstr("role submitter is needed"));
    EXPECT_EQ(to_error(read_refusal(401, {}, ""), "reader").kind, ErrorKind::denied);
}

TEST(Refusal, WaitsAsLongAsItIsAskedToWithinReason) {
    const auto after = [](const char* text) {
        return read_refusal(429, {{"Retry-After", text}}, "").retry_after;
    };
    EXPECT_EQ(after("3"), std::chrono::seconds(3));
    EXPECT_EQ(after("-1"), std::nullopt);
    EXPECT_EQ(after("999999"), std::nullopt);
    EXPECT_EQ(after("soon"), std::nullopt);
}

TEST(Unreachable, IsNeverTheInputsFault) {
    for (const ErrorKind kind : {ErrorKind::invalid, ErrorKind::not_found, ErrorKind::denied,
                                 ErrorKind::too_large, ErrorKind::transient}) {
        const Error error = unreachable({kind, "no such host"});
        EXPECT_EQ(error.kind, ErrorKind::transient);
        EXPECT_THAT(error.message, HasSubstr("no such host"));
        EXPECT_THAT(error.message, HasSubstr("--coordinator-url"));
    }
    EXPECT_THAT(unreachable({ErrorKind::tls, "self-signed"}).message, HasSubstr("--ca-file"));
    EXPECT_EQ(unreachable({ErrorKind::cancelled, "stop"}).kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace evalfleet::remote
