#include "cli/json_difference.hpp"

#include "common/json/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> between(const std::string& stored, const std::string& recomputed) {
    const auto before = json::Document::parse(stored);
    const auto after = json::Document::parse(recomputed);
    return json_differences(before->root(), after->root());
}

TEST(JsonDifferences, AreNoneBetweenEqualValuesInAnotherOrder) {
    EXPECT_THAT(between(R"({"a": [1, null], "b": 2})", R"({"b": 2, "a": [1, null]})"), IsEmpty());
}

TEST(JsonDifferences, NameEveryPlace) {
    EXPECT_THAT(between(R"({"a": {"x": 1}, "b": [1, 2], "c": "s", "d": 1})",
                        R"({"a": {"x": 1.5}, "b": [1], "c": null, "e": 1})"),
                ElementsAre("a.x: stored 1, recomputed 1.5", "b: stored 2 items, recomputed 1",
                            "c: stored string \"s\", recomputed null",
                            "d: stored, but not recomputed", "e: recomputed, but not stored"));
}

TEST(JsonDifferences, DoNotGrowWithoutBound) {
    std::string ones = "[";
    std::string twos = "[";
    for (int i = 0; i < 500; ++i) {
        ones += "1,";
        twos += "2,";
    }
    EXPECT_THAT(between(ones + "0]", twos + "0]"), SizeIs(kMaxDifferences));
}

}  // namespace
}  // namespace evalfleet::cli
