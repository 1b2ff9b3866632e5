#include "common/http/headers.hpp"

#include "common/http/percent.hpp"

#include <gtest/gtest.h>

namespace evalfleet::http {
namespace {

TEST(Headers, FindWithoutRegardToCase) {
    Headers headers{{"Content-Type", "a"}, {"X-Two", "1"}, {"x-two", "2"}};
    EXPECT_EQ(headers.find("content-TYPE"), "a");
    EXPECT_EQ(headers.find("X-TWO"), "1");
    EXPECT_FALSE(headers.find("missing"));
}

TEST(Headers, SetReplacesEveryFieldOfThatName) {
    Headers headers{{"X-Two", "1"}, {"x-two", "2"}, {"Other", "o"}};
    headers.set("X-TWO", "3");
    EXPECT_EQ(headers.size(), 2U);
    EXPECT_EQ(headers.find("x-two"), "3");
}

TEST(Headers, FindTokensInLists) {
    const Headers headers{{"Connection", "keep-alive, Upgrade"}, {"Connection", "TE"}};
    EXPECT_TRUE(headers.has_token("connection", "upgrade"));
    EXPECT_TRUE(headers.has_token("connection", "te"));
    EXPECT_FALSE(headers.has_token("connection", "keep"));
}

TEST(Headers, NameTheOneThatMustNotBeSent) {
    EXPECT_FALSE(Headers({{"A", "b\tc \xC3\xA4"}}).first_invalid_name());
    EXPECT_EQ(Headers({{"A", "b"}, {"Bad", "x\r\ny"}}).first_invalid_name(), "Bad");
    EXPECT_EQ(Headers({{"Bad", std::string("x\0y", 3)}}).first_invalid_name(), "Bad");
    EXPECT_EQ(Headers({{"Bad Name", "x"}}).first_invalid_name(), "Bad Name");
    EXPECT_EQ(Headers({{"", "x"}}).first_invalid_name(), "");
    EXPECT_EQ(Headers({{"Bad:", "x"}}).first_invalid_name(), "Bad:");
}

TEST(Percent, DecodesAndRefuses) {
    EXPECT_EQ(percent_decode("a%20b%2fc+d"), "a b/c+d");
    EXPECT_EQ(percent_decode("a+b", PlusSign::space), "a b");
    for (const char* wrong : {"%", "%4", "%zz", "a%2", "%-1"})
        EXPECT_FALSE(percent_decode(wrong)) << wrong;
}

TEST(Percent, EncodesWhatItDecodes) {
    std::string every;
    for (int c = 0; c < 256; ++c)
        every += static_cast<char>(c);
    EXPECT_EQ(percent_decode(percent_encode(every)), every);
    EXPECT_EQ(percent_encode("aZ0-._~/ "), "aZ0-._~%2F%20");
}

TEST(Query, KeepsOrderAndDuplicates) {
    const auto query = Query::parse("a=1&b&a=2&&c=x%3Dy=z+w");
    ASSERT_TRUE(query);
    EXPECT_EQ(query->find("a"), "1");
    EXPECT_EQ(query->find("b"), "");
    EXPECT_EQ(query->find("c"), "x=y=z w");
    EXPECT_FALSE(query->find("d"));
    EXPECT_EQ(std::distance(query->begin(), query->end()), 4);
    EXPECT_FALSE(Query::parse("a=%"));
}

}  // namespace
}  // namespace evalfleet::http
