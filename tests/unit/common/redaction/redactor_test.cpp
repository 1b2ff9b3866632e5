#include "common/redaction/redactor.hpp"

#include "common/json/escape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace evalfleet::redaction {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Keys are put together from pieces, so that no scanner of repositories takes them for real ones.
const std::string kTail = "4f8Zk2Qw9LmX7tRb3NvC5yHd";

std::string redacted(std::string_view text) {
    return Redactor().redact(text).text;
}

struct Example {
    std::string text;
    std::string expected;
};

class Shapes : public ::testing::TestWithParam<Example> {};

TEST_P(Shapes, AreReplacedExactly) {
    const Redacted first = Redactor().redact(GetParam().text);
    EXPECT_EQ(first.text, GetParam().expected);
    EXPECT_EQ(redacted(first.text), first.text);
}

INSTANTIATE_TEST_SUITE_P(
    Secrets, Shapes,
    ::testing::Values(
        Example{"key sk-" + kTail + ".", "key [REDACTED:api_key]."},
        Example{"sk-proj-" + kTail + "_-x", "[REDACTED:api_key]"},
        Example{"(sk-ant-api03-" + kTail + ")", "([REDACTED:api_key])"},
        Example{"AIza" + kTail + "0123456789a", "[REDACTED:api_key]"},
        Example{"hf_" + kTail + "abcdefgh", "[REDACTED:api_key]"},
        Example{"gsk_" + kTail, "[REDACTED:api_key]"},
        Example{"xai-" + kTail, "[REDACTED:api_key]"},
        Example{"ghp_" + kTail + "abcdefghijkl", "[REDACTED:api_key]"},
        Example{"github_pat_" + kTail, "[REDACTED:api_key]"},
        Example{"pat" + kTail.substr(0, 14) + "." + std::string(60, 'a') + "01f2.",
                "[REDACTED:api_key]."},
        Example{"FlyV1 fm2_" + kTail + "/a+" + kTail + "==", "FlyV1 [REDACTED:api_key]"},
        Example{"\xD0\xB8\xD0\xB2\xD0\xB0\xD0\xBD"
                "8@example.org",
                "[REDACTED:email]"},
        Example{"ATATT3xFf" + kTail + kTail + "&#45;" + kTail, "[REDACTED:api_key]"},
        Example{"xoxb-123456789012-" + kTail, "[REDACTED:api_key]"},
        Example{"sk_live_" + kTail, "[REDACTED:api_key]"},
        Example{"id=AKIA"
                "IOSFODNN7EXAMPLE;",
                "id=[REDACTED:cloud_key];"},
        Example{"AKIA"
                "QWERTZUIOPASDFGH",
                "[REDACTED:cloud_key]"},
        Example{"ASIA"
                "IOSFODNN7EXAMPLE",
                "[REDACTED:cloud_key]"},
        Example{"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "aws_secret_access_key = [REDACTED:cloud_key]"},
        Example{"Authorization: Bearer " + kTail, "Authorization: Bearer [REDACTED:bearer_token]"},
        Example{"bearer\t" + kTail, "bearer\t[REDACTED:bearer_token]"},
        Example{"Bearer abcdefghijklmnopqrstuvwxyz", "Bearer [REDACTED:bearer_token]"},
        Example{"Authorization: Basic dXNlcjpwYXNzd29yZA==",
                "Authorization: Basic [REDACTED:credential]"},
        Example{"x-api-key: " + kTail + "\r\nAccept: a/b",
                "x-api-key: [REDACTED:credential]\r\nAccept: a/b"},
        Example{R"({"api-key": "0123456789abcdef0123456789abcdef"})",
                R"({"api-key": "[REDACTED:credential]"})"},
        Example{R"({\"api_key\": \")" + kTail + R"(\"})",
                R"({\"api_key\": \"[REDACTED:credential]\"})"},
        Example{"AZURE_OPENAI_API_KEY=" + kTail, "AZURE_OPENAI_API_KEY=[REDACTED:credential]"},
        Example{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc_DEF-123 x", "[REDACTED:jwt] x"},
        Example{"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0", "[REDACTED:jwt]"},
        Example{"redis://user:pa55word@host:6379/0",
                "redis://user:[REDACTED:url_password]@host:6379/0"},
        Example{"rediss://:p@ss@h", "rediss://:[REDACTED:url_password]@h"}));

const std::string kBegin = std::string("-----BEGIN ") + "RSA PRIVATE KEY-----";
const std::string kEnd = std::string("-----END ") + "RSA PRIVATE KEY-----";
const std::string kLine(64, 'k');

INSTANTIATE_TEST_SUITE_P(
    PrivateKeys, Shapes,
    ::testing::Values(Example{"a\n" + kBegin + "\n" + kLine + "\nab==\n" + kEnd + "\nb",
                              "a\n[REDACTED:private_key]\nb"},
                      Example{"\"" + kBegin + "\\n" + kLine + "\\n" + kEnd + "\\n\"",
                              "\"[REDACTED:private_key]\\n\""},
                      Example{kBegin + "\n" + kLine + "\n" + kLine + "\nkkk",
                              "[REDACTED:private_key]"},
                      Example{kBegin + "\n" + kLine + "\nand then some prose",
                              "[REDACTED:private_key]\nand then some prose"},
                      Example{kBegin, "[REDACTED:private_key]"}));

INSTANTIATE_TEST_SUITE_P(
    Personal, Shapes,
    ::testing::Values(Example{"mail jane.doe+x@example.co.uk.", "mail [REDACTED:email]."},
                      Example{"<a_b@x-y.org>", "<[REDACTED:email]>"},
                      Example{"call +44 20 7946 0958 now", "call [REDACTED:phone] now"},
                      Example{"+15551234567", "[REDACTED:phone]"},
                      Example{"+1 (555) 123-4567", "[REDACTED:phone]"},
                      Example{"(555) 123-4567", "[REDACTED:phone]"},
                      Example{"tel 555-123-4567, ok", "tel [REDACTED:phone], ok"},
                      Example{"06 12 34 56 78", "[REDACTED:phone]"},
                      Example{"06.12.34.56.78", "[REDACTED:phone]"},
                      Example{"0151/23456789", "[REDACTED:phone]"},
                      Example{"0044 20 7946 0958", "[REDACTED:phone]"},
                      Example{"card 4111 1111 1111 1111.", "card [REDACTED:payment_card]."},
                      Example{"5500-0055-5555-5559", "[REDACTED:payment_card]"},
                      Example{"378282246310005", "[REDACTED:payment_card]"},
                      Example{"3782 822463 10005", "[REDACTED:payment_card]"},
                      Example{"4222222222222", "[REDACTED:payment_card]"},
                      Example{"pay 4111 1111 1111 1111 20 times",
                              "pay [REDACTED:payment_card] 20 times"},
                      Example{"ssn 078-05-1120", "ssn [REDACTED:national_id]"},
                      Example{"AB 12 34 56 C", "[REDACTED:national_id]"},
                      Example{"AB123456C", "[REDACTED:national_id]"},
                      Example{"12345678Z", "[REDACTED:national_id]"},
                      Example{"X1234567L", "[REDACTED:national_id]"},
                      Example{"2 55 08 14 168 025 38", "[REDACTED:national_id]"},
                      Example{"86095742719", "[REDACTED:national_id]"},
                      Example{"RSSMRA85T10A562S", "[REDACTED:national_id]"},
                      Example{"529.982.247-25", "[REDACTED:national_id]"}));

class NearMisses : public ::testing::TestWithParam<std::string> {};

TEST_P(NearMisses, StayAsTheyAre) {
    EXPECT_EQ(redacted(GetParam()), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Secrets, NearMisses,
                         ::testing::Values("sk-learn is a library", "risk-" + kTail, "sk-short1",
                                           "task-sk-", "sk-only-words-and-dashes-in-this-name",
                                           "the bearer of bad news",
                                           "Bearer authentication is required",
                                           "Authorization: required", "api_key = os.environ",
                                           "AKIA"
                                           "1234",
                                           "AKIA"
                                           "IOSFODNN7EXAMPLEX",
                                           "eyJhbGciOiJIUzI1NiJ9 without dots", "eyJ.x",
                                           "http://host:8080/a@b", "redis://user@host",
                                           "redis://user:@host", "-----BEGIN CERTIFICATE-----",
                                           "snake_case_name", "hf_transformers"));

INSTANTIATE_TEST_SUITE_P(
    Personal, NearMisses,
    ::testing::Values("user@localhost", "pkg@1.2.3", "@mention", "a@b", "1234567890",
                      "3.141592653589793", "2026-11-16T15:55:18.123Z", "2026-11-16 15:55:18",
                      "16/11/2026", "01-02-2024", "4111 1111 1111 1112", "1111111111111117",
                      "04111111111111111", "4111111111111111x",
                      "550e8400-e29b-41d4-a716-446655440000", "1700000000000000000", "000-12-3456",
                      "666-12-3456", "123-00-4567", "123-45-0000", "912-34-5678", "123-45-67890",
                      "1-123-45-6789", "GB123456A", "AB123456E", "12345678A", "86095742718",
                      "RSSMRA85T10A562T", "529.982.247-26", "1,234,567,890",
                      "latency 0.123456789 s", "x+12345678", "v1.2.3-4567", "12 34 56",
                      "tokens: 812 96 908 2000 42", "p50 1234.567 p95 1100.25"));

TEST(Redactor, ReplacesKnownSecretsInEveryEncoding) {
    const std::string secret = "s3cr\"t/\\val ue+ü";
    const Redactor redactor({secret});
    std::string escaped;
    json::append_escaped(escaped, secret);
    for (const std::string& text : {secret, escaped, std::string("s3cr%22t%2F%5Cval%20ue%2B%C3%BC"),
                                    std::string("s3cr%22t%2f%5cval%20ue%2b%c3%bc")}) {
        const Redacted result = redactor.redact("<" + text + ">");
        EXPECT_EQ(result.text, "<[REDACTED:secret]>");
        EXPECT_EQ(result.count(Kind::secret), 1U);
    }
}

TEST(Redactor, FindsASecretWithinBase64AtEachAlignment) {
    const Redactor redactor({"correct-horse-battery"});
    // printf 'u:correct-horse-battery' | base64, likewise for "us:" and "use:".
    for (const std::string_view basic :
         {"dTpjb3JyZWN0LWhvcnNlLWJhdHRlcnk=", "dXM6Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5",
          "dXNlOmNvcnJlY3QtaG9yc2UtYmF0dGVyeQ=="}) {
        EXPECT_THAT(redactor.redact(basic).text, HasSubstr("[REDACTED:secret]"));
        EXPECT_LT(redactor.redact(basic).text.size(), std::size_t{28});
    }
}

TEST(Redactor, IgnoresSecretsTooShortToReplace) {
    EXPECT_EQ(Redactor({"abcde"}).redact("abcde abcdef").text, "abcde abcdef");
    EXPECT_EQ(Redactor({""}).redact("abc").text, "abc");
}

TEST(Redactor, JoinsOverlappingSecrets) {
    const Redactor redactor({"abcdefgh", "efghijkl", "cdefgh"});
    EXPECT_EQ(redactor.redact("xabcdefghijkly").text, "x[REDACTED:secret]y");
    EXPECT_EQ(redactor.redact("abcdefghefghijkl").text, "[REDACTED:secret][REDACTED:secret]");
}

TEST(Redactor, IsNotConfusedBySecretsThatStandInReplacements) {
    const Redactor redactor({"REDACTED", "api_key", "secret"});
    const std::string once = redactor.redact("an api_key is secret, REDACTED").text;
    EXPECT_EQ(once, "an [REDACTED:secret] is [REDACTED:secret], [REDACTED:secret]");
    EXPECT_EQ(redactor.redact(once).text, once);
}

TEST(Redactor, FindsWhatStandsGluedToASecret) {
    const Redactor redactor({"hunter22"});
    EXPECT_EQ(redactor.redact("555-123-4567hunter22sk-" + kTail).text,
              "[REDACTED:phone][REDACTED:secret][REDACTED:api_key]");
}

TEST(Redactor, LeavesPersonalDataWhenToldTo) {
    const Redactor redactor({}, Options{.pii = false});
    const Redacted result = redactor.redact("jane@example.com 078-05-1120 sk-" + kTail);
    EXPECT_EQ(result.text, "jane@example.com 078-05-1120 [REDACTED:api_key]");
}

TEST(Redactor, CountsByKind) {
    const Redacted result = Redactor().redact("a@b.org c@d.org 078-05-1120");
    EXPECT_EQ(result.count(Kind::email), 2U);
    EXPECT_EQ(result.count(Kind::national_id), 1U);
    EXPECT_EQ(result.count(Kind::phone), 0U);
}

TEST(Redactor, NeverLeavesAPlantedSecret) {
    const std::vector<std::string> secrets = {"aaaaaaab", "hunter2hunter2", "pa$$w\\ord\"1"};
    const Redactor redactor(secrets);
    constexpr std::string_view kPieces[] = {"a",  "-",       "@",   "x.org", " ",
                                            "12", "hunter2", "sk-", "\n"};
    std::mt19937_64 random(5);
    for (int i = 0; i < 5000; ++i) {
        std::string text;
        for (std::size_t n = random() % 10; n > 0; --n)
            text += kPieces[random() % std::size(kPieces)];
        const std::string& planted = secrets[random() % secrets.size()];
        text.insert(random() % (text.size() + 1), planted);
        const std::string once = redactor.redact(text).text;
        for (const std::string& secret : secrets) {
            ASSERT_THAT(once, Not(HasSubstr(secret))) << text;
        }
        ASSERT_EQ(redactor.redact(once).text, once) << text;
    }
}

TEST(Redactor, IsStableOnRandomMixturesOfItsShapes) {
    const std::string pieces[] = {"jane@example.com",
                                  "078-05-1120",
                                  "4111 1111 1111 1111",
                                  "+44 20 7946 0958",
                                  "sk-" + kTail,
                                  "Bearer ",
                                  "eyJhbGciOiJIUzI1NiJ9",
                                  ".",
                                  "-",
                                  "@",
                                  ":",
                                  "redis://u:p@h",
                                  kBegin,
                                  kLine,
                                  "\n",
                                  " ",
                                  "7",
                                  "AKIA"
                                  "IOSFODNN7EXAMPLE",
                                  "api_key=",
                                  "[REDACTED:",
                                  "]",
                                  "AB123456C",
                                  "é"};
    const Redactor redactor({"AKIA7777", "é78-05"});
    std::mt19937_64 random(6);
    for (int i = 0; i < 20000; ++i) {
        std::string text;
        for (std::size_t n = random() % 8; n > 0; --n)
            text += pieces[random() % std::size(pieces)];
        const std::string once = redactor.redact(text).text;
        ASSERT_EQ(redactor.redact(once).text, once) << text;
        ASSERT_TRUE(json::is_utf8(once)) << text;
    }
}

TEST(Redactor, AcceptsAnyBytes) {
    const Redactor redactor({std::string("\xff\x00\xfe\x01\xfd\x02", 6)});
    std::mt19937_64 random(7);
    for (int i = 0; i < 5000; ++i) {
        std::string text(random() % 200, '\0');
        for (char& c : text)
            c = static_cast<char>(random());
        const std::string once = redactor.redact(text).text;
        ASSERT_EQ(redactor.redact(once).text, once);
    }
}

TEST(Redactor, WorkGrowsLinearlyOnHostileTexts) {
    const Redactor redactor({"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"});
    for (const std::string& piece :
         {std::string("a"), std::string("1"), std::string("1 "), std::string("sk-"),
          std::string("-eyJ"), std::string("a@"), std::string("@a."), kBegin, kBegin + "\n" + kLine,
          std::string("://"), std::string("://a:"), std::string("Bearer "), std::string("api_key="),
          std::string("-"), std::string("+1("), std::string("AIza"), std::string("eyJ.")}) {
        const auto steps_for = [&](std::size_t bytes) {
            std::string text;
            while (text.size() < bytes)
                text += piece;
            return static_cast<double>(redactor.redact(text).steps);
        };
        EXPECT_LT(steps_for(400000), 4.5 * steps_for(100000)) << piece.substr(0, 20);
        EXPECT_LT(steps_for(400000), 400000.0 * 450) << piece.substr(0, 20);
    }
}

}  // namespace
}  // namespace evalfleet::redaction
