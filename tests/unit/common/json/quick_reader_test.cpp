#include "common/json/quick_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <string>
#include <vector>

namespace evalfleet::json {
namespace {

using Kind = FieldValue::Kind;

constexpr std::array<std::string_view, 5> kNames{"id", "latency_e2e_ms", "tags", "answer",
                                                 "a_name_of_more_than_thirty_two_bytes"};

std::string to_text(const FieldValue& value);

std::string to_text(std::span<const FieldMember> members) {
    std::string text;
    for (const FieldMember& member : members)
        text += std::string(member.name) + "=" + to_text(member.value) + ";";
    return text;
}

// All there is to see of a value, its bits included.
std::string to_text(const FieldValue& value) {
    const std::string kind = std::to_string(static_cast<int>(value.kind)) + ":";
    switch (value.kind) {
        case Kind::boolean:
            return kind + (value.boolean ? "true" : "false");
        case Kind::integer:
            return kind + std::to_string(value.integer);
        case Kind::large_integer:
            return kind + std::to_string(value.large_integer);
        case Kind::real:
            return kind + std::to_string(std::bit_cast<std::uint64_t>(value.real));
        case Kind::string:
            return kind + std::string(value.text);
        case Kind::object:
            return kind + to_text(value.members);
        default:
            return kind;
    }
}

class QuickReaderTest : public testing::Test {
  protected:
    std::string_view pad(std::string_view line) {
        padded_.assign(line);
        // What stands behind a line is the next one, or anything that was there before.
        padded_.append(FieldReader::kPaddingBytes, '7');
        return std::string_view(padded_).substr(0, line.size());
    }

    bool takes(std::string_view line) { return quick_.read(pad(line), values_); }

    std::string shown() const {
        std::string text;
        for (const FieldValue& value : values_)
            text += to_text(value) + "|";
        return text;
    }

    // True if both halves agree: what the quick one takes is what the strict one makes of it.
    testing::AssertionResult agrees(std::string_view line) {
        const bool is_taken = takes(line);
        if (!is_taken) return testing::AssertionSuccess();
        ++taken_;
        const std::string quickly = shown();
        const Status strictly = strict_.read_strictly(pad(line), values_);
        if (!strictly)
            return testing::AssertionFailure() << line << "\nrefused: " << strictly.error().message;
        if (quickly == shown()) return testing::AssertionSuccess();
        return testing::AssertionFailure() << line << "\n" << quickly << "\n" << shown();
    }

    NameTable table_{kNames};
    QuickReader quick_{table_};
    FieldReader strict_{kNames};
    std::vector<FieldValue> values_{kNames.size()};
    std::string padded_;
    int taken_ = 0;
};

TEST_F(QuickReaderTest, TakesThePlainWaysToWriteARecord) {
    for (
        const std::string_view line : {
            R"({})",
            R"({"id":1})",
            R"( { "id" : 1 , "answer" : "x" } )",
            R"({"id":-0,"answer":"","latency_e2e_ms":0.1})",
            R"({"id":true,"answer":false,"latency_e2e_ms":null})",
            R"({"answer":"line\nnext \"quoted\" \\ \/ \t\b\f\r","other":"also\n"})",
            R"({"latency_e2e_ms":0.17753623188405798,"id":123456789012345678})",
            R"({"latency_e2e_ms":6.9e-05,"x":1E+22,"y":-2.5e7})",
            R"({"tags":{"lang":"en","n":3,"deep":{"a":[1,{}]},"list":[[],"x"],"esc\n":"\n"},"id":[]})",
            R"({"tags":{},"other":{"a":{"b":[true,false,null,1.5,"x"]}},"list":[]})",
            R"({"a_name_of_more_than_thirty_two_bytes":7,"idx":1,"i":2})",
        }) {
        EXPECT_TRUE(takes(line)) << line;
        EXPECT_TRUE(agrees(line));
    }
}

TEST_F(QuickReaderTest, LeavesToTheStrictHalfWhatNeedsMoreCare) {
    for (const std::string_view line : {
             R"({"answer":"\u00e9"})",
             R"({"\u0069d":7})",
             R"({"id":18446744073709551615})",
             R"({"id":1234567890123456789})",
             R"({"x":1e308})",
             R"({"id":1,"id":2})",
             R"([[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]])",
             R"({"x":[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]})",
         }) {
        EXPECT_FALSE(takes(line)) << line;
    }
}

TEST_F(QuickReaderTest, TakesNothingThatIsNoJson) {
    for (const std::string_view line : {
             "",
             "{",
             "}",
             "[]",
             "7",
             R"("id")",
             R"({"id"})",
             R"({"id":})",
             R"({"id":1,})",
             R"({"id":1)",
             R"({"id":12)",
             R"({"id":tru})",
             R"({"id":truex})",
             R"({"id":true"x"})",
             R"({"id":nul)",
             R"({"id":null)",
             R"({"id":01})",
             R"({"id":-})",
             R"({"id":1.})",
             R"({"id":.5})",
             R"({"id":1e})",
             R"({"id":1 2})",
             R"({"id":1-})",
             R"({"id":"x"y})",
             R"({"id":"x" "y"})",
             R"({"id":"\q"})",
             R"({"id":"\)",
             R"({"id":1}})",
             R"({"id":1}{"id":1})",
             R"({"id":1},)",
             R"({"x":[1,]})",
             R"({"x":[,1]})",
             R"({"x":[1}})",
             R"({"x":{"y" 1}})",
             R"({"tags":{"a":1]})",
             R"({"tags":{"a":1,}})",
             R"({"tags":{1:1}})",
             "{\"x\":\"a\tb\"}",
             "{\"x\":\"\xff\"}",
         }) {
        EXPECT_FALSE(takes(line)) << line;
        EXPECT_FALSE(strict_.read(pad(line), values_)) << line;
    }
}

TEST_F(QuickReaderTest, FollowsNamesThatComeInAnotherOrderOrAreNewInTheirPlace) {
    EXPECT_TRUE(agrees(R"({"id":1,"answer":"x","other":2})"));
    EXPECT_TRUE(agrees(R"({"id":1,"answer":"x","other":2})"));
    EXPECT_TRUE(agrees(R"({"answer":"y","id":2})"));
    EXPECT_TRUE(agrees(R"({"answers":"y","ids":2,"id":3})"));
    EXPECT_TRUE(agrees(R"({"i":1,"answe":2,"":3})"));
    EXPECT_TRUE(agrees(R"({"i":1,"answer" :"z","id":3})"));
    EXPECT_EQ(taken_, 6);
    EXPECT_EQ(values_[3].text, "z");
}

TEST_F(QuickReaderTest, ReadsEveryNumberToTheSameBits) {
    std::mt19937_64 random(7);
    const auto digits = [&](int most) {
        std::string text;
        const auto count = 1 + random() % static_cast<unsigned>(most);
        for (std::uint64_t i = 0; i < count; ++i)
            text.push_back(static_cast<char>('0' + random() % 10));
        return text;
    };
    constexpr int kNumbers = 20'000;
    for (int i = 0; i < kNumbers; ++i) {
        std::string number = (random() % 2 == 0 ? "-" : "") + digits(random() % 2 == 0 ? 4 : 20);
        if (random() % 2 == 0) number += "." + digits(20);
        if (random() % 4 == 0) number += "e" + digits(3);
        ASSERT_TRUE(agrees("{\"latency_e2e_ms\":" + number + ",\"x\":" + number + "}"));
    }
    EXPECT_GT(taken_, kNumbers / 3);
}

TEST_F(QuickReaderTest, NeverDiffersFromTheStrictHalfOnADamagedLine) {
    const std::string line =
        R"({"id":12,"other":"a\nb","latency_e2e_ms":1.25e3,"tags":{"lang":"en","n":[1,null]},)"
        R"("answer":"x \"y\" z","flag":false,"list":[{"a":-0.5},"\t"],"none":null})";
    constexpr std::string_view kBytes = "{}[],:\"\\ \t\n0123456789-+.eEtrufalsnx/u\x80\xc3\x01";
    std::mt19937_64 random(11);
    constexpr int kLines = 60'000;
    for (int i = 0; i < kLines; ++i) {
        std::string damaged = line;
        for (auto faults = 1 + random() % 3; faults > 0; --faults) {
            const std::size_t at = random() % damaged.size();
            const char c = kBytes[random() % kBytes.size()];
            switch (random() % 3) {
                case 0:
                    damaged[at] = c;
                    break;
                case 1:
                    damaged.insert(at, 1, c);
                    break;
                default:
                    damaged.erase(at, 1 + random() % 4);
            }
        }
        ASSERT_TRUE(agrees(damaged));
    }
    EXPECT_GT(taken_, kLines / 100) << "too few were good to say anything";
    EXPECT_LT(taken_, kLines) << "none was damaged";
}

}  // namespace
}  // namespace evalfleet::json
