#include "common/redis/function_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::redis {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCode = "#!lua name=queue\n-- version: 7\nredis.register_function('f', f)\n";

TEST(FunctionLibrary, ReadsNameAndVersionOutOfItsText) {
    const LibraryText text = parse_library(kCode).value();
    EXPECT_EQ(text.name, "queue");
    EXPECT_EQ(text.version, 7);
    EXPECT_EQ(text.code, kCode);
}

TEST(FunctionLibrary, RefusesATextWithoutNameOrVersion) {
    EXPECT_FALSE(parse_library("-- version: 7\n"));
    EXPECT_FALSE(parse_library("#!lua name=\n-- version: 7\n"));
    EXPECT_THAT(parse_library("#!lua name=queue\n").error().message, HasSubstr("'queue'"));
    EXPECT_FALSE(parse_library("#!lua name=queue\n-- version: seven\n"));
    EXPECT_FALSE(parse_library("#!lua name=queue\n-- version: 7b"));
    EXPECT_FALSE(parse_library(""));
}

TEST(FunctionLibrary, LoadsWhatIsMissingOlderOrDifferent) {
    const LibraryText ours = parse_library(kCode).value();
    EXPECT_EQ(decide_action(ours, std::nullopt), LibraryAction::load);
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n-- version: 6\n"), LibraryAction::load);
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n-- version: 7\n"), LibraryAction::load);
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n"), LibraryAction::load);
}

TEST(FunctionLibrary, KeepsTheSameAndANewerThatServesIt) {
    const LibraryText ours = parse_library(kCode).value();
    EXPECT_EQ(decide_action(ours, kCode), LibraryAction::keep);
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n-- version: 8\n-- serves: 7\n"),
              LibraryAction::keep);
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n-- version: 9\n-- serves: 1\n"),
              LibraryAction::keep);
}

TEST(FunctionLibrary, RefusesANewerThatDoesNotServeIt) {
    const LibraryText ours = parse_library(kCode).value();
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n-- version: 9\n-- serves: 8\n"),
              LibraryAction::refuse);
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n-- version: 8\n"), LibraryAction::refuse);
    EXPECT_EQ(decide_action(ours, "#!lua name=queue\n-- version: 8\n-- serves: all\n"),
              LibraryAction::refuse);
}

}  // namespace
}  // namespace evalfleet::redis
