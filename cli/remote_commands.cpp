#include "cli/remote_commands.hpp"

#include "cli/command_action.hpp"
#include "cli/completion.hpp"
#include "cli/coordinator_command.hpp"
#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace evalfleet::cli {

namespace {

constexpr const char* kExampleRun = "20261116-020000-3f9a2c-nightly-qa";

// What all of them take.
template <class Options>
void add_shared(config::Command& command, Options& options) {
    command.flag("json", options.json, "print the coordinator's JSON");
    options.connection.add_to(command);
}

template <class Options>
void add_idempotency_key(config::Command& command, Options& options) {
    command
        .option("idempotency-key", options.idempotency_key,
                "the same key never makes a second run, however often it is tried")
        .value_name("KEY");
}

/// Where a run in a folder will do as well.
void add_run_or_folder(config::Command& command, std::string& run) {
    command.argument("ID_OR_DIR", run,
                     "the run's id, the beginning of it, @last or @last:NAME; or a run's folder");
}

std::string example(const char* before, const char* after = "") {
    return std::string("evalfleet ") + before + " " + kExampleRun + after;
}

Result<ExitCode> print_completion(const config::Command& program, const std::string& shell) {
    constexpr std::array kShells{std::pair{"bash", Shell::bash}, std::pair{"zsh", Shell::zsh},
                                 std::pair{"fish", Shell::fish}};
    const auto* const known =
        std::ranges::find_if(kShells, [&](const auto& each) { return each.first == shell; });
    if (known == kShells.end())
        return Error{ErrorKind::invalid, "SHELL: found '" + shell + "', allowed: bash, zsh, fish"};
    const Status printed = print(completion_script(program, known->second));
    if (!printed) return printed.error();
    return ExitCode::done;
}

}  // namespace

void RemoteCommands::add_to(config::CommandLine& program) {
    add_submit(program);
    add_list(program);
    add_status(program);
    add_watch(program);
    add_steering(program);
    add_rejudge(program);
    add_retry(program);
    add_baseline(program);
    add_fleet(program);
    add_token(program);
    add_completion(program);
}

void RemoteCommands::add_submit(config::CommandLine& program) {
    config::Command& command = add_coordinator_command(
        program, "submit", "hand a run to a coordinator; prints the run's id");
    command.argument("RUN.yaml", submit_.run_file, "the run file");
    command.flag("wait", submit_.wait, "follow it to its end, and exit with its verdict");
    command.flag("report", submit_.report, "after --wait, print the report");
    command.flag("no-progress", submit_.no_progress, "show no progress while waiting");
    command.flag("no-upload", submit_.no_upload,
                 "upload nothing: the paths in the run file are the coordinator's");
    submit_.notes.add_to(command);
    add_idempotency_key(command, submit_);
    add_shared(command, submit_);
    command.validate([this]() -> Status {
        if (submit_.wait || !submit_.report) return {};
        return Error{ErrorKind::invalid, "--report: needs --wait"};
    });
    command.example("evalfleet submit nightly.yaml --wait");
    command.example("evalfleet submit nightly.yaml --label commit=$(git rev-parse HEAD)");
    command.example(
        "evalfleet submit nightly.yaml --wait --report --idempotency-key nightly-$(date +%F)");
    command.action(action(run_submit, submit_));
}

void RemoteCommands::add_list(config::CommandLine& program) {
    config::Command& command =
        add_coordinator_command(program, "list", "the runs of a coordinator, the newest first");
    command
        .option("state", list_.state,
                "only in these states, separated by commas; active: all that are not over")
        .value_name("STATE");
    command.option("name", list_.name, "only of this name, or with a * at its end")
        .value_name("NAME");
    command.option("group", list_.group, "only of this group").value_name("ID");
    command.option("label", list_.labels, "only with this label; may be repeated")
        .value_name("KEY=VALUE")
        .only_flag();
    command.option("since", list_.since, "only submitted since").value_name("TIME");
    command.option("until", list_.until, "only submitted until").value_name("TIME");
    command.option("limit", list_.limit, "at most so many")
        .value_name("N")
        .range(config::between(std::size_t{1}, std::size_t{1'000'000}));
    command.flag("quiet", list_.quiet, "print ids only");
    add_shared(command, list_);
    command.example("evalfleet list --state active");
    command.example("evalfleet list --label branch=main");
    command.example("evalfleet list --name 'nightly*' --since 2026-11-01T00:00:00Z --json");
    command.action(action(run_list, list_));
}

void RemoteCommands::add_status(config::CommandLine& program) {
    config::Command& command =
        add_coordinator_command(program, "status", "how a run is, or the runs of a group");
    add_run_id(command, status_.run_id);
    add_shared(command, status_);
    command.example(example("status"));
    command.action(action(run_status, status_));
}

void RemoteCommands::add_watch(config::CommandLine& program) {
    config::Command& command = add_coordinator_command(
        program, "watch", "follow a run to its end, and exit with its verdict");
    add_run_id(command, watch_.run_id);
    add_shared(command, watch_);
    command.example(example("watch"));
    command.action(action(run_watch, watch_));
}

void RemoteCommands::add_steering(config::CommandLine& program) {
    const auto add_one = [&program](SteerOptions& options, const char* help) {
        config::Command& command = add_coordinator_command(program, options.what.c_str(), help);
        add_run_id(command, options.run_id);
        add_shared(command, options);
        command.example(example(options.what.c_str()));
        command.action(action(run_steer, options));
    };
    add_one(cancel_, "end a run; what it has so far is kept and reported");
    add_one(pause_, "let a run rest: no new trial begins");
    add_one(resume_, "let a paused run go on");
}

void RemoteCommands::add_rejudge(config::CommandLine& program) {
    config::Command& command = add_coordinator_command(
        program, "rejudge",
        "a new run from the answers of one that is over, with another judge or policy, or with "
        "the scores of people");
    add_run_or_folder(command, rejudge_.run_id);
    command.option("judge", rejudge_.judge, "who judges now").value_name("PROVIDER/NAME@VERSION");
    command
        .option("profile", rejudge_.profile,
                "the judge's template: rubric-v1 or spec-v1, or one of them with -chat")
        .value_name("PROFILE");
    command
        .option("rationale-limit", rejudge_.rationale_limit,
                "what becomes of a rationale that is too long: reject or warn")
        .value_name("WHAT");
    command.option("policy", rejudge_.policy, "thresholds, weights and gates to judge by now")
        .value_name("POLICY.json");
    command
        .option("labels", rejudge_.labels,
                "score the answers as people did, such as reviews exported from the run's page, "
                "instead of asking a judge")
        .value_name("LABELS.jsonl")
        .only_flag();
    command.option("name", rejudge_.name, "the new run's name").value_name("NAME");
    command.flag("redacted", rejudge_.redacted,
                 "judge redacted answers as they are stored, if the originals were not kept");
    command.flag("wait", rejudge_.wait, "follow it to its end, and exit with its verdict");
    add_idempotency_key(command, rejudge_);
    rejudge_.local.add_to(command);
    add_shared(command, rejudge_);
    command.example(example("rejudge", " --judge main/gpt-4o@2024-11-20 --wait"));
    command.example(example("rejudge", " --policy strict.json"));
    command.example(example("rejudge", " --labels labels.jsonl"));
    command.example(
        "evalfleet rejudge results --judge main/gpt-4o@2024-11-20 --providers "
        "nightly.yaml --out judged-anew");
    command.action(action(run_rejudge, rejudge_));
}

void RemoteCommands::add_retry(config::CommandLine& program) {
    config::Command& command = add_coordinator_command(
        program, "retry",
        "a new run of the trials that failed for infrastructure reasons, and the rest as it is");
    add_run_or_folder(command, retry_.run_id);
    command.flag("wait", retry_.wait, "follow it to its end, and exit with its verdict");
    add_idempotency_key(command, retry_);
    retry_.local.add_to(command);
    add_shared(command, retry_);
    command.example(example("retry", " --wait"));
    command.example("evalfleet retry results --providers nightly.yaml --out results-2");
    command.action(action(run_retry, retry_));
}

void RemoteCommands::add_baseline(config::CommandLine& program) {
    config::Command& command = add_coordinator_command(
        program, "baseline", "name runs that others are compared with: set, list, remove");
    command.argument("ACTION", baseline_.what, "set NAME RUN, list, or remove NAME");
    command.argument("NAME", baseline_.name, "the baseline's name");
    command.argument("RUN", baseline_.run_id, "the id of a run that is done");
    add_shared(command, baseline_);
    command.example(example("baseline set main"));
    command.example("evalfleet baseline list");
    command.action(action(run_baseline, baseline_));
}

void RemoteCommands::add_fleet(config::CommandLine& program) {
    config::Command& workers =
        add_coordinator_command(program, "workers", "the workers that are there");
    add_shared(workers, workers_);
    workers.action(action(run_workers, workers_));
    config::Command& queues =
        add_coordinator_command(program, "queues", "what stands in the queues");
    add_shared(queues, queues_);
    queues.action(action(run_queues, queues_));
}

void RemoteCommands::add_token(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "token", "make a token, or the line of a coordinator's tokens file for one");
    command.argument("ACTION", token_.what, "new (if none is given), or hash for a token you have");
    command.option("name", token_.name, "whose it is; stands in the audit log").value_name("NAME");
    command.choice<TokenRole>("role", token_.role,
                              {{"reader", TokenRole::reader},
                               {"submitter", TokenRole::submitter},
                               {"admin", TokenRole::admin}},
                              "what it may do");
    command
        .option("token-file", token_.token_file,
                "hash: the token's file; else EVALFLEET_TOKEN, else standard input")
        .value_name("FILE");
    command.flag("json", token_.json, "print JSON");
    command.example("evalfleet token --name nightly --role submitter");
    command.action(action(run_token, token_));
}

void RemoteCommands::add_completion(config::CommandLine& program) {
    config::Command& command =
        program.subcommand("completion", "print the completion of this program for a shell");
    command.argument("SHELL", shell_, "bash, zsh or fish");
    command.example("source <(evalfleet completion bash)");
    command.example("evalfleet completion zsh > ~/.zfunc/_evalfleet");
    command.example("evalfleet completion fish > ~/.config/fish/completions/evalfleet.fish");
    command.action([this, &program] {
        const auto printed = print_completion(program, shell_);
        if (!printed) report_error(printed.error());
        return static_cast<int>(printed ? *printed : exit_code_of(printed.error()));
    });
}

}  // namespace evalfleet::cli
