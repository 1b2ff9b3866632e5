#include "cli/checked_run.hpp"

#include "common/config/yaml.hpp"
#include "common/http/tls.hpp"
#include "common/json/boost.hpp"
#include "common/json/document.hpp"
#include "common/providers/api_key.hpp"
#include "common/providers/credential_files.hpp"
#include "common/runfile/prompt_check.hpp"
#include "common/runfile/yaml_place.hpp"

#include <stdexcept>
#include <utility>

namespace evalfleet::cli {

namespace fs = std::filesystem;
using runfile::FaultList;

namespace {

void make_absolute(boost::json::object& source, const char* member, const fs::path& folder) {
    boost::json::value* file = source.if_contains(member);
    if (file != nullptr && file->is_string())
        *file = fs::absolute(folder / file->as_string().c_str()).string();
}

/// What is wrong with such files; nothing if they can be used.
std::optional<std::string> blocking_find_tls_fault(const http::TlsClientConfig& files) {
    try {
        static_cast<void>(http::make_client_context(files));
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return std::nullopt;
}

/// Every variable and file that a provider of the run file takes a secret from has one, and its
/// certificates can be used: a worker would not start without.
class KeyCheck {
  public:
    KeyCheck(const fs::path& run_file, FaultList& faults)
        : name_(run_file.string()), root_(config::read_yaml_file(run_file)), faults_(faults) {}

    void check(const std::string& providers_json) {
        const auto all =
            providers::read_providers_text("{\"providers\": " + providers_json + "}", "providers");
        if (!all) return;  // what is wrong with them was said
        for (const auto& [unused, provider] : *all) {
            for (const providers::NamedSecret& secret : providers::all_secrets_of(provider))
                check(provider, secret);
            check_certificates(provider);
            for (const providers::CredentialFault& fault :
                 providers::blocking_find_credential_faults(provider,
                                                            config::process_environment()))
                add(provider, fault.member, fault.message);
        }
    }

  private:
    void check(const providers::ProviderConfig& provider, const providers::NamedSecret& secret) {
        const auto value =
            providers::blocking_read_secret(secret.source, config::process_environment());
        if (value) return;
        const std::string field = "providers." + provider.name + "." + secret.member;
        const std::string label = provider.api_key_id ? " (key " + *provider.api_key_id + ")" : "";
        faults_.add({name_, line_of(field), 0, field, value.error().message + label});
    }

    void check_certificates(const providers::ProviderConfig& provider) {
        if (provider.ca_file) add(provider, "ca_file", {.more_ca_file = *provider.ca_file});
        if (provider.client_cert_file)
            add(provider, "client_cert_file",
                {.certificate_file = *provider.client_cert_file,
                 .key_file = provider.client_key_file.value_or("")});
    }

    void add(const providers::ProviderConfig& provider, const char* member,
             const http::TlsClientConfig& files) {
        const auto fault = blocking_find_tls_fault(files);
        if (fault) add(provider, member, *fault);
    }

    void add(const providers::ProviderConfig& provider, const std::string& member,
             const std::string& message) {
        const std::string field = "providers." + provider.name + "." + member;
        faults_.add({name_, line_of(field), 0, field, message});
    }

    [[nodiscard]] std::size_t line_of(const std::string& field) const {
        if (!root_) return 0;
        return static_cast<std::size_t>(runfile::place_message(*root_, field + ": ").node.line());
    }

    std::string name_;
    Result<config::YamlNode> root_;
    FaultList& faults_;
};

Result<std::optional<providers::Providers>> blocking_read_operators(const RunTerms& terms) {
    if (!terms.operators) return std::optional<providers::Providers>();
    auto known = providers::blocking_read_providers_file(*terms.operators);
    if (!known) return known.error();
    return std::optional(std::move(*known));
}

FaultList fault_of(const std::string& file, const Error& error) {
    FaultList faults;
    faults.add({file, 0, 0, "", error.message});
    return faults;
}

}  // namespace

std::string with_absolute_key_files(std::string_view providers_json, const fs::path& folder) {
    const auto document = json::Document::parse(providers_json);
    if (!document) return std::string(providers_json);
    boost::json::value providers = json::to_boost(document->root());
    for (auto& member : providers.as_object()) {
        boost::json::object& provider = member.value().as_object();
        for (const char* file : {"api_key_file", "ca_file", "client_cert_file", "client_key_file"})
            make_absolute(provider, file, folder);
        if (boost::json::value* auth = provider.if_contains("auth");
            auth != nullptr && auth->is_object()) {
            for (const char* secret :
                 {"client_secret_file", "credentials_file", "access_key_id_file",
                  "secret_access_key_file", "session_token_file"})
                make_absolute(auth->as_object(), secret, folder);
        }
        boost::json::value* headers = provider.if_contains("headers");
        if (headers == nullptr || !headers->is_object()) continue;
        for (auto& header : headers->as_object()) {
            if (header.value().is_object())
                make_absolute(header.value().as_object(), "file", folder);
        }
    }
    return json::serialize(providers);
}

boost::system::result<CheckedRun, FaultList> blocking_check_run(const fs::path& run_file,
                                                                const RunTerms& terms) {
    auto operators = blocking_read_operators(terms);
    if (!operators) return fault_of(*terms.operators, operators.error());
    const auto from = terms.operators ? runfile::ProvidersFrom::operator_file : terms.providers;
    auto file = runfile::blocking_read_run_file(run_file, from, std::move(*operators));
    if (!file) return file.error();
    FaultList faults;
    std::string providers_json =
        with_absolute_key_files(file->spec.providers, fs::absolute(run_file).parent_path());
    if (terms.needs_keys) KeyCheck(run_file, faults).check(providers_json);
    if (file->spec.dataset.path.empty()) {
        faults.add({run_file.string(), 0, 0, "dataset.path",
                    "is missing; only a coordinator knows datasets by their id"});
        return faults;
    }
    auto dataset = runfile::Dataset::blocking_validate(file->spec.dataset.path);
    if (!dataset) {
        faults.add(dataset.error());
        return faults;
    }
    runfile::settle_profile(*file, *dataset);
    faults.add(runfile::check_prompts(*file, *dataset));
    faults.add(runfile::check_trials(*file, dataset->size(), terms.max_trials));
    std::optional<runfile::LabelCoverage> labels;
    if (file->spec.labels) {
        const auto checked =
            runfile::blocking_check_labels(file->spec.labels->path, *dataset, file->spec.repeats);
        if (checked) labels = *checked;
        if (!checked) faults.add(checked.error());
    }
    if (!faults.empty()) return faults;
    return CheckedRun{std::move(*file), std::move(*dataset), labels, std::move(providers_json)};
}

}  // namespace evalfleet::cli
