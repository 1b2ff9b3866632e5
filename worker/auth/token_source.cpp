#include "worker/auth/token_source.hpp"

#include "common/files/file.hpp"
#include "common/http/percent.hpp"
#include "worker/auth/program.hpp"
#include "worker/auth/service_account.hpp"
#include "worker/auth/token_reply.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kMaxReplyBytes = 256 * 1024;
constexpr std::uint64_t kMaxFileBytes = 256 * 1024;
constexpr std::chrono::seconds kTokenLifetime{3600};  // where an endpoint does not say it
constexpr std::chrono::seconds kFileLifetime{60};     // until a file is read again

std::string form_body(const std::map<std::string, std::string>& fields) {
    std::string body;
    for (const auto& [name, value] : fields) {
        body += (body.empty() ? "" : "&") + http::percent_encode(name) + "=" +
                http::percent_encode(value);
    }
    return body;
}

/// A refusal of what we are is `denied`; the rest may pass.
Error refused(const http::Url& url, int status, std::string_view body) {
    const bool may_pass = status == 408 || status == 429 || status >= 500;
    const std::string words = describe_token_error(body);
    return {may_pass ? ErrorKind::transient : ErrorKind::denied,
            fmt::format("{} refused a token with status {}{}{}", url.redacted(), status,
                        words.empty() ? "" : ": ", words)};
}

asio::awaitable<Result<Credential>> exchange(AuthTools tools, http::Url url,
                                             std::map<std::string, std::string> fields,
                                             async::TimePoint deadline) {
    http::Request request;
    request.method = "POST";
    request.url = url;
    request.headers.add("Content-Type", "application/x-www-form-urlencoded");
    request.headers.add("Accept", "application/json");
    request.body = form_body(fields);
    http::CallLimits limits;
    limits.total_deadline = deadline;
    limits.max_body_bytes = kMaxReplyBytes;
    const auto response = co_await tools.client.send(std::move(request), limits);
    if (!response) co_return response.error();
    if (response->status / 100 != 2) co_return refused(url, response->status, response->body);
    auto token = read_token(response->body, TokenForm::json, tools.clock.utc_now(), kTokenLifetime);
    if (!token) co_return token.error().within(url.redacted());
    co_return token;
}

class OAuthSource final : public TokenSource {
  public:
    OAuthSource(providers::AuthConfig auth, std::shared_ptr<KeyKeeper> secret)
        : auth_(std::move(auth)), secret_(std::move(secret)) {}

    [[nodiscard]] asio::awaitable<Result<Credential>> fetch(AuthTools tools,
                                                            async::TimePoint deadline) override {
        const async::TimePoint now = tools.clock.now();
        auto current = [this, now] { return secret_->blocking_current(now); };
        const std::string secret = co_await tools.pool.run(current);
        std::map<std::string, std::string> fields = auth_.form;
        fields["grant_type"] = "client_credentials";
        fields["client_id"] = auth_.client_id;
        fields["client_secret"] = secret;
        if (!auth_.scope.empty()) fields["scope"] = auth_.scope;
        co_return co_await exchange(tools, *auth_.token_url, std::move(fields), deadline);
    }

  private:
    providers::AuthConfig auth_;
    std::shared_ptr<KeyKeeper> secret_;
};

struct Assertion {
    http::Url url{};
    std::string text{};
};

Result<Assertion> blocking_make_assertion(const providers::AuthConfig& auth,
                                          std::chrono::system_clock::time_point now) {
    const std::string place = auth.credentials_file->string();
    const auto text = files::blocking_read_file(*auth.credentials_file, kMaxFileBytes);
    if (!text) return text.error();
    const auto account = read_service_account(*text);
    if (!account) return account.error().within(place);
    auto url =
        auth.token_url ? Result<http::Url>(*auth.token_url) : http::Url::parse(account->token_uri);
    if (!url) return Error{ErrorKind::invalid, place + ": token_uri is no address"};
    auto signed_text = make_assertion(*account, auth.scope, account->token_uri, now);
    if (!signed_text) return signed_text.error().within(place);
    return Assertion{*std::move(url), *std::move(signed_text)};
}

class GoogleSource final : public TokenSource {
  public:
    explicit GoogleSource(providers::AuthConfig auth) : auth_(std::move(auth)) {}

    [[nodiscard]] asio::awaitable<Result<Credential>> fetch(AuthTools tools,
                                                            async::TimePoint deadline) override {
        const auto now = tools.clock.utc_now();
        auto make = [this, now] { return blocking_make_assertion(auth_, now); };
        const auto assertion = co_await tools.pool.run(make);
        if (!assertion) co_return assertion.error();
        std::map<std::string, std::string> fields;
        fields["grant_type"] = "urn:ietf:params:oauth:grant-type:jwt-bearer";
        fields["assertion"] = assertion->text;
        co_return co_await exchange(tools, assertion->url, std::move(fields), deadline);
    }

  private:
    providers::AuthConfig auth_;
};

class CommandSource final : public TokenSource {
  public:
    CommandSource(providers::ProgramConfig program, std::chrono::seconds lifetime)
        : program_(std::move(program)), lifetime_(lifetime) {}

    [[nodiscard]] asio::awaitable<Result<Credential>> fetch(AuthTools tools,
                                                            async::TimePoint deadline) override {
        const ProgramLimits limits{deadline, kMaxReplyBytes};
        const auto output = co_await run_program(tools.clock, program_, "", limits);
        if (!output) co_return output.error();
        const std::string& name = program_.argv.front();
        // What it says on standard error stays there: it may hold a secret.
        if (output->exit_code != 0)
            co_return Error{ErrorKind::transient,
                            fmt::format("{} ended with exit code {}", name, output->exit_code)};
        auto token = read_token(output->out, TokenForm::any, tools.clock.utc_now(), lifetime_);
        if (!token) co_return token.error().within(name);
        co_return token;
    }

  private:
    providers::ProgramConfig program_;
    std::chrono::seconds lifetime_;
};

/// AWS's keys from variables and files.
class AwsKeySource final : public TokenSource {
  public:
    explicit AwsKeySource(AuthSecrets secrets) : secrets_(std::move(secrets)) {}

    [[nodiscard]] asio::awaitable<Result<Credential>> fetch(AuthTools tools,
                                                            async::TimePoint) override {
        const async::TimePoint now = tools.clock.now();
        auto read = [this, now] {
            Credential credential;
            credential.access_key_id = secrets_.access_key_id->blocking_current(now);
            credential.secret = secrets_.secret_access_key->blocking_current(now);
            if (secrets_.session_token)
                credential.session_token = secrets_.session_token->blocking_current(now);
            return credential;
        };
        Credential credential = co_await tools.pool.run(read);
        credential.expires = tools.clock.utc_now() + kFileLifetime;
        co_return credential;
    }

  private:
    AuthSecrets secrets_;
};

class AwsFileSource final : public TokenSource {
  public:
    explicit AwsFileSource(providers::AuthConfig auth) : auth_(std::move(auth)) {}

    [[nodiscard]] asio::awaitable<Result<Credential>> fetch(AuthTools tools,
                                                            async::TimePoint) override {
        auto read = [this]() -> Result<Credential> {
            const auto text = files::blocking_read_file(*auth_.credentials_file, kMaxFileBytes);
            if (!text) return text.error();
            return read_aws_profile(*text, auth_.profile);
        };
        auto credential = co_await tools.pool.run(read);
        if (!credential) co_return credential.error().within(auth_.credentials_file->string());
        credential->expires = tools.clock.utc_now() + kFileLifetime;
        co_return credential;
    }

  private:
    providers::AuthConfig auth_;
};

}  // namespace

std::unique_ptr<TokenSource> make_token_source(providers::AuthConfig auth, AuthSecrets secrets) {
    switch (auth.type) {
        case providers::AuthType::command:
            return std::make_unique<CommandSource>(auth.program, auth.token_lifetime);
        case providers::AuthType::oauth:
            return std::make_unique<OAuthSource>(std::move(auth), std::move(secrets.client_secret));
        case providers::AuthType::google:
            return std::make_unique<GoogleSource>(std::move(auth));
        case providers::AuthType::aws:
            break;
    }
    if (!auth.program.argv.empty())
        return std::make_unique<CommandSource>(auth.program, kTokenLifetime);
    if (auth.credentials_file) return std::make_unique<AwsFileSource>(std::move(auth));
    return std::make_unique<AwsKeySource>(std::move(secrets));
}

}  // namespace evalfleet::worker
