#include "cli/simulator/refused_members.hpp"

#include "common/json/document.hpp"

#include <gtest/gtest.h>

namespace evalfleet::simulator {
namespace {

std::string refused(std::string_view body, const std::vector<std::string>& names) {
    const auto document = json::Document::parse(body).value();
    return find_refused_member(document.root(), names).value_or("none");
}

TEST(RefusedMembers, AreFoundWhereProtocolsHaveThem) {
    EXPECT_EQ(refused(R"({"seed": 1})", {"top_k", "seed"}), "seed");
    EXPECT_EQ(refused(R"({"generationConfig": {"topP": 1}})", {"topP"}), "topP");
    EXPECT_EQ(refused(R"({"options": {"seed": 1}})", {"seed"}), "seed");
    EXPECT_EQ(refused(R"({"messages": [{"seed": 1}]})", {"seed"}), "none");
    EXPECT_EQ(refused(R"({"seed": 1})", {}), "none");
}

TEST(RefusedMembers, AreToldInTheWordsOfOtherServers) {
    Failure failure;
    failure.status = 422;
    failure.param = "seed";
    EXPECT_EQ(write_error_shape(ErrorShape::fastapi, failure),
              R"({"detail":[{"type":"extra_forbidden","loc":["body","seed"],)"
              R"("msg":"Extra inputs are not permitted"}]})");
    failure.param.clear();
    EXPECT_EQ(write_error_shape(ErrorShape::mistral, failure),
              R"({"object":"Error","message":{"detail":"simulated status 422"},)"
              R"("type":"invalid_request_error","param":null,"code":null})");
}

}  // namespace
}  // namespace evalfleet::simulator
