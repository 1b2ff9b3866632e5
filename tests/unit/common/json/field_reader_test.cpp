#include "common/json/field_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace evalfleet::json {
namespace {

using Kind = FieldValue::Kind;

constexpr std::array<std::string_view, 4> kNames{"id", "latency_e2e_ms", "tags", "answer"};

class FieldReaderTest : public testing::Test {
  protected:
    Status read(std::string_view line) {
        padded_.assign(line);
        padded_.append(FieldReader::kPaddingBytes, '\0');
        return reader_.read(std::string_view(padded_).substr(0, line.size()), values_);
    }

    FieldReader reader_{kNames};
    std::vector<FieldValue> values_{kNames.size()};
    std::string padded_;
};

TEST_F(FieldReaderTest, DeliversWantedFieldsInTheOrderOfTheirNames) {
    ASSERT_TRUE(
        read(R"({"other":[1,{"id":5}],"answer":"a\u00e9\n","latency_e2e_ms":1.5,"id":-3})"));
    EXPECT_EQ(values_[0].kind, Kind::integer);
    EXPECT_EQ(values_[0].integer, -3);
    EXPECT_EQ(values_[1].kind, Kind::real);
    EXPECT_EQ(values_[1].real, 1.5);
    EXPECT_EQ(values_[2].kind, Kind::absent);
    EXPECT_EQ(values_[3].text, "a\xc3\xa9\n");
}

TEST_F(FieldReaderTest, TellsEveryKindOfValue) {
    ASSERT_TRUE(read(R"({"id":null})"));
    EXPECT_EQ(values_[0].kind, Kind::null);
    ASSERT_TRUE(read(R"({"id":true})"));
    EXPECT_TRUE(values_[0].boolean);
    ASSERT_TRUE(read(R"({"id":18446744073709551615})"));
    EXPECT_EQ(values_[0].kind, Kind::large_integer);
    EXPECT_EQ(values_[0].large_integer, ~0ULL);
    ASSERT_TRUE(read(R"({"id":[]})"));
    EXPECT_EQ(values_[0].kind, Kind::array);
    ASSERT_TRUE(read(R"({})"));
    EXPECT_EQ(values_[0].kind, Kind::absent);
}

TEST_F(FieldReaderTest, OpensAnObjectOneLevel) {
    ASSERT_TRUE(read(R"({"tags":{"lang":"en","":"x","deep":{"a":1}}})"));
    ASSERT_EQ(values_[2].members.size(), 3U);
    EXPECT_EQ(values_[2].members[0].name, "lang");
    EXPECT_EQ(values_[2].members[0].value.text, "en");
    EXPECT_EQ(values_[2].members[1].name, "");
    EXPECT_EQ(values_[2].members[2].value.kind, Kind::object);
}

TEST_F(FieldReaderTest, MatchesKeysAfterUnescaping) {
    ASSERT_TRUE(read(R"({"\u0069d":7})"));
    EXPECT_EQ(values_[0].integer, 7);
    ASSERT_TRUE(read(R"({"latency_e2e_mS":7,"latency_e2x_ms":1})"));
    EXPECT_EQ(values_[1].kind, Kind::absent);
}

TEST_F(FieldReaderTest, RejectsAWantedFieldGivenTwice) {
    const auto result = read(R"({"id":1,"x":1,"x":2,"id":1})");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, ErrorKind::invalid);
    EXPECT_EQ(result.error().message, "id: given twice");
}

TEST_F(FieldReaderTest, RejectsFaultsAlsoInFieldsNobodyAskedFor) {
    const std::string deep = "{\"x\":" + std::string(300, '[') + std::string(300, ']') + "}";
    const std::vector<std::string_view> lines{R"({"x":tru})",
                                              R"({"x":1.2.3})",
                                              R"({"x":01})",
                                              R"({"x":"\q"})",
                                              R"({"x":"\ud800"})",
                                              R"({"x":[1,2)",
                                              R"({"x":[1 2]})",
                                              R"({"x":{"y" 1}})",
                                              R"({"x":1)",
                                              R"({"x":1}})",
                                              R"({"x":1} {"x":2})",
                                              R"({"x":1},)",
                                              "",
                                              "null",
                                              "[]",
                                              "7",
                                              R"("id")",
                                              "{\"x\":\"a\tb\"}",
                                              "{\"x\":\"\xff\"}",
                                              R"({"x":1e999})",
                                              R"({"x":nan})",
                                              deep};
    for (const std::string_view line : lines) {
        const auto result = read(line);
        ASSERT_FALSE(result) << line;
        EXPECT_FALSE(result.error().message.empty()) << line;
    }
}

TEST_F(FieldReaderTest, SaysAtWhichColumnALineIsBroken) {
    const auto result = read(R"({"x":tru})");
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().message.starts_with("column ")) << result.error().message;
}

}  // namespace
}  // namespace evalfleet::json
