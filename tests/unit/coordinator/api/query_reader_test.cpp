#include "coordinator/api/query_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::api {
namespace {

using ::testing::HasSubstr;

TEST(QueryReader, ReadsWhatIsThereAndFallsBackWhereNothingIs) {
    const auto query = http::Query::parse("name=a%20b&limit=7&passed=true&tag=x:1&tag=y:2").value();
    QueryReader reader(query);
    EXPECT_EQ(reader.text("name"), "a b");
    EXPECT_EQ(reader.text("other"), "");
    EXPECT_EQ(reader.number("limit", 50, 1, 500), 7U);
    EXPECT_EQ(reader.number("offset", 3, 0, 9), 3U);
    EXPECT_EQ(reader.boolean("passed"), true);
    EXPECT_FALSE(reader.boolean("failed"));
    EXPECT_EQ(reader.texts("tag", 8), (std::vector<std::string>{"x:1", "y:2"}));
    EXPECT_FALSE(reader.refusal());
}

TEST(QueryReader, NamesEveryParameterThatIsWrong) {
    const auto query =
        http::Query::parse("a=0&b=501&c=-1&d=1e3&e=&f=yes&g=" + std::string(300, 'x') +
                           "&h=18446744073709551616")
            .value();
    QueryReader reader(query);
    for (const char* name : {"a", "b", "c", "d", "e", "h"})
        EXPECT_EQ(reader.number(name, 50, 1, 500), 50U) << name;
    (void)reader.boolean("f");
    (void)reader.text("g");
    const auto refusal = reader.refusal();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->status, 400);
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"})
        EXPECT_THAT(refusal->body, HasSubstr("\"field\":\"" + std::string(name) + "\"")) << name;
}

}  // namespace
}  // namespace evalfleet::api
