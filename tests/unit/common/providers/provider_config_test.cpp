#include "common/providers/provider_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::providers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Result<Providers> read(std::string_view text) {
    return read_providers_text(text, "providers.yaml");
}

std::string message_of(std::string_view text) {
    const auto read_back = read(text);
    return read_back ? "no error" : read_back.error().message;
}

TEST(ProviderConfig, ReadsEverythingAnOperatorMaySay) {
    const auto providers = read(R"(providers:
  main: {type: openai, base_url: "https://host/v1", api_key_env: OPENAI_API_KEY, api_key_id: prod,
         rpm: 10000, tpm: 2000000, max_concurrent: 500, stream: true,
         prices: {input_usd_per_mtok: 2.5, output_usd_per_mtok: 10, cache_read_multiplier: 0.5,
                  cache_write_multiplier: 1.25}}
)");
    ASSERT_TRUE(providers) << providers.error().message;
    const ProviderConfig& main = providers->at("main");
    EXPECT_EQ(main.name, "main");
    EXPECT_EQ(main.type, ProviderType::openai);
    EXPECT_EQ(main.base_url.scheme, http::Scheme::https);
    EXPECT_EQ(main.base_url.host, "host");
    EXPECT_EQ(main.base_url.target, "/v1");
    EXPECT_EQ(main.api_key_env, "OPENAI_API_KEY");
    EXPECT_EQ(main.api_key_file, std::nullopt);
    EXPECT_EQ(main.api_key_id, "prod");
    EXPECT_EQ(main.limits, (Limits{10000, 2000000, 500}));
    EXPECT_EQ(main.limit_scope, LimitScope::key);
    EXPECT_TRUE(main.model_limits.empty());
    EXPECT_TRUE(main.stream);
    EXPECT_EQ(main.prices, (scoring::Prices{2.5, 10, 0.5, 1.25}));
}

TEST(ProviderConfig, HasNoKeyNoLimitsAndNoPricesUnlessToldSo) {
    const auto providers = read("providers: {a: {type: ollama, base_url: 'http://127.0.0.1:1'}}");
    ASSERT_TRUE(providers) << providers.error().message;
    const ProviderConfig& a = providers->at("a");
    EXPECT_EQ(a.type, ProviderType::ollama);
    EXPECT_FALSE(a.api_key_env || a.api_key_file || a.api_key_id || a.prices || a.stream);
    EXPECT_EQ(a.limits, Limits{});
}

TEST(ProviderConfig, RedactsALabelThatIsAKeyOrNamesAPerson) {
    const std::string key = "sk-proj-" + std::string("4f8Zk2Qw9LmX7tRb3NvC5yHd");
    for (const std::string& label : {key, std::string("jane.doe@corp.example")}) {
        const auto providers = read(
            "providers: {main: {type: openai, base_url: 'https://host/v1', "
            "api_key_env: K, api_key_id: '" +
            label + "'}}");
        ASSERT_TRUE(providers) << providers.error().message;
        const ProviderConfig& main = providers->at("main");
        EXPECT_THAT(main.api_key_id.value_or(""), ::testing::StartsWith("[REDACTED:"));
        EXPECT_THAT(limit_account(main), Not(HasSubstr(label))) << "a part of keys in Redis";
    }
}

TEST(ProviderConfig, ReadsJsonOfTheSameShape) {
    EXPECT_TRUE(read(R"({"providers": {"a": {"type": "gemini", "base_url": "https://g.test"}}})"));
}

TEST(ProviderConfig, NamesAllThatAProviderMayHaveWhereAMemberIsNotKnown) {
    EXPECT_THAT(
        message_of("providers: {a: {type: ollama, base_url: 'http://h', zzz: 1}}"),
        HasSubstr("zzz: unknown key; allowed: api_key_env, api_key_file, api_key_id, "
                  "api_version, auth, base_url, ca_file, client_cert_file, client_key_file, "
                  "extra_body, headers, idle_timeout_ms, limits, max_concurrent, models, "
                  "organization, prices, prices_file, project, rpm, stream, tpm, type"));
}

TEST(ProviderConfig, NamesFileLineFieldAndWhatIsAllowed) {
    EXPECT_THAT(message_of("providers:\n  main:\n    type: opena\n    base_url: http://h\n"),
                AllOf(HasSubstr("providers.yaml:3: providers.main.type: found 'opena'"),
                      HasSubstr("openai, azure-openai, anthropic, gemini, ollama")));
    EXPECT_THAT(message_of("providers:\n  main: {type: openai, base_url: http://h, rpn: 3}\n"),
                AllOf(HasSubstr("providers.yaml:2: providers.main.rpn"), HasSubstr("rpm")));
    EXPECT_THAT(message_of("providers:\n  main: {type: openai, base_url: http://h, rpm: -3}\n"),
                HasSubstr("providers.yaml:2: providers.main.rpm: found '-3'"));
}

TEST(ProviderConfig, RequiresTypeAndBaseUrl) {
    const std::string message = message_of("providers: {main: {api_key_id: x}}");
    EXPECT_THAT(message, HasSubstr("providers.main.type: is required"));
    EXPECT_THAT(message, HasSubstr("providers.main.base_url: is required"));
}

TEST(ProviderConfig, TellsEveryErrorAtOnce) {
    const std::string message = message_of(
        "providers: {a: {type: x, base_url: http://h}, b: {type: openai, base_url: ftp://h}}");
    EXPECT_THAT(message, HasSubstr("providers.a.type"));
    EXPECT_THAT(message, HasSubstr("providers.b.base_url"));
}

TEST(ProviderConfig, RefusesCredentialsInTheUrlWithoutRepeatingThem) {
    EXPECT_THAT(message_of("providers: {a: {type: openai, base_url: 'https://bob:hunter22@h/v1'}}"),
                AllOf(HasSubstr("providers.a.base_url"), HasSubstr("api_key_env"),
                      Not(HasSubstr("hunter22"))));
}

TEST(ProviderConfig, RefusesTwoSourcesOfAKey) {
    EXPECT_THAT(message_of("providers: {a: {type: openai, base_url: 'http://h', api_key_env: K, "
                           "api_key_file: /k}}"),
                HasSubstr("one of the two"));
}

TEST(ProviderConfig, RefusesPricesThatAreNotWhole) {
    EXPECT_THAT(message_of("providers: {a: {type: openai, base_url: 'http://h', prices: "
                           "{input_usd_per_mtok: 1}}}"),
                HasSubstr("providers.a.prices.output_usd_per_mtok: is required"));
}

TEST(ProviderConfig, RefusesFilesOfAnotherShape) {
    EXPECT_THAT(message_of(""), HasSubstr("providers"));
    EXPECT_THAT(message_of("providers: []"), HasSubstr("allowed: a map"));
    EXPECT_THAT(message_of("providers: {}"), HasSubstr("one or more"));
    EXPECT_THAT(message_of("providers: {a: }"), HasSubstr("providers.a"));
    EXPECT_THAT(message_of("providers: {'a b': {type: openai, base_url: 'http://h'}}"),
                HasSubstr("no name for a provider"));
    EXPECT_THAT(message_of("other: 1"), HasSubstr("providers: is required"));
}

TEST(ProviderConfig, ReadsLimitsOfTheProviderAndOfSingleModels) {
    const auto providers = read(R"(providers:
  main:
    type: openai
    base_url: https://host/v1
    limits: {rpm: 500, tpm: 90000, max_concurrent: 32, per: key_model}
    models:
      "vendor/large:1": {limits: {rpm: 50}}
      small: {limits: {max_concurrent: 200}}
)");
    ASSERT_TRUE(providers) << providers.error().message;
    const ProviderConfig& main = providers->at("main");
    EXPECT_EQ(main.limits, (Limits{500, 90000, 32}));
    EXPECT_EQ(main.limit_scope, LimitScope::key_model);
    EXPECT_EQ(main.model_limits.at("vendor/large:1"), (Limits{50, 0, 0})) << "none is inherited";
    EXPECT_EQ(main.model_limits.at("small"), (Limits{0, 0, 200}));
    EXPECT_EQ(main.model_limits.size(), 2U);
}

TEST(ProviderConfig, CountsByKeyByModelOrByBoth) {
    const auto scope_of = [](const std::string& word) {
        const auto providers = read(
            "providers: {a: {type: openai, base_url: 'http://h', limits: "
            "{per: " +
            word + "}}}");
        return providers.value().at("a").limit_scope;
    };
    EXPECT_EQ(scope_of("key"), LimitScope::key);
    EXPECT_EQ(scope_of("model"), LimitScope::model);
    EXPECT_EQ(scope_of("key_model"), LimitScope::key_model);
}

std::string message_about(const std::string& member) {
    return message_of("providers:\n  a:\n    type: openai\n    base_url: http://h\n" + member);
}

TEST(ProviderConfig, SaysWhereLimitsAreWrong) {
    const struct {
        const char* member;
        const char* message;
    } kCases[] = {
        {"    limits: {per: keys}\n",
         "providers.yaml:5: providers.a.limits.per: found 'keys'; did you mean \"key\"? "
         "allowed: key, model, key_model"},
        {"    limits: {rpm: 1}\n    tpm: 3\n",
         "providers.yaml:6: providers.a.tpm: found beside limits"},
        {"    limits:\n      rpms: 3\n", "providers.yaml:6: providers.a.limits.rpms"},
        {"    limits: {rpm: many}\n", "providers.yaml:5: providers.a.limits.rpm: found 'many'"},
        {"    limits: 7\n", "providers.yaml:5: providers.a.limits"},
        {"    models: [x]\n", "providers.yaml:5: providers.a.models"},
        {"    models:\n      x: {rpm: 3}\n", "providers.yaml:6: providers.a.models.x.rpm"},
        {"    models:\n      x:\n        limits: {max_concurrent: -1}\n",
         "providers.yaml:7: providers.a.models.x.limits.max_concurrent: found '-1'"},
        {"    models:\n      x:\n        limits: {per: key}\n",
         "providers.yaml:7: providers.a.models.x.limits.per"},
    };
    for (const auto& each : kCases)
        EXPECT_THAT(message_about(each.member), HasSubstr(each.message)) << each.member;
}

TEST(ProviderConfig, SaysWhenThereIsNoFile) {
    const auto providers = blocking_read_providers_file("/nonexistent/providers.yaml");
    ASSERT_FALSE(providers);
    EXPECT_THAT(providers.error().message, HasSubstr("/nonexistent/providers.yaml"));
}

TEST(ProviderConfig, ReadsWhatIsAddedToEveryRequest) {
    const auto providers = read(R"(providers:
  main: {type: openai, base_url: "https://host/v1", organization: org-1, project: proj_2,
         headers: {X-Title: eval, Authorization: {file: token, prefix: "Bearer "}, X-Team: {env: TEAM}},
         extra_body: {provider: {order: [a]}, transforms: []}}
)");
    ASSERT_TRUE(providers) << providers.error().message;
    const ProviderConfig& main = providers->at("main");
    ASSERT_EQ(main.headers.size(), 5U);
    EXPECT_EQ(main.headers[0].value, "eval");
    EXPECT_FALSE(main.headers[0].is_secret());
    EXPECT_EQ(main.headers[1].file, "token");
    EXPECT_EQ(main.headers[1].value, "Bearer ");
    EXPECT_EQ(main.headers[2].env, "TEAM");
    EXPECT_EQ(main.headers[3].name, "OpenAI-Organization");
    EXPECT_EQ(main.headers[4].value, "proj_2");
    EXPECT_EQ(main.extra_body, R"({"provider":{"order":["a"]},"transforms":[]})");
}

TEST(ProviderConfig, RefusesAdditionsThatWouldOverwriteARequestsOwn) {
    const auto with = [](const std::string& more) {
        return message_of("providers: {a: {type: openai, base_url: 'http://h', api_key_env: K, " +
                          more + "}}");
    };
    EXPECT_THAT(with("headers: {authorization: x}"),
                HasSubstr("providers.a.headers.authorization: is a header that requests have"));
    EXPECT_THAT(with("headers: {Content-Length: '5'}"), HasSubstr("Content-Length"));
    EXPECT_THAT(with("headers: {'bad name': x}"), HasSubstr("bad name"));
    EXPECT_THAT(with("headers: {X-A: {env: A, file: b}}"), HasSubstr("with one of env and file"));
    EXPECT_THAT(with("headers: {X-A: [a]}"), HasSubstr("allowed: a text of one line"));
    EXPECT_THAT(with("headers: {X-A: {environment: A}}"), HasSubstr("environment"));
    EXPECT_THAT(with("extra_body: {messages: []}"),
                HasSubstr("providers.a.extra_body: found messages, which requests have by"));
    EXPECT_THAT(with("extra_body: text"), HasSubstr("allowed: a map"));
    EXPECT_THAT(message_of("providers: {a: {type: ollama, base_url: 'http://h', project: p}}"),
                HasSubstr("providers.a.project: found, allowed: only for OpenAI's types"));
}

TEST(ProviderConfig, HasPricesOfSingleModels) {
    const auto providers = read(R"(providers:
  main: {type: openai, base_url: "https://host/v1",
         models: {o3: {prices: {input_usd_per_mtok: 2, output_usd_per_mtok: 8, reasoning_usd_per_mtok: 4}},
                  gpt-4o: {limits: {rpm: 5}}}}
)");
    ASSERT_TRUE(providers) << providers.error().message;
    const ProviderConfig& main = providers->at("main");
    EXPECT_FALSE(main.prices);
    EXPECT_EQ(main.model_prices.at("o3"), (scoring::Prices{2, 8, 1, 1, 4}));
    EXPECT_EQ(main.model_limits.size(), 1U) << "a model with prices alone shares its key's limits";
    EXPECT_THAT(message_of("providers: {a: {type: ollama, base_url: 'http://h', models: {m: "
                           "{prices: {input_usd_per_mtok: 1}}}}}"),
                HasSubstr("providers.a.models.m.prices"));
}

std::string auth_fault(const std::string& auth, const std::string& more = "") {
    return message_of("providers: {a: {type: azure-openai, base_url: 'http://h', auth: " + auth +
                      more + "}}");
}

TEST(ProviderAuth, ReadsEveryKind) {
    const auto all = read_providers_text(
        "providers:\n"
        "  entra: {type: azure-openai, base_url: 'http://h', auth: {type: oauth, token_url: "
        "'https://login/t', client_id: me, client_secret_file: /s, scope: s, form: {audience: "
        "x}}}\n"
        "  vertex: {type: vertex-gemini, base_url: 'http://h', auth: {type: google, "
        "credentials_file: /sa.json}}\n"
        "  bedrock: {type: bedrock, base_url: 'http://h', auth: {type: aws, region: eu-west-1}}\n"
        "  own: {type: openai, base_url: 'http://h', auth: {type: command, command: [get, token], "
        "env: [HOME2], token_lifetime_s: 60}}\n"
        "  program: {type: command, command: [ask, --fast]}\n",
        "p.yaml");
    ASSERT_TRUE(all) << all.error().message;
    const AuthConfig& entra = *all->at("entra").auth;
    EXPECT_EQ(entra.type, AuthType::oauth);
    EXPECT_EQ(entra.token_url->host, "login");
    EXPECT_EQ(entra.client_secret.file, "/s");
    EXPECT_EQ(entra.form.at("audience"), "x");
    EXPECT_THAT(all->at("vertex").auth->scope, HasSubstr("cloud-platform"));
    EXPECT_EQ(all->at("bedrock").auth->access_key_id.env, "AWS_ACCESS_KEY_ID");
    EXPECT_EQ(all->at("bedrock").auth->service, "bedrock");
    EXPECT_THAT(all->at("own").auth->program.argv, ::testing::ElementsAre("get", "token"));
    EXPECT_EQ(all->at("own").auth->token_lifetime, std::chrono::seconds(60));
    EXPECT_THAT(all->at("program").program->argv, ::testing::ElementsAre("ask", "--fast"));
}

TEST(ProviderAuth, NamesEveryContradiction) {
    EXPECT_THAT(auth_fault("{type: magic}"), HasSubstr("providers.a.auth.type"));
    EXPECT_THAT(auth_fault("{type: oauth, token_url: 'http://t', client_id: c}"),
                HasSubstr("client_secret_env"));
    EXPECT_THAT(auth_fault("{type: oauth, token_url: 'http://u:pw@t', client_id: c, "
                           "client_secret_env: S}"),
                AllOf(HasSubstr("providers.a.auth.token_url"), Not(HasSubstr("pw"))));
    EXPECT_THAT(
        auth_fault("{type: oauth, token_url: 'http://t', client_id: c, client_secret_env: S, "
                   "form: {client_secret: x}}"),
        HasSubstr("providers.a.auth.form.client_secret"));
    EXPECT_THAT(auth_fault("{type: google}"), HasSubstr("credentials_file"));
    EXPECT_THAT(auth_fault("{type: aws, region: 'EU/1'}"), HasSubstr("providers.a.auth.region"));
    EXPECT_THAT(auth_fault("{type: aws, region: r, credentials_file: /c, command: [x]}"),
                HasSubstr("several places"));
    EXPECT_THAT(auth_fault("{type: aws, region: r, access_key_id_env: K}"), HasSubstr("both"));
    EXPECT_THAT(auth_fault("{type: command}"), HasSubstr("command"));
    EXPECT_THAT(auth_fault("{type: command, command: []}"), HasSubstr("no program"));
    EXPECT_THAT(auth_fault("{type: command, command: [x], env: ['A=B']}"), HasSubstr("'A=B'"));
    EXPECT_THAT(auth_fault("{type: command, command: [x], scope: s}"), HasSubstr("scope"));
    EXPECT_THAT(auth_fault("{type: command, command: [x]}", ", api_key_env: K"),
                HasSubstr("beside a key"));
    EXPECT_THAT(auth_fault("{type: command, command: [x]}", ", headers: {Authorization: x}"),
                HasSubstr("headers.Authorization"));
}

TEST(ProviderAuth, HoldsProgramsToWhatTheyCan) {
    const auto fault = [](const std::string& members) {
        return message_of("providers: {a: {type: command, " + members + "}}");
    };
    EXPECT_THAT(fault("command: [x], base_url: 'http://h'"), HasSubstr("providers.a.base_url"));
    EXPECT_THAT(fault("command: [x], stream: true"), HasSubstr("providers.a.stream"));
    EXPECT_THAT(fault("command: [x], api_key_env: K"), HasSubstr("takes no key"));
    EXPECT_THAT(fault("max_concurrent: 3"), HasSubstr("command"));
    EXPECT_THAT(message_of("providers: {a: {type: openai, base_url: 'http://h', command: [x]}}"),
                HasSubstr("command"));
}

}  // namespace
}  // namespace evalfleet::providers
