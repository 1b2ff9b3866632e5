#include "common/job/run_labels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::job {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::vector<std::string>& texts) {
    RunLabels labels;
    const Status added = add_run_labels(labels, texts);
    return added ? "accepted" : added.error().message;
}

TEST(RunLabels, AreEnteredInThePlaceOfWhatHadTheirKey) {
    RunLabels labels{{"branch", "main"}, {"pr", "7"}};
    ASSERT_TRUE(add_run_labels(labels, {"branch=fix/x", "note=a=b", "empty="}));
    EXPECT_EQ(labels,
              (RunLabels{{"branch", "fix/x"}, {"empty", ""}, {"note", "a=b"}, {"pr", "7"}}));
    EXPECT_EQ(labels_text(labels), "branch=fix/x, empty=, note=a=b, pr=7");
}

TEST(RunLabels, SayWhatIsWrongAndWhatIsAllowed) {
    EXPECT_EQ(refusal({"branch"}), "found 'branch', allowed: KEY=VALUE");
    for (const char* const key : {"", "-x", "a b", "a=b"})
        EXPECT_THAT(refusal({std::string(key == std::string("a=b") ? "=b" : key) + "=1"}),
                    HasSubstr("letters, digits and ._-/"))
            << key;
    EXPECT_EQ(refusal({std::string(64, 'k') + "=" + std::string(256, 'v')}), "accepted");
    EXPECT_THAT(refusal({std::string(65, 'k') + "=v"}), HasSubstr("1 to 64"));
    EXPECT_THAT(refusal({"k=" + std::string(257, 'v')}),
                HasSubstr("value of k: allowed: at most 256"));
    EXPECT_THAT(refusal({"k=a\033[2J"}), HasSubstr("without control characters"));
}

TEST(RunLabels, AreAtMostThirtyTwo) {
    std::vector<std::string> texts;
    for (int i = 0; i < 32; ++i)
        texts.push_back("k" + std::to_string(i) + "=v");
    EXPECT_EQ(refusal(texts), "accepted");
    texts.emplace_back("k32=v");
    EXPECT_EQ(refusal(texts), "found 33 labels, allowed: at most 32");
}

TEST(RunDescription, MayHaveLinesAndAtMostAThousandBytes) {
    EXPECT_EQ(fault_of_description("two\nlines\tand a tab"), std::nullopt);
    EXPECT_EQ(fault_of_description(std::string(1024, 'x')), std::nullopt);
    EXPECT_THAT(fault_of_description(std::string(1025, 'x')).value(), HasSubstr("at most 1024"));
    EXPECT_TRUE(fault_of_description("\x1b[2J"));
}

}  // namespace
}  // namespace evalfleet::job
