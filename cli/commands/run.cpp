#include "cli/checked_run.hpp"
#include "cli/commands/local.hpp"
#include "cli/commands/remote.hpp"
#include "cli/fleet/store_seed.hpp"
#include "cli/local_session.hpp"
#include "common/files/file.hpp"
#include "common/http/proxy.hpp"
#include "common/job/environment.hpp"
#include "common/json/writer.hpp"
#include "common/providers/proxy_environment.hpp"
#include "common/runfile/context_check.hpp"
#include "common/runfile/prompt_check.hpp"

#include <cstdio>
#include <filesystem>

namespace evalfleet::cli {

namespace fs = std::filesystem;

namespace {

/// A run that people score needs labels that fit; a sample without one stays unscored.
void warn_about_labels(const CheckedRun& run) {
    if (!run.labels || run.labels->without_label == 0) return;
    const std::string warning =
        run.file.spec.labels->path + ": " + std::to_string(run.labels->without_label) + " of " +
        std::to_string(run.labels->samples) + " samples lack a label; their trials stay unscored";
    std::fprintf(stderr, "%s\n", warning.c_str());
}

Result<fleet::SessionConfig> plan_new_run(const RunOptions& options) {
    auto run = blocking_check_run(
        *options.run_file, {.needs_keys = !options.simulate, .max_trials = options.max_trials});
    if (!run) return run.error().status().error();
    job::RunSpec& spec = run->file.spec;
    if (const Status entered = options.notes.enter(spec); !entered) return entered.error();
    fleet::SessionConfig config;
    config.fleet.max_trials = options.max_trials;
    config.out = fs::absolute(options.out.value_or(default_out(spec.name)));
    if (const Status free = check_out_is_free(config.out); !free) return free.error();
    config.providers_json = run->providers_json;
    // The coordinator opens real files under one folder, and no link that leads out of it.
    spec.dataset.path = fs::canonical(spec.dataset.path).string();
    config.dataset = spec.dataset.path;
    if (spec.labels) {
        warn_about_labels(*run);
        spec.labels->path = fs::canonical(spec.labels->path).string();
        config.fleet.labels_root = fs::path(spec.labels->path).parent_path();
    }
    if (spec.baseline_path) {
        auto baseline = fleet::blocking_read_seed(*spec.baseline_path);
        if (!baseline) return baseline.error().within("baseline.path");
        spec.baseline = baseline->baseline_name;
        spec.baseline_path.reset();
        config.seed.baselines.emplace(baseline->baseline_name, baseline->run_id);
        config.seed.runs.push_back(std::move(*baseline));
    }
    spec.providers = "{}";
    json::Writer writer(config.run_json);
    job::write(writer, spec);
    for (std::string& warning : runfile::chat_warnings(run->file, *run->dataset))
        run->file.warnings.push_back(std::move(warning));
    for (std::string& warning :
         runfile::blocking_context_warnings(run->file, *run->dataset, run->file.providers))
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

FleetChoice choice_of(const RunOptions& options) {
    return {options.workers, options.concurrency, options.redis, options.keep_originals,
            options.traces,  options.simulate,    options.json,  options.no_progress};
}

Result<fleet::SessionConfig> plan(const RunOptions& options) {
    if (options.run_file.has_value() == options.resume.has_value()) {
        return Error{ErrorKind::invalid, "found " +
                                             std::string(options.resume ? "both" : "neither") +
                                             " a run file and --resume; allowed: one of them"};
    }
    if (options.resume && !options.notes.empty())
        return Error{ErrorKind::invalid,
                     "--label, --description: a run that is resumed keeps those it began with"};
    if (const auto said = job::parse_environment(options.environment); !said)
        return said.error().within("--environment");
    // Workers would not start with others.
    const auto proxies =
        http::ProxyRules::create(providers::read_proxy(config::process_environment()));
    if (!proxies) return proxies.error();
    auto config = options.resume ? plan_resumption(options) : plan_new_run(options);
    if (!config) return config;
    if (!options.environment.empty()) config->fleet.environment = options.environment;
    if (const Status equipped = blocking_equip(*config, choice_of(options)); !equipped)
        return equipped.error();
    return config;
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
    if (options.traces) return refuse("--traces");
    if (options.keep_originals) return refuse("--keep-originals");
    if (!options.run_file) return Error{ErrorKind::invalid, "RUN.yaml: a run file is required"};
    SubmitOptions submit;
    submit.connection = options.connection;
    submit.connection.coordinator_url = *options.coordinator_url;
    submit.run_file = *options.run_file;
    submit.notes = options.notes;
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
    return blocking_run_session(*config, choice_of(options), options.run_file);
}

}  // namespace evalfleet::cli
