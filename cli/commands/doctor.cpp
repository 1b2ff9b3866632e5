#include "cli/commands/doctor.hpp"

#include "cli/checked_run.hpp"
#include "cli/command_action.hpp"
#include "cli/commands/doctor_call.hpp"
#include "cli/doctor/machine_checks.hpp"
#include "cli/doctor/redis_probe.hpp"
#include "cli/fleet/local_fleet.hpp"
#include "cli/output.hpp"
#include "cli/programs_folder.hpp"
#include "common/queue/functions_text.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/address.hpp"

#include <utility>

namespace evalfleet::cli {

namespace {

using doctor::Findings;

void append(Findings& findings, Findings more) {
    findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                    std::make_move_iterator(more.end()));
}

Result<Findings> blocking_look_at_redis(const DoctorOptions& options) {
    if (options.redis.empty()) {
        const Status installed = fleet::check_redis_is_installed();
        if (!installed)
            return Findings{doctor::broken("redis-server", installed.error().message,
                                           "or name a Redis of your own: --redis")};
        return Findings{doctor::well("redis-server", "installed, for `evalfleet run`")};
    }
    auto config = redis::blocking_read_address(options.redis, config::process_environment());
    if (!config) return config.error().within("--redis");
    config->client_name = "evalfleet-doctor";
    if (config->discovery) config->discovery->key = queue::Keys(options.pool).base();
    return doctor::check_redis(doctor::blocking_probe_redis(std::move(*config)),
                               std::string(queue::functions_text()));
}

// What is wrong with the file ends the command, as it would end a run.
Result<Findings> blocking_look_at_providers(const DoctorOptions& options) {
    Findings findings;
    if (options.providers) {
        const auto all = providers::blocking_read_providers_file(*options.providers);
        if (!all) return all.error();
        findings = doctor::blocking_check_providers(*all, config::process_environment());
    }
    if (!options.run_file) return findings;
    const auto run = blocking_check_run(*options.run_file, {.needs_keys = false});
    if (!run) return run.error().status().error();
    findings.push_back(doctor::well("run file", *options.run_file + " is valid"));
    if (!options.simulate)
        append(findings, doctor::blocking_check_providers(run->file.providers,
                                                          config::process_environment()));
    if (!options.call || doctor::has_failure(findings)) return findings;
    auto answers = blocking_call_models(*run, options.simulate);
    if (!answers) return answers.error();
    append(findings, std::move(*answers));
    return findings;
}

}  // namespace

Result<ExitCode> run_doctor(const DoctorOptions& options) {
    if (options.call && !options.run_file) {
        return Error{ErrorKind::invalid,
                     "--call: needs RUN.yaml, which says whom to call; allowed: a run file with "
                     "providers"};
    }
    Findings findings = doctor::blocking_check_programs(programs_folder());
    findings.push_back(doctor::blocking_check_open_files());
    findings.push_back(doctor::blocking_check_room(options.store));
    auto redis = blocking_look_at_redis(options);
    if (!redis) return redis.error();
    append(findings, std::move(*redis));
    auto providers = blocking_look_at_providers(options);
    if (!providers) return providers.error();
    append(findings, std::move(*providers));
    const Status printed =
        print(options.json ? doctor::to_json(findings) : doctor::to_text(findings));
    if (!printed) return printed.error();
    return doctor::has_failure(findings) ? ExitCode::unfinished : ExitCode::done;
}

void DoctorCommand::add_to(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "doctor", "look at what a run needs, and say what to do about what is wrong");
    command.argument("RUN.yaml", options_.run_file, "a run file, to look at its providers");
    command.option("providers", options_.providers, "the operator's providers, to look at")
        .value_name("FILE");
    command
        .option("redis", options_.redis,
                "Redis, as coordinator and workers have it; without it, that a private one can be "
                "started")
        .value_name("URL")
        .secret();
    command.option("pool", options_.pool, "the pool whose node of a cluster is asked")
        .value_name("NAME");
    command.option("store", options_.store, "the folder in which results will be")
        .value_name("DIR");
    command.flag("call", options_.call,
                 "let each model of the run file answer with one token, and the judge judge it");
    command.flag("simulate", options_.simulate,
                 "as `run --simulate`: keys need not be set, and --call costs nothing");
    command.flag("json", options_.json, "print JSON");
    command.example("evalfleet doctor nightly.yaml --call");
    command.example("evalfleet doctor --providers providers.yaml --store /var/lib/evalfleet");
    command.action(action(run_doctor, options_));
}

}  // namespace evalfleet::cli
