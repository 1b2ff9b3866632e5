#include "cli/moved_slices.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evalfleet::cli {
namespace {

std::string slice(double pass_rate) {
    return R"({"rubric":{"total_count":40,"pass_rate":)" + std::to_string(pass_rate) + "}}";
}

std::string summary(double qa, double german, double small) {
    return R"({"slices":{"task_type":{"qa":)" + slice(qa) + R"(,"few":)" + slice(small) +
           R"(},"tags":{"lang":{"de":)" + slice(german) + R"(,"en":)" + slice(0.5) +
           R"(}}},"extra":{"slice_tests":{"task_type":{"qa":{"verdict":"lower"},)"
           R"("few":{"verdict":"not_tested"}},"tags":{"lang":{"de":{"verdict":"open"},)"
           R"("en":{"verdict":"open"}}}}}})";
}

TEST(MovedSlices, ComeByHowFarTheyMoved) {
    const auto moved = moved_slices(summary(0.9, 0.8, 0), summary(0.8, 0.5, 1)).value();
    ASSERT_EQ(moved.size(), 2U) << "what has too few samples or has not moved is left out";
    EXPECT_EQ(moved[0].name, "lang: de");
    EXPECT_DOUBLE_EQ(moved[0].candidate, 0.5);
    EXPECT_EQ(moved[0].trials, 40U);
    EXPECT_EQ(moved[1].name, "task type: qa");
}

TEST(MovedSlices, AreNoneOfSummariesWithoutThem) {
    EXPECT_TRUE(moved_slices("{}", summary(1, 1, 1)).value().empty());
    EXPECT_FALSE(moved_slices("no JSON", "{}"));
}

}  // namespace
}  // namespace evalfleet::cli
