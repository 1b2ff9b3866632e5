#include "cli/checked_run.hpp"
#include "cli/commands/follow.hpp"
#include "cli/commands/local.hpp"
#include "cli/commands/remote.hpp"
#include "cli/commands/token.hpp"
#include "cli/fleet/run_session.hpp"
#include "cli/group_summary.hpp"
#include "cli/programs_folder.hpp"
#include "cli/submission.hpp"
#include "common/async/clock.hpp"
#include "common/files/file.hpp"
#include "common/http/proxy.hpp"
#include "common/job/environment.hpp"
#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "common/providers/api_key.hpp"
#include "common/providers/proxy_environment.hpp"
#include "common/runfile/prompt_check.hpp"
#include "common/sealing/sealing_key.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>

namespace evalfleet::cli {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr const char* kFleetFolder = ".fleet";

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

/// A run that people score needs labels that fit; a sample without one stays unscored.
void warn_about_labels(const CheckedRun& run) {
    if (!run.labels || run.labels->without_label == 0) return;
    const std::string warning =
        run.file.spec.labels->path + ": " + std::to_string(run.labels->without_label) + " of " +
        std::to_string(run.labels->samples) + " samples lack a label; their trials stay unscored";
    std::fprintf(stderr, "%s\n", warning.c_str());
}

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

Result<fleet::SessionConfig> plan_new_run(const RunOptions& options) {
    auto run = blocking_check_run(
        *options.run_file, {.needs_keys = !options.simulate, .max_trials = options.max_trials});
    if (!run) return run.error().status().error();
    job::RunSpec& spec = run->file.spec;
    fleet::SessionConfig config;
    config.fleet.max_trials = options.max_trials;
    config.out = fs::absolute(options.out.value_or(default_out(spec.name)));
    if (const Status free = check_out_is_free(config.out); !free) return free.error();
    config.providers_json = run->providers_json;
    // The coordinator opens real files under one folder, and no link that leads out of it.
    spec.dataset.path = fs::canonical(run->dataset.path()).string();
    config.dataset = spec.dataset.path;
    if (spec.labels) {
        warn_about_labels(*run);
        spec.labels->path = fs::canonical(spec.labels->path).string();
        config.fleet.labels_root = fs::path(spec.labels->path).parent_path();
    }
    spec.providers = "{}";
    json::Writer writer(config.run_json);
    job::write(writer, spec);
    for (std::string& warning : runfile::chat_warnings(run->file, run->dataset))
        run->file.warnings.push_back(std::move(warning));
    for (const std::string& warning : run->file.warnings)
        std::fprintf(stderr, "%s\n", warning.c_str());
    return config;
}

// An interrupted run has left everything it needs.
Result<fleet::SessionConfig> plan_resumption(const RunOptions& options) {
    fleet::SessionConfig config;
    config.is_new = false;
    config.out = fs::absolute(*options.resume);
    const fs::path session = config.out / kFleetFolder / fleet::kSessionFile;
    const auto text = files::blocking_read_file(session, std::uint64_t{4} << 20);
    if (!text) {
        return Error{ErrorKind::invalid,
                     "--resume: " + config.out.string() + " holds no interrupted run"};
    }
    if (const Status read = fleet::read_session(*text, config); !read)
        return read.error().within(session.string());
    return config;
}

Result<fleet::SessionConfig> plan(const RunOptions& options) {
    if (options.run_file.has_value() == options.resume.has_value()) {
        return Error{ErrorKind::invalid, "found " +
                                             std::string(options.resume ? "both" : "neither") +
                                             " a run file and --resume; allowed: one of them"};
    }
    if (const auto said = job::parse_environment(options.environment); !said)
        return said.error().within("--environment");
    // Workers would not start with others.
    const auto proxies =
        http::ProxyRules::create(providers::read_proxy(config::process_environment()));
    if (!proxies) return proxies.error();
    auto config = options.resume ? plan_resumption(options) : plan_new_run(options);
    if (!config) return config;
    if (!options.environment.empty()) config->fleet.environment = options.environment;
    if (options.keep_originals) {
        // Refused here, it is said before anything starts.
        const auto key = sealing::SealingKey::blocking_read(*options.keep_originals);
        if (!key) return key.error().within("--keep-originals");
        config->fleet.keep_originals = fs::absolute(*options.keep_originals);
    }
    config->fleet.folder = config->out / kFleetFolder;
    config->fleet.dataset_root = config->dataset.parent_path();
    config->fleet.programs = programs_folder();
    config->fleet.workers = options.workers;
    config->fleet.concurrency = options.concurrency;
    config->fleet.redis_url = options.redis;
    config->simulate = config->simulate || options.simulate;
    if (const Status keys = blocking_hand_out_keys(*config); !keys) return keys.error();
    if (const Status made = make_session_token(config->fleet); !made) return made.error();
    config->show_progress = !options.no_progress && !options.json;
    return config;
}

void print_json(const fleet::SessionResult& result, const GroupResult* group) {
    std::string text;
    json::Writer writer(text, json::Layout::pretty);
    writer.begin_object().member("interrupted", result.interrupted).key("runs").begin_array();
    for (std::size_t i = 0; i < result.runs.size(); ++i) {
        const fleet::RunProgress& run = result.runs[i];
        const std::string folder =
            i < result.folders.size() ? result.folders[i].string() : run.folder;
        writer.begin_object()
            .member("run_id", run.run_id)
            .member("state", run.state)
            .member("total", run.total)
            .member("done", run.done)
            .member("failed", run.failed)
            .member("errors", run.errors)
            .member("pass_rate", run.pass_rate)
            .member("release_ready", run.release_ready)
            .member("measured", run.measured)
            .member("note", run.note)
            .member("folder", folder)
            .end_object();
    }
    writer.end_array().key("group");
    write(writer, group);
    writer.end_object();
    std::printf("%s\n", text.c_str());
}

/// Of several runs that are all done; a cancelled one has no place in a ranking.
Result<std::optional<GroupResult>> conclude_group(const fleet::SessionConfig& config,
                                                  const fleet::SessionResult& result) {
    const bool is_done =
        std::ranges::all_of(result.runs, [](const auto& run) { return run.state == "done"; });
    if (result.folders.size() < 2 || !is_done) return std::optional<GroupResult>();
    auto group = blocking_write_group(config.out, result.folders);
    if (!group) return group.error().within("group.json");
    return std::optional(std::move(*group));
}

Status print_reports(const fleet::SessionResult& result, const std::optional<GroupResult>& group) {
    for (const fs::path& folder : result.folders) {
        ReportOptions report;
        report.run = folder.string();
        const auto shown = run_report(report);
        if (!shown) return shown.error();
        std::printf("\nThe run's folder: %s\n", folder.c_str());
    }
    if (!group) return {};
    std::printf("\n%s\nThe group's summary: %s\n", reduce::to_text(group->summary).c_str(),
                group->file.c_str());
    return {};
}

ExitCode verdict_of(const fleet::SessionResult& result) {
    ExitCode code = ExitCode::done;
    for (const fleet::RunProgress& run : result.runs)
        code = std::max(code, exit_code_of(run));
    return code;
}

Result<ExitCode> tell(const RunOptions& options, const fleet::SessionConfig& config,
                      const fleet::SessionResult& result) {
    const auto group = conclude_group(config, result);
    if (!group) return group.error();
    if (options.json) print_json(result, group->has_value() ? &**group : nullptr);
    if (result.interrupted) {
        std::fprintf(stderr,
                     "interrupted; nothing is lost. Go on with:\n  evalfleet run --resume %s\n",
                     config.out.c_str());
        return ExitCode::interrupted;
    }
    bool goes_on = false;
    for (const fleet::RunProgress& run : result.runs) {
        goes_on = goes_on || run.state == "paused" || run.is_unmeasured();
        if (run.is_unmeasured())
            std::fprintf(stderr, "evalfleet: run %s: %s\n", run.run_id.c_str(),
                         run.note.value_or("could not measure").c_str());
        if (run.state == "paused")
            std::fprintf(stderr, "evalfleet: run %s was paused: %s\n", run.run_id.c_str(),
                         run.note.value_or("nobody said why").c_str());
        if (run.state == "failed" && run.note)
            std::fprintf(stderr, "evalfleet: run %s failed: %s\n", run.run_id.c_str(),
                         run.note->c_str());
    }
    if (goes_on) {
        std::fprintf(stderr,
                     "nothing is lost. Mend that, then try those trials again:\n"
                     "  evalfleet run --resume %s\n",
                     config.out.c_str());
    }
    if (!options.json) {
        if (const Status printed = print_reports(result, *group); !printed) return printed.error();
        if (!result.folders.empty())
            std::printf("\nSee every sample in a browser: evalfleet view %s\n", config.out.c_str());
    }
    return verdict_of(result);
}

// A coordinator of somebody else's runs it as it runs every other.
Result<ExitCode> hand_over(const RunOptions& options) {
    const auto refuse = [](const char* what) {
        return Error{
            ErrorKind::invalid,
            std::string(what) + ": only without --coordinator-url, for a fleet of its own"};
    };
    if (options.resume) return refuse("--resume");
    if (options.out) return refuse("--out");
    if (options.simulate) return refuse("--simulate");
    if (!options.redis.empty()) return refuse("--redis");
    if (!options.environment.empty()) return refuse("--environment");
    if (options.keep_originals) return refuse("--keep-originals");
    if (!options.run_file) return Error{ErrorKind::invalid, "RUN.yaml: a run file is required"};
    SubmitOptions submit;
    submit.connection = options.connection;
    submit.connection.coordinator_url = *options.coordinator_url;
    submit.run_file = *options.run_file;
    submit.wait = true;
    submit.report = true;
    submit.no_progress = options.no_progress;
    submit.json = options.json;
    return run_submit(submit);
}

}  // namespace

Result<ExitCode> run_run(const RunOptions& options) {
    if (options.coordinator_url) return hand_over(options);
    auto config = plan(options);
    if (!config) return config.error();
    if (options.redis.empty()) {
        if (const Status installed = fleet::check_redis_is_installed(); !installed)
            return installed.error();
    }
    // What a run reads and writes is its owner's, in this process and in its children.
    ::umask(S_IRWXG | S_IRWXO);
    asio::io_context context(1);
    async::SystemClock clock;
    fleet::RunSession session(*config, clock);
    std::exception_ptr failure;
    Result<fleet::SessionResult> result = fleet::SessionResult{};
    asio::co_spawn(context, session.run(),
                   [&](std::exception_ptr thrown, Result<fleet::SessionResult> ended) {
                       failure = std::move(thrown);
                       result = std::move(ended);
                   });
    context.run();
    if (failure) std::rethrow_exception(failure);
    if (!result) return result.error();
    if (result->refusal) {
        return blocking_place_refusal(*result->refusal,
                                      options.run_file.value_or(config->out.string()));
    }
    return tell(options, *config, *result);
}

}  // namespace evalfleet::cli
