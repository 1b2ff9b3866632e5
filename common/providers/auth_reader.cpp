#include "common/providers/auth_reader.hpp"

#include "common/http/headers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::providers {

namespace {

using config::between;
using config::Fields;

constexpr std::size_t kMaxArguments = 64;
constexpr std::size_t kMaxText = 4096;

std::vector<std::pair<std::string, AuthType>> auth_words() {
    std::vector<std::pair<std::string, AuthType>> words;
    const auto& names = job::Names<AuthType>::values;
    for (std::size_t i = 0; i < names.size(); ++i)
        words.emplace_back(names[i], static_cast<AuthType>(i));
    return words;
}

bool is_variable(std::string_view name) {
    const auto is_good = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    };
    return !name.empty() && name.size() <= 256 && std::all_of(name.begin(), name.end(), is_good);
}

/// A list of texts without control characters.
std::vector<std::string> read_texts(Fields& fields, std::string_view name) {
    std::vector<std::string> texts;
    for (const config::YamlNode& item : fields.list(name)) {
        const bool is_good = item.is_scalar() && item.text().size() <= kMaxText &&
                             item.text().find('\0') == std::string::npos;
        if (!is_good || texts.size() == kMaxArguments) {
            fields.fail(name, fmt::format("found {}, allowed: at most {} texts of at most {} bytes",
                                          item.describe(), kMaxArguments, kMaxText));
            return {};
        }
        texts.push_back(item.text());
    }
    return texts;
}

/// `NAME_env` or `NAME_file`.
SecretSource read_secret(Fields& fields, const std::string& name) {
    SecretSource secret;
    fields.read(name + "_env", secret.env);
    fields.read(name + "_file", secret.file);
    if (secret.env && secret.file)
        fields.fail(name + "_file", "found beside " + name + "_env, allowed: one of the two");
    if (secret.env && !is_variable(*secret.env))
        fields.fail(name + "_env", "found no name of a variable, allowed: letters, digits, _");
    if (secret.file && secret.file->empty())
        fields.fail(name + "_file", "found '', allowed: the path of a file");
    return secret;
}

/// What stands in a URL is not repeated in messages: it may hold a password.
void read_token_url(Fields& fields, AuthConfig& auth, bool is_required) {
    std::string text;
    is_required ? fields.require("token_url", text) : fields.read("token_url", text);
    if (text.empty()) return;
    auto url = http::Url::parse(text);
    if (!url || !url->userinfo.empty()) {
        fields.fail("token_url", "found no address, allowed: an http or https URL without a user");
    } else {
        auth.token_url = *std::move(url);
    }
}

void read_form(Fields& fields, AuthConfig& auth) {
    if (!fields.has("form")) return;
    Fields form = fields.map("form");
    if (!form.node()) return;
    for (const config::YamlMember& each : form.node()->members()) {
        std::string value;
        form.read(each.key, value);
        constexpr std::array kOwn{"grant_type", "client_id", "client_secret", "scope"};
        if (std::find(kOwn.begin(), kOwn.end(), each.key) != kOwn.end())
            form.fail(each.key, "is a field that requests have by themselves, allowed: others");
        auth.form[each.key] = std::move(value);
    }
    form.finish();
}

void read_oauth(Fields& fields, AuthConfig& auth) {
    read_token_url(fields, auth, true);
    fields.require("client_id", auth.client_id);
    auth.client_secret = read_secret(fields, "client_secret");
    if (!auth.client_secret.is_set())
        fields.fail("client_secret_env", "is missing, allowed: it or client_secret_file");
    fields.read("scope", auth.scope);
    read_form(fields, auth);
}

void read_google(Fields& fields, AuthConfig& auth) {
    auth.scope = "https://www.googleapis.com/auth/cloud-platform";
    fields.require("credentials_file", auth.credentials_file);
    fields.read("scope", auth.scope);
    read_token_url(fields, auth, false);
}

bool is_host_label(std::string_view text) {
    return !text.empty() && text.size() <= 63 &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

/// Of three places one: the credentials file, a program, or variables and files, by default those
/// that AWS's own tools look at.
void read_aws(Fields& fields, AuthConfig& auth) {
    fields.require("region", auth.region);
    fields.read("service", auth.service);
    for (const auto& [name, value] :
         {std::pair{"region", &auth.region}, std::pair{"service", &auth.service}}) {
        if (fields.has(name) && !is_host_label(*value))
            fields.fail(
                name,
                fmt::format(
                    "found '{}', allowed: letters, digits and dashes, such as us-east-1 or bedrock",
                    *value));
    }
    fields.read("credentials_file", auth.credentials_file);
    fields.read("profile", auth.profile);
    if (fields.has("command")) auth.program = read_program(fields, true);
    auth.access_key_id = read_secret(fields, "access_key_id");
    auth.secret_access_key = read_secret(fields, "secret_access_key");
    auth.session_token = read_secret(fields, "session_token");
    const bool has_secrets = auth.access_key_id.is_set() || auth.secret_access_key.is_set();
    const int places = (auth.credentials_file ? 1 : 0) + (auth.program.argv.empty() ? 0 : 1) +
                       (has_secrets ? 1 : 0);
    if (places > 1)
        fields.fail("credentials_file",
                    "found credentials in several places, allowed: one of credentials_file, "
                    "command, and access_key_id with secret_access_key");
    if (has_secrets && !(auth.access_key_id.is_set() && auth.secret_access_key.is_set()))
        fields.fail("access_key_id_env",
                    "found one of access_key_id and secret_access_key, allowed: both");
    if (places == 0) {
        auth.access_key_id.env = "AWS_ACCESS_KEY_ID";
        auth.secret_access_key.env = "AWS_SECRET_ACCESS_KEY";
    }
}

void read_command(Fields& fields, AuthConfig& auth) {
    auth.program = read_program(fields, true);
    auto seconds = static_cast<std::int64_t>(auth.token_lifetime.count());
    fields.read("token_lifetime_s", seconds, between<std::int64_t>(10, 86'400));
    auth.token_lifetime = std::chrono::seconds(seconds);
}

}  // namespace

ProgramConfig read_program(Fields& fields, bool is_required) {
    ProgramConfig program;
    if (is_required && !fields.take_required("command")) return program;
    program.argv = read_texts(fields, "command");
    if (is_required && (program.argv.empty() || program.argv.front().empty()))
        fields.fail("command", "found no program, allowed: a list of a program and its arguments");
    program.env = read_texts(fields, "env");
    for (const std::string& name : program.env) {
        if (!is_variable(name))
            fields.fail("env", fmt::format("found '{}', allowed: names of variables", name));
    }
    return program;
}

std::optional<AuthConfig> read_auth(Fields& provider) {
    if (!provider.has("auth")) return std::nullopt;
    Fields fields = provider.map("auth");
    if (!fields.node()) return std::nullopt;
    AuthConfig auth;
    if (!fields.take_required("type")) return std::nullopt;
    fields.choice("type", auth.type, auth_words());
    switch (auth.type) {
        case AuthType::command:
            read_command(fields, auth);
            break;
        case AuthType::oauth:
            read_oauth(fields, auth);
            break;
        case AuthType::google:
            read_google(fields, auth);
            break;
        case AuthType::aws:
            read_aws(fields, auth);
            break;
    }
    fields.finish();
    return auth;
}

std::vector<NamedSecret> secrets_of(const AuthConfig& auth) {
    std::vector<NamedSecret> secrets;
    const auto add = [&](std::string_view member, const SecretSource& source) {
        if (source.is_set()) secrets.push_back({std::string(member), source});
    };
    add("client_secret", auth.client_secret);
    add("access_key_id", auth.access_key_id);
    add("secret_access_key", auth.secret_access_key);
    add("session_token", auth.session_token);
    return secrets;
}

}  // namespace evalfleet::providers
