#include "cli/local_session.hpp"

#include "cli/commands/token.hpp"
#include "cli/programs_folder.hpp"
#include "cli/session_outcome.hpp"
#include "cli/submission.hpp"
#include "common/async/clock.hpp"
#include "common/log/line.hpp"
#include "common/providers/api_key.hpp"
#include "common/sealing/sealing_key.hpp"
#include "common/traces/trace_config.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/stat.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <utility>

namespace evalfleet::cli {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

/// The variables that a provider's keys, `auth` or program need.
void pass_on(const providers::ProviderConfig& provider, std::vector<std::string>& variables) {
    const auto add = [&](const std::vector<std::string>& names) {
        variables.insert(variables.end(), names.begin(), names.end());
    };
    for (const providers::NamedSecret& secret : providers::all_secrets_of(provider)) {
        if (secret.source.env) variables.push_back(*secret.source.env);
    }
    if (provider.program) add(provider.program->env);
    if (!provider.auth) return;
    add(provider.auth->program.env);
    if (provider.auth->type == providers::AuthType::aws) variables.push_back("AWS_SESSION_TOKEN");
}

/// A worker without its key could do nothing but say so in its log; nobody else gets one.
Status blocking_hand_out_keys(fleet::SessionConfig& config) {
    config.fleet.calls_providers = !config.simulate;
    const auto all = providers::read_providers_text(
        "{\"providers\": " + config.providers_json + "}", "providers");
    if (!all) return all.error();
    for (const auto& [name, provider] : *all) {
        pass_on(provider, config.fleet.key_variables);
        if (config.simulate) continue;
        for (const providers::NamedSecret& secret : providers::all_secrets_of(provider)) {
            const auto value =
                providers::blocking_read_secret(secret.source, config::process_environment());
            if (!value) return value.error().within("provider " + name + ": " + secret.member);
        }
    }
    return {};
}

/// The coordinator gets the variables that the file names, and no others of ours.
Status blocking_read_traces(const std::string& file, fleet::FleetConfig& config) {
    const auto traces = traces::blocking_read_traces(file);
    if (!traces) return traces.error();
    if (const auto headers = traces::blocking_resolve(*traces); !headers)
        return headers.error().within(file);
    for (const providers::ExtraHeader& header : traces->headers) {
        if (!header.env) continue;
        if (const auto value = config::process_environment()(*header.env))
            config.trace_variables.push_back(*header.env + "=" + *value);
    }
    config.traces = fs::absolute(file);
    return {};
}

/// Whoever does not know it gets nothing from the fleet's coordinator, this user's other programs
/// included.
Status make_session_token(fleet::FleetConfig& config) {
    auto token = make_token();
    if (!token) return token.error();
    config.tokens_yaml =
        "tokens:\n  " + tokens_file_line("evalfleet-run", TokenRole::admin, *token) + "\n";
    config.token = std::move(*token);
    return {};
}

}  // namespace

std::string default_out(const std::string& name) {
    std::string stamp = log::format_utc(std::chrono::system_clock::now()).substr(0, 19);
    std::erase_if(stamp, [](char c) { return c == ':'; });
    return name + "-" + stamp;
}

Status check_out_is_free(const fs::path& out) {
    std::error_code code;
    if (fs::exists(out / kFleetFolder, code)) {
        return Error{ErrorKind::invalid, "--out: " + out.string() +
                                             " holds a run that was interrupted; go on with it: "
                                             "evalfleet run --resume " +
                                             out.string()};
    }
    if (fs::exists(out, code) && !fs::is_empty(out, code)) {
        return Error{ErrorKind::invalid,
                     "--out: " + out.string() + " is not empty; allowed: a new or empty folder"};
    }
    return {};
}

Status blocking_equip(fleet::SessionConfig& config, const FleetChoice& choice) {
    if (choice.keep_originals) {
        // Refused here, it is said before anything starts.
        const auto key = sealing::SealingKey::blocking_read(*choice.keep_originals);
        if (!key) return key.error().within("--keep-originals");
        config.fleet.keep_originals = fs::absolute(*choice.keep_originals);
    }
    if (choice.traces) {
        if (const Status read = blocking_read_traces(*choice.traces, config.fleet); !read)
            return read.error().within("--traces");
    }
    config.fleet.folder = config.out / kFleetFolder;
    config.fleet.dataset_root = config.dataset.parent_path();
    config.fleet.programs = programs_folder();
    config.fleet.workers = choice.workers;
    config.fleet.concurrency = choice.concurrency;
    config.fleet.redis_url = choice.redis;
    config.simulate = config.simulate || choice.simulate;
    if (const Status keys = blocking_hand_out_keys(config); !keys) return keys.error();
    config.show_progress = !choice.no_progress && !choice.json;
    return make_session_token(config.fleet);
}

Result<fleet::SessionResult> blocking_await_session(const fleet::SessionConfig& config) {
    if (config.fleet.redis_url.empty()) {
        if (const Status installed = fleet::check_redis_is_installed(); !installed)
            return installed.error();
    }
    // What a run reads and writes is its owner's, in this process and in its children.
    ::umask(S_IRWXG | S_IRWXO);
    asio::io_context context(1);
    async::SystemClock clock;
    fleet::RunSession session(config, clock);
    std::exception_ptr failure;
    Result<fleet::SessionResult> result = fleet::SessionResult{};
    asio::co_spawn(context, session.run(),
                   [&](std::exception_ptr thrown, Result<fleet::SessionResult> ended) {
                       failure = std::move(thrown);
                       result = std::move(ended);
                   });
    context.run();
    if (failure) std::rethrow_exception(failure);
    return result;
}

Result<ExitCode> blocking_run_session(const fleet::SessionConfig& config, const FleetChoice& choice,
                                      const std::optional<std::string>& run_file) {
    const auto result = blocking_await_session(config);
    if (!result) return result.error();
    if (result->refusal)
        return blocking_place_refusal(*result->refusal, run_file.value_or(config.out.string()));
    return blocking_tell(config.out, *result, choice.json);
}

}  // namespace evalfleet::cli
