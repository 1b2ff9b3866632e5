#include "worker/providers/vertex.hpp"

#include "tests/unit/worker/protocol_fixtures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUrl =
    "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4";

TEST(Vertex, AsksGeminiAsAPublishersModel) {
    ModelRequest request = question("gemini-2.0-flash", "001");
    const WireRequest wire = make(VertexGemini(), kUrl, request);
    EXPECT_EQ(wire.http.url.target,
              "/v1/projects/p/locations/europe-west4/publishers/google/models/"
              "gemini-2.0-flash-001:generateContent");
    EXPECT_THAT(wire.http.body, HasSubstr(R"("systemInstruction")"));
    request.stream = true;
    EXPECT_THAT(make(VertexGemini(), kUrl, request).http.url.target,
                HasSubstr(":streamGenerateContent?alt=sse"));
}

TEST(Vertex, AsksClaudeWithTheVersionInTheBodyAndTheModelInThePath) {
    ModelRequest request = question("claude-opus-4-5", "2025-11-01");
    const WireRequest wire = make(VertexAnthropic(), kUrl, request);
    EXPECT_EQ(wire.http.url.target,
              "/v1/projects/p/locations/europe-west4/publishers/anthropic/"
              "models/claude-opus-4-5@20251101:rawPredict");
    EXPECT_THAT(wire.http.body, HasSubstr(R"({"anthropic_version":"vertex-2023-10-16")"));
    EXPECT_THAT(wire.http.body, Not(HasSubstr(R"("model")")));
    EXPECT_THAT(wire.http.body, HasSubstr(R"("temperature":0.5)"));
    EXPECT_FALSE(wire.http.headers.contains("anthropic-version"));
    request.stream = true;
    const WireRequest streamed = make(VertexAnthropic(), kUrl, request);
    EXPECT_THAT(streamed.http.url.target, HasSubstr(":streamRawPredict"));
    EXPECT_THAT(streamed.http.body, HasSubstr(R"("stream":true)"));
}

}  // namespace
}  // namespace evalfleet::worker
