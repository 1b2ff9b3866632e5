#include "worker/providers/provider_set.hpp"

#include "common/config/validator.hpp"
#include "common/http/tls.hpp"
#include "common/providers/api_key.hpp"
#include "common/providers/credential_files.hpp"
#include "worker/providers/protocols.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::worker {

namespace {

/// Makes what lets one provider's requests in. What is missing goes to the validator.
class AuthorizerMaker {
  public:
    AuthorizerMaker(const providers::ProviderConfig& config, const config::Environment& environment,
                    std::shared_ptr<redaction::Secrets> secrets, config::Validator& validator)
        : config_(config),
          environment_(environment),
          secrets_(std::move(secrets)),
          validator_(validator) {}

    [[nodiscard]] std::shared_ptr<const Authorizer> blocking_make() const {
        const providers::ProtocolTraits& traits = providers::traits_of(config_.type);
        Authorizer::Config parts;
        parts.key_header = {std::string(traits.key_header), std::string(traits.key_prefix)};
        parts.key = keeper(config_);
        if (config_.auth) {
            parts.tokens = std::make_shared<TokenCache>(
                make_token_source(*config_.auth, auth_secrets()), secrets_);
            if (config_.auth->type == providers::AuthType::aws)
                parts.aws = aws::Scope{config_.auth->region, config_.auth->service};
        }
        for (const providers::ExtraHeader& header : config_.headers) {
            OutgoingHeader outgoing{header.name, header.value, nullptr};
            if (header.is_secret())
                outgoing.secret = keeper(providers::key_of_header(config_, header));
            parts.headers.push_back(std::move(outgoing));
        }
        return std::make_shared<const Authorizer>(std::move(parts));
    }

  private:
    [[nodiscard]] std::shared_ptr<KeyKeeper> keeper(const providers::ProviderConfig& key) const {
        auto made = KeyKeeper::blocking_create(key, environment_, secrets_);
        if (made) return *std::move(made);
        validator_.add(made.error().message);
        return nullptr;
    }

    [[nodiscard]] std::shared_ptr<KeyKeeper> secret(std::string_view member,
                                                    const providers::SecretSource& source) const {
        if (!source.is_set()) return nullptr;
        return keeper(providers::key_of_auth(config_, member, source));
    }

    /// AWS's usual variable for the token of temporary credentials need not be there.
    [[nodiscard]] AuthSecrets auth_secrets() const {
        const providers::AuthConfig& auth = *config_.auth;
        providers::SecretSource session = auth.session_token;
        const bool is_usual = auth.access_key_id.env == "AWS_ACCESS_KEY_ID";
        if (!session.is_set() && is_usual && environment_("AWS_SESSION_TOKEN"))
            session.env = "AWS_SESSION_TOKEN";
        return {secret("client_secret", auth.client_secret),
                secret("access_key_id", auth.access_key_id),
                secret("secret_access_key", auth.secret_access_key),
                secret("session_token", session)};
    }

    const providers::ProviderConfig& config_;
    const config::Environment& environment_;
    std::shared_ptr<redaction::Secrets> secrets_;
    config::Validator& validator_;
};

/// A header whose name says that it holds a secret holds one, also where it stands in the file as
/// it is.
void add_plain_secrets(const providers::ProviderConfig& config, redaction::Secrets& secrets) {
    for (const providers::ExtraHeader& header : config.headers) {
        if (header.is_secret() || !providers::names_a_secret(header.name)) continue;
        // What stands before it, such as `Bearer `, is none.
        secrets.add(header.value.substr(header.value.rfind(' ') + 1));
    }
}

/// What a program gets, it may print.
void add_program_secrets(const providers::ProviderConfig& config,
                         const config::Environment& environment, redaction::Secrets& secrets) {
    std::vector<std::string> names;
    if (config.program) names = config.program->env;
    if (config.auth)
        names.insert(names.end(), config.auth->program.env.begin(), config.auth->program.env.end());
    for (const std::string& name : names) {
        auto value = providers::names_a_secret(name) ? environment(name) : std::nullopt;
        if (value) secrets.add(*std::move(value));
    }
}

/// Null where nothing is special. Files that cannot be used are said now, not when a call is made.
std::shared_ptr<const http::Transport> blocking_make_transport(
    const providers::ProviderConfig& config, config::Validator& validator) {
    if (!config.ca_file && !config.client_cert_file && !config.idle_timeout) return nullptr;
    auto transport = std::make_shared<http::Transport>();
    transport->ca_file = config.ca_file.value_or("");
    transport->certificate_file = config.client_cert_file.value_or("");
    transport->key_file = config.client_key_file.value_or("");
    transport->idle_timeout = config.idle_timeout;
    try {
        static_cast<void>(http::make_client_context(
            {{}, transport->ca_file, transport->certificate_file, transport->key_file}));
    } catch (const std::runtime_error& error) {
        validator.add("provider '" + config.name + "': " + error.what());
    }
    return transport;
}

}  // namespace

Result<ProviderSet> ProviderSet::blocking_create(const providers::Providers& configs,
                                                 const config::Environment& environment) {
    ProviderSet set;
    set.limits_ = LimitKeys(configs);
    config::Validator validator;
    for (const auto& [name, config] : configs) {
        add_program_secrets(config, environment, *set.secrets_);
        add_plain_secrets(config, *set.secrets_);
        const AuthorizerMaker maker(config, environment, set.secrets_, validator);
        set.providers_.emplace(name,
                               Provider{.name = name,
                                        .type = config.type,
                                        .protocol = &find_protocol(config.type),
                                        .endpoint = {config.base_url, config.api_version},
                                        .auth = maker.blocking_make(),
                                        .program = config.program,
                                        .prices = config.prices,
                                        .model_prices = config.model_prices,
                                        .stream = config.stream,
                                        .extra_body = config.extra_body,
                                        .transport = blocking_make_transport(config, validator)});
    }
    if (!validator.ok()) return validator.status().error();
    return set;
}

const Provider* ProviderSet::find(std::string_view name) const noexcept {
    const auto found = providers_.find(name);
    return found == providers_.end() ? nullptr : &found->second;
}

std::string ProviderSet::names() const {
    std::string names;
    for (const auto& [name, provider] : providers_)
        names += (names.empty() ? "" : ", ") + name;
    return names;
}

}  // namespace evalfleet::worker
