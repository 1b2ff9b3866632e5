#include "worker/providers/provider_set.hpp"

#include "common/files/atomic_file.hpp"
#include "common/redaction/redactor.hpp"
#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/call/model_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;

Result<ProviderSet> create(std::string_view yaml) {
    const auto configs = providers::read_providers_text(yaml, "p.yaml");
    const auto environment = [](const std::string& name) -> std::optional<std::string> {
        if (name == "KEY") return "key-of-a";
        if (name == "MY_TOKEN") return "token-of-mine";
        if (name == "REGION") return "region-of-mine";
        return std::nullopt;
    };
    return ProviderSet::blocking_create(configs.value(), environment);
}

/// The headers that a provider's requests get when they are sent.
http::Headers sent(const Provider& provider) {
    boost::asio::io_context context(1);
    async::SystemClock clock;
    async::BlockingPool pool({.threads = 1});
    http::Client client(context.get_executor(), clock, {});
    http::Request request;
    request.url = http::Url::parse("https://host/path").value();
    const AuthTools tools{client, clock, pool};
    const auto badge =
        testing::run(context, provider.auth->authorize(request, tools, async::kNever));
    EXPECT_TRUE(badge) << badge.error().message;
    return request.headers;
}

TEST(ProviderSet, SendsKeysInTheHeaderOfEachProtocol) {
    for (const providers::ProtocolTraits& traits : providers::kProtocols) {
        if (traits.key_header.empty()) continue;
        const auto set = create("providers: {a: {type: " + std::string(traits.name) +
                                ", base_url: 'http://a', api_key_env: KEY}}");
        ASSERT_TRUE(set) << set.error().message;
        EXPECT_EQ(sent(*set->find("a")).find(traits.key_header),
                  std::string(traits.key_prefix) + "key-of-a");
    }
}

TEST(ProviderSet, KnowsWhatProgramsGetThatIsSecretByItsName) {
    for (const char* provider :
         {"type: command, command: [cat], env: [MY_TOKEN, REGION]",
          "type: openai, base_url: 'http://a', auth: {type: command, command: [cat], env: "
          "[MY_TOKEN, REGION]}"}) {
        const auto set = create("providers: {a: {" + std::string(provider) + "}}");
        ASSERT_TRUE(set) << set.error().message;
        const auto redactor = redaction::Redactor::sharing(set->secrets());
        EXPECT_EQ(redactor.redact("token-of-mine in region-of-mine").text,
                  "[REDACTED:secret] in region-of-mine");
    }
}

TEST(ProviderSet, SendsTokensOfProgramsAsBearer) {
    const auto set = create(
        "providers: {a: {type: azure-openai, base_url: 'http://a', auth: {type: command, command: "
        "[echo, token-of-a-program]}}}");
    ASSERT_TRUE(set) << set.error().message;
    const http::Headers headers = sent(*set->find("a"));
    EXPECT_EQ(headers.find("authorization"), "Bearer token-of-a-program");
    EXPECT_FALSE(headers.contains("api-key"));
    EXPECT_EQ(redaction::Redactor::sharing(set->secrets()).redact("token-of-a-program").text,
              "[REDACTED:secret]");
}

TEST(ProviderSet, SignsForAwsWithKeysOfVariablesFilesAndPrograms) {
    testing::TemporaryFolder folder;
    files::blocking_write_atomically(
        folder / "credentials", "[p]\naws_access_key_id=AKFILE\naws_secret_access_key=secret\n")
        .value();
    const std::string file = (folder / "credentials").string();
    const std::vector<std::pair<std::string, std::string>> sources{
        {"access_key_id_env: KEY, secret_access_key_env: KEY", "Credential=key-of-a/"},
        {"credentials_file: '" + file + "', profile: p", "Credential=AKFILE/"},
        {R"(command: [echo, '{"AccessKeyId":"AKPROG","SecretAccessKey":"secret"}'])",
         "Credential=AKPROG/"}};
    for (const auto& [source, sign] : sources) {
        const auto set = create(
            "providers: {a: {type: bedrock, base_url: 'http://a', auth: {type: "
            "aws, region: eu-west-1, " +
            source + "}}}");
        ASSERT_TRUE(set) << set.error().message;
        const http::Headers headers = sent(*set->find("a"));
        const std::string value(headers.find("authorization").value_or(""));
        EXPECT_THAT(value, HasSubstr(sign));
        EXPECT_THAT(value, HasSubstr("/eu-west-1/bedrock/aws4_request"));
        EXPECT_TRUE(headers.contains("x-amz-date"));
    }
}

TEST(ProviderSet, NamesTheSecretOfAnAuthThatIsMissing) {
    const auto set = create(
        "providers: {a: {type: bedrock, base_url: 'http://a', auth: {type: aws, region: r}}}");
    ASSERT_FALSE(set);
    EXPECT_THAT(set.error().message, HasSubstr("provider a: auth.access_key_id: "));
    EXPECT_THAT(set.error().message, HasSubstr("AWS_ACCESS_KEY_ID is not set"));
}

TEST(ProviderSet, HoldsProvidersByNameWithTheirKeys) {
    const auto set = create(
        "providers: {b: {type: openai, base_url: 'http://b'}, a: {type: "
        "openai, base_url: 'http://a', api_key_env: KEY}}");
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(sent(*set->find("a")).find("authorization"), "Bearer key-of-a");
    EXPECT_FALSE(sent(*set->find("b")).contains("authorization"));
    EXPECT_NE(set->find("a")->protocol, nullptr);
    EXPECT_EQ(set->find("c"), nullptr);
    EXPECT_EQ(set->names(), "a, b");
    EXPECT_EQ(redaction::Redactor::sharing(set->secrets()).redact("key-of-a key-of-b").text,
              "[REDACTED:secret] key-of-b");
}

TEST(ProviderSet, NamesEverythingThatCannotWork) {
    const auto set = create(
        "providers: {a: {type: anthropic, base_url: 'http://a', api_key_file: /none}, b: {type: "
        "openai, base_url: 'http://b', api_key_env: NONE}}");
    ASSERT_FALSE(set);
    EXPECT_THAT(set.error().message, HasSubstr("provider a: api_key_file"));
    EXPECT_THAT(set.error().message, HasSubstr("provider b: api_key_env"));
}

TEST(ProviderSet, AddsTheOperatorsHeadersAndMembersToRequestsAndKeepsTheirSecrets) {
    const auto set = create(
        "providers: {a: {type: openai, base_url: 'http://a', headers: {X-Title: eval, "
        "Authorization: {env: KEY, prefix: 'Bearer '}}, extra_body: {route: x}}}");
    ASSERT_TRUE(set) << set.error().message;
    ModelRequest question{.model = "m",
                          .version = {},
                          .messages = {{job::MessageRole::user, "hi"}},
                          .generation = {}};
    question.generation.extra = job::JsonObject{R"({"top_k":5})"};
    const ModelCall call = ModelCall::make(*set->find("a"), question);
    EXPECT_FALSE(call.request.http.headers.contains("authorization"));
    const http::Headers headers = sent(*set->find("a"));
    EXPECT_EQ(headers.find("x-title"), "eval");
    EXPECT_EQ(headers.find("authorization"), "Bearer key-of-a");
    EXPECT_THAT(call.request.http.body, HasSubstr(R"("route":"x","top_k":5})"));
    EXPECT_THAT(call.request.http.body, HasSubstr(R"({"model":"m","messages")"));
    EXPECT_EQ(redaction::Redactor::sharing(set->secrets()).redact("key-of-a").text,
              "[REDACTED:secret]");
    const auto missing =
        create("providers: {a: {type: openai, base_url: 'http://a', headers: {X-A: {env: NONE}}}}");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("provider a: headers.X-A: "));
}

}  // namespace
}  // namespace evalfleet::worker
