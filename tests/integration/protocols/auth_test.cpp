#include "common/files/atomic_file.hpp"
#include "tests/support/http_imposter.hpp"
#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/providers/provider_set.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

namespace evalfleet::worker {
namespace {

using ::testing::HasSubstr;
using testing::HttpImposter;
using ::testing::Not;
using testing::Script;

std::string reply(const std::string& status, const std::string& body) {
    return fmt::format(
        "HTTP/1.1 {}\r\nContent-Type: application/json\r\nConnection: close\r\n"
        "Content-Length: {}\r\n\r\n{}",
        status, body.size(), body);
}

std::string new_private_key() {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_RSA_gen(2048), EVP_PKEY_free);
    const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), BIO_free);
    PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    char* text = nullptr;
    const auto size = static_cast<std::size_t>(BIO_get_mem_data(out.get(), &text));
    std::string escaped;
    for (const char c : std::string_view(text, size))
        escaped += c == '\n' ? std::string("\\n") : std::string(1, c);
    return escaped;
}

class AuthTest : public ::testing::Test {
  protected:
    ProviderSet create(const std::string& auth) {
        const auto configs = providers::read_providers_text(
            "providers: {a: {type: openai, base_url: 'http://a', auth: " + auth + "}}", "p.yaml");
        const auto environment = [](const std::string&) { return std::string("hush-hush"); };
        return ProviderSet::blocking_create(configs.value(), environment).value();
    }

    /// The value of `Authorization`, or why there is none.
    std::string authorize(const Provider& provider) {
        http::Request request;
        request.url = http::Url::parse("https://host/path").value();
        const auto badge = testing::run(
            context_,
            provider.auth->authorize(request, tools_, clock_.now() + std::chrono::minutes(1)));
        if (!badge) return badge.error().message;
        badge_ = *badge;
        return std::string(request.headers.find("authorization").value_or("none"));
    }

    boost::asio::io_context context_{1};
    async::SystemClock clock_;
    async::BlockingPool pool_{{.threads = 1}};
    http::Client client_{context_.get_executor(), clock_, {}};
    AuthTools tools_{client_, clock_, pool_};
    Authorizer::Badge badge_;
    testing::TemporaryFolder folder_;
};

TEST_F(AuthTest, ExchangesClientCredentialsForATokenOnce) {
    HttpImposter endpoint({Script().read_request().send(
        reply("200 OK", R"({"access_token":"tok-1","expires_in":3600,"token_type":"Bearer"})"))});
    const ProviderSet set =
        create("{type: oauth, token_url: '" + endpoint.url("/tenant/oauth2/v2.0/token") +
               "', client_id: my-app, client_secret_env: S, scope: 'https://x/.default', form: "
               "{audience: a b}}");
    EXPECT_EQ(authorize(*set.find("a")), "Bearer tok-1");
    EXPECT_EQ(authorize(*set.find("a")), "Bearer tok-1");
    ASSERT_EQ(endpoint.requests().size(), 1U);
    const std::string request = endpoint.requests().front();
    EXPECT_THAT(request, HasSubstr("POST /tenant/oauth2/v2.0/token "));
    EXPECT_THAT(request,
                HasSubstr("audience=a%20b&client_id=my-app&client_secret=hush-hush&"
                          "grant_type=client_credentials&scope=https%3A%2F%2Fx%2F.default"));
}

TEST_F(AuthTest, SaysWhatAnEndpointRefusesWithoutTheSecret) {
    HttpImposter endpoint({Script().read_request().send(reply(
        "401 Unauthorized",
        R"({"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret"})"))});
    const ProviderSet set = create("{type: oauth, token_url: '" + endpoint.url("/token") +
                                   "', client_id: my-app, client_secret_env: S}");
    const std::string message = authorize(*set.find("a"));
    EXPECT_THAT(message,
                HasSubstr("/token refused a token with status 401: invalid_client: AADSTS"));
    EXPECT_THAT(message, Not(HasSubstr("hush-hush")));
}

TEST_F(AuthTest, GetsANewTokenForOneThatTheProviderRefuses) {
    HttpImposter endpoint({Script().read_request().send(
                               reply("200 OK", R"({"access_token":"old","expires_in":3600})")),
                           Script().read_request().send(
                               reply("200 OK", R"({"access_token":"new","expires_in":3600})"))});
    const ProviderSet set = create("{type: oauth, token_url: '" + endpoint.url("/token") +
                                   "', client_id: my-app, client_secret_env: S}");
    EXPECT_EQ(authorize(*set.find("a")), "Bearer old");
    EXPECT_TRUE(testing::run(context_, set.find("a")->auth->renew(badge_, tools_)));
    EXPECT_EQ(authorize(*set.find("a")), "Bearer new");
    EXPECT_FALSE(testing::run(context_, set.find("a")->auth->renew(badge_, tools_)));
}

TEST_F(AuthTest, ExchangesAServiceAccountsAssertion) {
    HttpImposter endpoint({Script().read_request().send(
        reply("200 OK", R"({"access_token":"ya29.x","expires_in":3599})"))});
    files::blocking_write_atomically(
        folder_ / "account.json",
        R"({"type":"service_account","client_email":"e@p","private_key":")" + new_private_key() +
            R"(","token_uri":")" + endpoint.url("/token") + "\"}")
        .value();
    const ProviderSet set =
        create("{type: google, credentials_file: '" + (folder_ / "account.json").string() + "'}");
    EXPECT_EQ(authorize(*set.find("a")), "Bearer ya29.x");
    EXPECT_THAT(endpoint.requests().front(),
                HasSubstr("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"));
    EXPECT_THAT(endpoint.requests().front(), HasSubstr("assertion=eyJ"));
}

TEST_F(AuthTest, TellsAProgramThatFailsByItsExitCode) {
    const ProviderSet set =
        create("{type: command, command: [sh, -c, 'echo hush-hush >&2; exit 7']}");
    const std::string message = authorize(*set.find("a"));
    EXPECT_EQ(message, "sh ended with exit code 7");
}

}  // namespace
}  // namespace evalfleet::worker
