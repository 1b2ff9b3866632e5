#include "worker/auth/token_reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::chrono::system_clock::time_point kNow{seconds(1'700'000'000)};

std::int64_t life_of(std::string_view text, TokenForm form = TokenForm::json) {
    const auto token = read_token(text, form, kNow, seconds(100));
    EXPECT_TRUE(token) << text;
    return token ? std::chrono::duration_cast<seconds>(*token->expires - kNow).count() : -1;
}

TEST(TokenReply, ReadsATokenAndItsEndInEveryForm) {
    EXPECT_EQ(life_of(R"({"access_token": "abc", "expires_in": 3599})"), 3599);
    EXPECT_EQ(life_of(R"({"access_token": "abc", "expires_in": "3599"})"), 3599);
    EXPECT_EQ(life_of(R"({"accessToken": "abc", "expires_on": 1700000060})"), 60);
    EXPECT_EQ(life_of(R"({"token": "abc", "expiry": "2023-11-14T22:15:00Z"})"), 100);
    EXPECT_EQ(life_of(R"({"access_token": "abc"})"), 100);
    EXPECT_EQ(life_of(R"({"access_token": "abc", "expires_in": 99999999999})"), 7 * 86'400);
    EXPECT_EQ(life_of("abc\n", TokenForm::any), 100);
    EXPECT_EQ(read_token(" abc \n", TokenForm::any, kNow, seconds(1))->secret, "abc");
}

TEST(TokenReply, ReadsAwsCredentialsOfAProgram) {
    const auto keys = read_token(
        R"({"Version": 1, "AccessKeyId": "AKID", "SecretAccessKey": "s", "SessionToken": "t",)"
        R"("Expiration": "2023-11-14T22:14:20Z"})",
        TokenForm::any, kNow, seconds(1));
    ASSERT_TRUE(keys) << keys.error().message;
    EXPECT_EQ(keys->access_key_id, "AKID");
    EXPECT_EQ(keys->secret, "s");
    EXPECT_EQ(keys->session_token, "t");
    EXPECT_EQ(*keys->expires, kNow + seconds(60));
}

TEST(TokenReply, RefusesWhatIsNoTokenWithoutRepeatingIt) {
    for (const char* text :
         {"", "no json", "[]", R"({"access_token": ""})", R"({"access_token": "a\r\nX: y"})",
          R"({"id_token": "hush"})", R"({"AccessKeyId": "hush"})"}) {
        const auto token = read_token(text, TokenForm::json, kNow, seconds(1));
        ASSERT_FALSE(token) << text;
        EXPECT_THAT(token.error().message, Not(HasSubstr("hush")));
    }
    EXPECT_FALSE(read_token("two\nlines", TokenForm::any, kNow, seconds(1)));
    EXPECT_FALSE(read_token(std::string(20'000, 'a'), TokenForm::any, kNow, seconds(1)));
}

TEST(TokenReply, ReadsAProfileOfAwsCredentialsFile) {
    constexpr const char* kFile =
        "# mine\n[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n"
        "[ eval ]\naws_access_key_id = C\naws_secret_access_key = D\naws_session_token = E\n";
    const auto usual = read_aws_profile(kFile, "default");
    EXPECT_EQ(usual->access_key_id, "A");
    EXPECT_EQ(usual->secret, "B");
    EXPECT_EQ(usual->session_token, "");
    EXPECT_EQ(read_aws_profile(kFile, "eval")->session_token, "E");
    EXPECT_THAT(read_aws_profile(kFile, "none").error().message, HasSubstr("'none'"));
}

TEST(TokenReply, TellsWhatAnEndpointDoesNotLike) {
    EXPECT_EQ(describe_token_error(
                  R"({"error": "invalid_client", "error_description": "AADSTS7000215: bad"})"),
              "invalid_client: AADSTS7000215: bad");
    EXPECT_EQ(describe_token_error("<html>"), "");
    EXPECT_LE(describe_token_error(R"({"error": ")" + std::string(5000, 'x') + "\"}").size(), 300U);
}

}  // namespace
}  // namespace evalfleet::worker
