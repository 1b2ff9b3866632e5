#include "common/queue/keys.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evalfleet::queue {
namespace {

TEST(RunId, MayBeLettersDigitsDotsDashesAndUnderscores) {
    const std::vector<std::string> right{
        "a",    "0",    "Z",          "20261116-155501-3f9a2c-nightly",
        "a.b",  "a..b", "_under",     "-dash",
        "r_1.", "A-Z",  "azAZ09.-_x", std::string(64, 'x')};
    for (const std::string& id : right)
        EXPECT_TRUE(is_run_id(id)) << id;
}

TEST(RunId, MayNotLeaveItsFolderItsKeyOrItsUrl) {
    const std::vector<std::string> wrong{"",
                                         ".",
                                         "..",
                                         "../x",
                                         ".hidden",
                                         "a/b",
                                         "a\\b",
                                         "a b",
                                         "a:b",
                                         "{a}",
                                         "a?b",
                                         "a#b",
                                         "a%2fb",
                                         "a\nb",
                                         "a\tb",
                                         "\xc3\xa9",
                                         "a*",
                                         std::string(65, 'x'),
                                         std::string("a\0b", 3)};
    for (const std::string& id : wrong)
        EXPECT_FALSE(is_run_id(id)) << id;
}

TEST(Keys, AreSpeltAsTheFunctionsSpellThem) {
    const Keys keys;
    EXPECT_EQ(keys.base(), "ef:{main}");
    EXPECT_EQ(keys.run("r1"), "ef:{main}:run:r1");
    EXPECT_EQ(keys.jobs("r1"), "ef:{main}:job:r1");
    EXPECT_EQ(keys.results("r1"), "ef:{main}:res:r1");
    EXPECT_EQ(keys.wake(), "ef:{main}:wake");
}

// What a cluster hashes: the text between the first brace and the next closing one.
std::string hash_tag(const std::string& key) {
    const auto begin = key.find('{') + 1;
    return key.substr(begin, key.find('}', begin) - begin);
}

TEST(Keys, ShareThePoolAsTheirHashTag) {
    const Keys keys("blue");
    for (const std::string& key :
         {keys.base(), keys.run("a"), keys.jobs("b"), keys.results("c"), keys.wake()})
        EXPECT_EQ(hash_tag(key), "blue") << key;
}

TEST(Keys, OfTwoPoolsOrTwoRunsDiffer) {
    const Keys blue("blue");
    const Keys green("green");
    EXPECT_NE(blue.run("a"), green.run("a"));
    EXPECT_NE(blue.wake(), green.wake());
    EXPECT_NE(blue.run("a"), blue.run("b"));
    EXPECT_NE(blue.jobs("a"), blue.results("a"));
}

}  // namespace
}  // namespace evalfleet::queue
