#include "common/json/writer.hpp"

#include "common/json/document.hpp"
#include "common/json/escape.hpp"
#include "common/json/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace evalfleet::json {
namespace {

std::string written(const auto& item) {
    std::string out;
    Writer(out).value(item);
    return out;
}

TEST(CanonicalNumber, KeepsADoubleToldApartFromAnInteger) {
    EXPECT_EQ(format_double(2.0), "2.0");
    EXPECT_EQ(format_double(0.0), "0.0");
    EXPECT_EQ(format_double(-0.0), "-0.0");
    EXPECT_EQ(format_double(-17.0), "-17.0");
    EXPECT_EQ(format_double(100000.0), "100000.0");
}

TEST(CanonicalNumber, UsesTheFewestDigits) {
    EXPECT_EQ(format_double(0.1), "0.1");
    EXPECT_EQ(format_double(0.1 + 0.2), "0.30000000000000004");
    EXPECT_EQ(format_double(1234.567), "1234.567");
    EXPECT_EQ(format_double(0.0001), "0.0001");
    EXPECT_EQ(format_double(1.0 / 3), "0.3333333333333333");
}

TEST(CanonicalNumber, IsScientificOutsideThePlainRange) {
    EXPECT_EQ(format_double(1e22), "1e+22");
    EXPECT_EQ(format_double(2.5e-7), "2.5e-07");
    EXPECT_EQ(format_double(1e-6), "0.000001");
    EXPECT_EQ(format_double(9007199254740991.0), "9007199254740991.0");
    EXPECT_EQ(format_double(9007199254740992.0), "9.007199254740992e+15");
    EXPECT_EQ(format_double(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
    EXPECT_EQ(format_double(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(CanonicalNumber, RefusesWhatJsonCannotHold) {
    EXPECT_THROW((void)format_double(std::nan("")), std::logic_error);
    EXPECT_THROW((void)format_double(std::numeric_limits<double>::infinity()), std::logic_error);
}

TEST(CanonicalNumber, ReadsBackAsTheSameBits) {
    std::mt19937_64 random(1);
    Parser parser;
    for (int i = 0; i < 100000; ++i) {
        const double number = std::bit_cast<double>(random());
        if (!std::isfinite(number)) continue;
        const std::string text = format_double(number);
        ASSERT_LE(text.size(), kMaxDoubleChars);
        const auto root = parser.parse(text);
        ASSERT_TRUE(root) << text;
        ASSERT_EQ(root->kind(), Kind::real) << text;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(*root->as_double()),
                  std::bit_cast<std::uint64_t>(number))
            << text;
    }
}

TEST(CanonicalWriter, WritesNestedContainersWithCommasOnlyBetween) {
    std::string out;
    Writer writer(out);
    writer.begin_object().member("a", 1).key("b").begin_array().value(true).null().begin_object();
    writer.end_object().end_array().member("c", "x").key("d").begin_object().end_object();
    writer.end_object();
    EXPECT_EQ(out, R"({"a":1,"b":[true,null,{}],"c":"x","d":{}})");
}

TEST(CanonicalWriter, PrettyLayoutIndentsByTwoAndKeepsEmptyContainersShort) {
    std::string out;
    Writer writer(out, Layout::pretty);
    writer.begin_object().member("a", 1).key("b").begin_array().value(2.0).value("x").end_array();
    writer.key("c").begin_array().end_array().key("d").begin_object().end_object().end_object();
    EXPECT_EQ(
        out, "{\n  \"a\": 1,\n  \"b\": [\n    2.0,\n    \"x\"\n  ],\n  \"c\": [],\n  \"d\": {}\n}");
}

TEST(CanonicalWriter, WritesEveryScalar) {
    EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
    EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
    EXPECT_EQ(written(std::uint8_t{7}), "7");
    EXPECT_EQ(written(false), "false");
    EXPECT_EQ(written(nullptr), "null");
    EXPECT_EQ(written(std::optional<double>{}), "null");
    EXPECT_EQ(written(std::optional<int>{3}), "3");
    EXPECT_EQ(written(std::optional<std::string>{"s"}), "\"s\"");
}

TEST(CanonicalWriter, RawTextTakesTheRoleOfAValue) {
    std::string out;
    Writer(out).begin_array().raw("{\"k\":1}").raw("2").end_array();
    EXPECT_EQ(out, "[{\"k\":1},2]");
}

TEST(CanonicalWriter, EscapesOnlyWhatItMust) {
    EXPECT_EQ(written("a\"b\\c/d\n\r\t\b\f"), R"("a\"b\\c/d\n\r\t\b\f")");
    EXPECT_EQ(written(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
    EXPECT_EQ(written("größe 日本 😀"), "\"größe 日本 😀\"");
}

TEST(CanonicalWriter, ReplacesEachInvalidByte) {
    EXPECT_EQ(written("a\xff\xfe z"), "\"a\xEF\xBF\xBD\xEF\xBF\xBD z\"");
    EXPECT_EQ(written("\xC0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    EXPECT_EQ(written("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    EXPECT_EQ(written("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    EXPECT_EQ(written("\xF4\x90\x80\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(CanonicalWriter, EscapesAtEveryOffsetOfAWord) {
    for (const char special : {'"', '\\', '\n', '\x01', '\x1f'}) {
        for (std::size_t at = 0; at < 20; ++at) {
            std::string text(20, 'x');
            text[at] = special;
            Parser parser;
            const auto root = parser.parse(written(text));
            ASSERT_TRUE(root) << at;
            EXPECT_EQ(*root->as_string(), text);
        }
    }
}

TEST(CanonicalWriter, RandomBytesGiveJsonThatReadsBack) {
    std::mt19937_64 random(2);
    Parser parser;
    for (int i = 0; i < 20000; ++i) {
        std::string text(random() % 40, '\0');
        for (char& c : text)
            c = static_cast<char>(random() % 3 == 0 ? random() : 'a' + random() % 26);
        const auto root = parser.parse(written(text));
        ASSERT_TRUE(root);
        if (is_utf8(text)) {
            ASSERT_EQ(*root->as_string(), text);
        }
    }
}

}  // namespace
}  // namespace evalfleet::json
