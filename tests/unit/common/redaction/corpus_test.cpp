#include "common/redaction/redactor.hpp"
#include "tests/support/redaction/planted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace evalfleet::redaction {
namespace {

using testing::Encoding;
using testing::Planted;

TEST(RedactionCorpus, HoldsAtLeastTwoHundredPlantedPiecesOfFortyKinds) {
    std::set<std::string> kinds;
    std::set<std::string> secrets;
    for (const Planted& planted : testing::planted_corpus()) {
        kinds.insert(planted.kind);
        secrets.insert(planted.secret);
        ASSERT_NE(planted.text.find(planted.secret), std::string::npos) << planted.text;
    }
    EXPECT_GE(kinds.size(), 40U);
    EXPECT_GE(secrets.size(), 200U);
}

class InEveryEncoding : public ::testing::TestWithParam<Encoding> {};

TEST_P(InEveryEncoding, NothingPlantedIsLeft) {
    const Redactor redactor;
    for (const Planted& planted : testing::planted_corpus()) {
        const std::string encoded = GetParam().encode(planted.text);
        const std::string wanted = GetParam().encode(planted.secret);
        for (const std::string& text : {encoded, "before: " + encoded + " :after"}) {
            const std::string clean = redactor.redact(text).text;
            EXPECT_EQ(clean.find(planted.secret), std::string::npos)
                << planted.kind << ": " << clean;
            EXPECT_EQ(clean.find(wanted), std::string::npos) << planted.kind << ": " << clean;
            EXPECT_NE(clean.find("[REDACTED:"), std::string::npos) << planted.kind << ": " << text;
            EXPECT_EQ(redactor.redact(clean).text, clean) << planted.kind;
        }
    }
}

/// A piece of `secret` behind its first quarter that `text` still has, long enough to be of use.
std::string piece_left(std::string_view text, std::string_view secret) {
    constexpr std::size_t kShortest = 30;
    if (secret.size() < kShortest || secret.starts_with("http")) return {};
    const std::size_t size = std::max<std::size_t>(12, secret.size() / 4);
    for (std::size_t i = secret.size() / 4; i + size <= secret.size(); ++i) {
        if (text.find(secret.substr(i, size)) != std::string_view::npos)
            return std::string(secret.substr(i, size));
    }
    return {};
}

TEST_P(InEveryEncoding, NoLongPieceOfAKeyIsLeft) {
    const Redactor redactor;
    for (const Planted& planted : testing::planted_secrets(33)) {
        const std::string clean = redactor.redact(GetParam().encode(planted.text)).text;
        EXPECT_EQ(piece_left(clean, GetParam().encode(planted.secret)), "")
            << planted.kind << ": " << clean;
    }
}

TEST_P(InEveryEncoding, NothingPlantedIsLeftInNames) {
    const Redactor redactor;
    for (const Planted& planted : testing::planted_corpus()) {
        const std::string text = GetParam().encode(planted.text);
        const std::string clean = redactor.redact_name(text).text;
        EXPECT_EQ(clean.find(GetParam().encode(planted.secret)), std::string::npos) << planted.kind;
        EXPECT_EQ(redactor.redact_name(clean).text, clean) << planted.kind;
        EXPECT_EQ(redactor.redact(clean).text, clean) << planted.kind;
    }
}

TEST_P(InEveryEncoding, SecretsGoEvenIfPersonalDataMayStay) {
    const Redactor redactor({}, {.pii = false});
    for (const Planted& planted : testing::planted_secrets(31)) {
        const std::string clean = redactor.redact(GetParam().encode(planted.text)).text;
        EXPECT_EQ(clean.find(GetParam().encode(planted.secret)), std::string::npos)
            << planted.kind << ": " << clean;
    }
}

INSTANTIATE_TEST_SUITE_P(RedactionCorpus, InEveryEncoding,
                         ::testing::ValuesIn(testing::log_encodings()), [](const auto& chosen) {
                             std::string name;
                             for (const char c : chosen.param.name)
                                 name += c == ' ' ? '_' : c;
                             return name;
                         });

TEST(RedactionCorpus, PersonalDataMayStay) {
    const Redactor redactor({}, {.pii = false});
    for (const Planted& planted : testing::planted_persons(32))
        EXPECT_EQ(redactor.redact(planted.text).text, planted.text) << planted.kind;
}

TEST(RedactionCorpus, TouchesLessThanHalfAPercentOfInnocentTexts) {
    const Redactor redactor;
    const std::vector<std::string> texts = testing::innocent_corpus();
    ASSERT_EQ(texts.size(), 2000U);
    std::string touched;
    int count = 0;
    for (const std::string& text : texts) {
        const std::string clean = redactor.redact(text).text;
        if (clean == text) continue;
        ++count;
        touched += text + "\n  -> " + clean + "\n";
    }
    EXPECT_LT(count, 10) << touched;
}

}  // namespace
}  // namespace evalfleet::redaction
