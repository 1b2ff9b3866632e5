#include "coordinator/api/replies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Replies, TellEveryFaultWithItsPlace) {
    runfile::FaultList faults;
    faults.add({"run file", 4, 19, "model.provider", "found \"x\""});
    faults.add({"run file", 0, 0, "dataset.id", "there is no data set \"q\""});
    const http::Reply reply = faults_problem("run file", faults);
    EXPECT_EQ(reply.status, 422);
    EXPECT_THAT(reply.body,
                HasSubstr(R"("detail":"2 faults in the run file: line 4: model.provider)"));
    EXPECT_THAT(reply.body,
                HasSubstr(R"({"field":"model.provider","line":4,"message":"found \"x\""})"));
    EXPECT_THAT(reply.body, HasSubstr(R"({"field":"dataset.id","message":)"));
}

TEST(Replies, GiveAFailureItsStatusAndKeepWhatIsOursInside) {
    EXPECT_EQ(failure({ErrorKind::invalid, "x"}).status, 422);
    EXPECT_EQ(failure({ErrorKind::denied, "x"}).status, 409);
    EXPECT_EQ(failure({ErrorKind::not_found, "x"}).status, 404);
    EXPECT_EQ(failure({ErrorKind::transient, "x"}).status, 503);
    const http::Reply ours = failure({ErrorKind::internal, "/secret/path: input/output error"});
    EXPECT_EQ(ours.status, 500);
    EXPECT_THAT(ours.body, Not(HasSubstr("secret")));
    for (const ErrorKind kind : {ErrorKind::internal, ErrorKind::transient}) {
        for (const char* reason : {"No space left on device", "Disk quota exceeded"}) {
            const http::Reply full =
                failure({kind, std::string("/secret: cannot write: ") + reason});
            EXPECT_EQ(full.status, 507) << reason;
            EXPECT_THAT(full.body, Not(HasSubstr("secret")));
        }
    }
}

TEST(Replies, DoNotRepeatALongOrOddId) {
    EXPECT_THAT(not_found("run", "r1").body, HasSubstr("'r1'"));
    EXPECT_THAT(not_found("run", std::string(100, 'x')).body, Not(HasSubstr("xxx")));
    EXPECT_THAT(not_found("run", "a\r\nb").body, HasSubstr("there is no run\""));
}

}  // namespace
}  // namespace evalfleet::api
