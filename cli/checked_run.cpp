#include "cli/checked_run.hpp"

#include "common/config/yaml.hpp"
#include "common/http/tls.hpp"
#include "common/json/boost.hpp"
#include "common/json/document.hpp"
#include "common/providers/api_key.hpp"
#include "common/providers/credential_files.hpp"
#include "common/runfile/partial_run_file.hpp"
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
        : name_(run_file.string()),
          folder_(fs::absolute(run_file).parent_path()),
          root_(config::read_yaml_file(run_file)),
          faults_(faults) {}

    /// Each by itself: what is wrong with one was said, and does not hide the others' keys.
    void check(const std::string& providers_json) {
        const auto document = json::Document::parse(providers_json);
        if (!document) return;
        for (const auto [name, provider] : *document->root().as_object())
            check_one(json::serialize(boost::json::object{{name, json::to_boost(provider)}}));
    }

  private:
    void check_one(const std::string& provider_json) {
        const auto read = [](const std::string& map) {
            return providers::read_providers_text("{\"providers\": " + map + "}", "providers");
        };
        if (!read(provider_json)) return;
        const auto all = read(with_absolute_key_files(provider_json, folder_));
        if (!all) return;
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
    fs::path folder_;
    Result<config::YamlNode> root_;
    FaultList& faults_;
};

/// None if they cannot be read, which is a fault like others: whether they have what the run file
/// names is not known then.
std::optional<providers::Providers> blocking_read_operators(const RunTerms& terms,
                                                            FaultList& faults) {
    if (!terms.operators) return std::nullopt;
    auto known = providers::blocking_read_providers_file(*terms.operators);
    if (known) return std::move(*known);
    const Error error = known.error();
    for (const std::string_view line : runfile::lines_of(error.message))
        faults.add(runfile::read_fault(*terms.operators, line, nullptr));
    return std::nullopt;
}

bool is_file(const std::string& path) {
    std::error_code failure;
    return !path.empty() && fs::is_regular_file(path, failure);
}

/// At the line of a field of the run file.
void add_at(const fs::path& run_file, const std::string& field, std::string message,
            FaultList& faults) {
    const auto root = config::read_yaml_file(run_file);
    if (!root) return faults.add({run_file.string(), 0, 0, field, std::move(message)});
    const auto place = runfile::place_message(*root, field + ": ");
    faults.add(runfile::fault_at(run_file.string(), place.node, std::move(message)));
}

/// The files that a run file names, as far as they are there.
class FileCheck {
  public:
    /// `is_whole`: nothing was wrong with the run file itself.
    FileCheck(CheckedRun& run, const RunTerms& terms, bool is_whole, FaultList& faults)
        : run_(run), spec_(run.file.spec), terms_(terms), is_whole_(is_whole), faults_(faults) {}

    void blocking_check() {
        if (is_file(spec_.dataset.path)) blocking_check_dataset();
        if (!spec_.labels) return;
        if (terms_.is_uploaded) {
            if (!is_whole_) return;
            add_at(run_.file.path, "labels.path",
                   "a coordinator reads labels only under its --dataset-root; put the file there, "
                   "and submit with --no-upload",
                   faults_);
        } else if (is_file(spec_.labels->path)) {
            blocking_check_labels();
        }
    }

    /// What depends on both the run file and its dataset.
    void check_together() {
        if (!run_.dataset || !is_whole_) return;
        runfile::settle_profile(run_.file, *run_.dataset);
        faults_.add(runfile::check_prompts(run_.file, *run_.dataset));
        if (!terms_.is_uploaded)
            faults_.add(runfile::check_trials(run_.file, run_.dataset->size(), terms_.max_trials));
    }

  private:
    void blocking_check_dataset() {
        auto dataset = runfile::Dataset::blocking_validate(spec_.dataset.path);
        if (!dataset) return faults_.add(dataset.error());
        const auto& hash = spec_.dataset.hash;
        const bool is_hash = hash && hash->size() == dataset->sha256().size();
        if (is_hash && *hash != dataset->sha256()) {
            add_at(run_.file.path, "dataset.hash",
                   "found " + *hash + ", but the file's sha256 is " + dataset->sha256(), faults_);
        }
        run_.dataset = std::move(*dataset);
    }

    void blocking_check_labels() {
        if (!run_.dataset) {
            const auto alone = runfile::LabelsFile::blocking_read(spec_.labels->path);
            if (!alone) faults_.add(alone.error());
            return;
        }
        const auto checked =
            runfile::blocking_check_labels(spec_.labels->path, *run_.dataset, spec_.repeats);
        if (checked) run_.labels = *checked;
        if (!checked) faults_.add(checked.error());
    }

    CheckedRun& run_;
    const job::RunSpec& spec_;
    const RunTerms& terms_;
    bool is_whole_;
    FaultList& faults_;
};

}  // namespace

std::string with_absolute_key_files(std::string_view providers_json, const fs::path& folder) {
    const auto document = json::Document::parse(providers_json);
    if (!document) return std::string(providers_json);
    boost::json::value providers = json::to_boost(document->root());
    for (auto& member : providers.as_object()) {
        boost::json::object& provider = member.value().as_object();
        for (const char* file :
             {"api_key_file", "ca_file", "client_cert_file", "client_key_file", "prices_file"})
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
    FaultList faults;
    auto operators = blocking_read_operators(terms, faults);
    const auto from = terms.operators ? runfile::ProvidersFrom::operator_file : terms.providers;
    CheckedRun run;
    FaultList of_file;
    run.file = runfile::blocking_read_partly(run_file, from, std::move(operators), of_file);
    if (terms.needs_keys) KeyCheck(run_file, of_file).check(run.file.spec.providers);
    const bool is_whole = of_file.empty();
    faults.add(of_file);
    FileCheck files(run, terms, is_whole, faults);
    files.blocking_check();
    files.check_together();
    if (!faults.empty()) return faults;
    run.providers_json =
        with_absolute_key_files(run.file.spec.providers, fs::absolute(run_file).parent_path());
    return run;
}

}  // namespace evalfleet::cli
