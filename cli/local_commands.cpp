#include "cli/local_commands.hpp"

#include "cli/command_action.hpp"

namespace evalfleet::cli {

namespace {

Status check_faults(const simulator::FaultRates& rates) {
    if (rates.sum() <= 1) return {};
    return Error{ErrorKind::invalid, "--fault-...: found a sum above 1, allowed: at most 1"};
}

void add_max_trials(config::Command& command, std::uint64_t& max_trials) {
    command
        .option("max-trials", max_trials,
                "trials of a run file at most: samples x repeats x models x prompts")
        .range(config::between(std::uint64_t{1}, runfile::kMostMaxTrials));
}

}  // namespace

void LocalCommands::add_to(config::CommandLine& program) {
    add_run(program);
    add_view(program);
    add_validate(program);
    add_report(program);
    add_export(program);
    add_simulate(program);
}

void LocalCommands::add_run(config::CommandLine& program) {
    config::Command& command =
        program.subcommand("run", "run an evaluation on a fleet of its own, and print the report");
    command.argument("RUN.yaml", run_.run_file, "the run file");
    command.option("out", run_.out, "folder for the result; new or empty").value_name("DIR");
    command
        .option("resume", run_.resume,
                "go on with a run that was interrupted, paused itself, or could not be measured")
        .value_name("DIR");
    command.option("workers", run_.workers, "how many workers to start")
        .range(config::between(std::size_t{1}, std::size_t{256}));
    command
        .option("keep-originals", run_.keep_originals,
                "key that seals answers before they are redacted, so that they can be judged anew")
        .value_name("KEYFILE");
    command.option("concurrency", run_.concurrency, "calls at once of each worker")
        .range(config::between(std::size_t{1}, std::size_t{20'000}));
    command.option("redis", run_.redis, "use this Redis instead of a private redis-server")
        .value_name("URL")
        .secret();
    command
        .option("environment", run_.environment,
                "where it runs, for the metadata: region, deployment, runtime")
        .value_name("region=R,deployment=D");
    command
        .option("traces", run_.traces,
                "where OpenTelemetry traces of trials go, and of how many; see docs/traces.md")
        .value_name("FILE");
    run_.notes.add_to(command);
    add_max_trials(command, run_.max_trials);
    command
        .option(
            "coordinator-url", run_.coordinator_url,
            "hand the run to this coordinator instead of starting a fleet; only as a flag, so that "
            "no variable sends a local run elsewhere")
        .value_name("URL")
        .only_flag();
    run_.connection.add_credentials_to(command);
    command.flag("simulate", run_.simulate,
                 "let a simulated provider answer for every provider of the run file");
    command.flag("json", run_.json, "print machine-readable JSON only");
    command.flag("no-progress", run_.no_progress, "show no progress");
    command.example("evalfleet run nightly.yaml --out results --workers 4");
    command.example("evalfleet run docs/examples/demo.yaml --simulate");
    command.action(action(run_run, run_));
}

void LocalCommands::add_view(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "view", "look at runs in a browser: their samples, answers, scores and timings");
    command
        .argument("DIR", view_.folders,
                  "folders of runs, of groups, or a coordinator's store; one or more")
        .required();
    command.option("port", view_.port, "port of this machine to serve on; 0: any free one")
        .value_name("P");
    command.example("evalfleet view results");
    command.example("evalfleet view baseline candidate");
    command.action(action(run_view, view_));
}

void LocalCommands::add_validate(config::CommandLine& program) {
    config::Command& command =
        program.subcommand("validate", "check a run file, its providers and its dataset");
    command.argument("RUN.yaml", validate_.run_file, "the run file");
    command
        .option("providers", validate_.providers, "the operator's providers, to look names up in")
        .value_name("FILE");
    command.flag("simulate", validate_.simulate, "as `run --simulate`: keys need not be set");
    add_max_trials(command, validate_.max_trials);
    command.flag("json", validate_.json, "print JSON");
    command.action(action(run_validate, validate_));
}

void LocalCommands::add_report(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "report", "the report of a finished run or group; exit code 1 unless ready");
    command.argument("ID_OR_DIR", report_.run,
                     "the folder of a run or a group, or the id of a run or a group at the "
                     "coordinator");
    command.choice<ReportFormat>("format", report_.format,
                                 {{"text", ReportFormat::text},
                                  {"json", ReportFormat::json},
                                  {"md", ReportFormat::markdown},
                                  {"html", ReportFormat::html},
                                  {"junit", ReportFormat::junit},
                                  {"csv", ReportFormat::csv},
                                  {"slices", ReportFormat::slices},
                                  {"parquet", ReportFormat::parquet}},
                                 "how it is written");
    command.option("out", report_.out, "write it here instead of to standard output")
        .value_name("FILE");
    command.flag("bom", report_.byte_order_mark,
                 "begin CSV with a byte order mark, by which spreadsheets know UTF-8");
    command.flag("exit-verdict", report_.exit_verdict,
                 "exit with the verdict also with --out, which else ends with 0");
    report_.connection.add_to(command);
    command.example("evalfleet report results --format html --out report.html");
    command.example("evalfleet report 20261116-020000-3f9a2c-nightly --format junit");
    command.action(action(run_report, report_));
}

void LocalCommands::add_export(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "export", "put a run that is over into a bucket of S3 or another folder, whole");
    command.argument("ID_OR_DIR", export_.run,
                     "the folder of a run or a group, or the id of a run at the coordinator");
    command.option("to", export_.to, "where to; the run gets a folder of its id there")
        .value_name("s3://BUCKET/PREFIX|DIR")
        .only_flag();
    command
        .option("s3-endpoint", export_.s3_endpoint,
                "address of the bucket's service; without it AWS, or what AWS_ENDPOINT_URL says")
        .value_name("URL");
    command
        .option("s3-region", export_.s3_region,
                "its region; without it what AWS_REGION says, else us-east-1")
        .value_name("REGION");
    command.flag("read-back", export_.read_back, "read everything again from there and compare it");
    export_.connection.add_to(command);
    command.flag("json", export_.json, "print what was done as JSON");
    command.example("evalfleet export results --to s3://evals/nightly");
    command.example("evalfleet export @last --to /mnt/archive --read-back");
    command.action(action(run_export, export_));
}

void LocalCommands::add_simulate(config::CommandLine& program) {
    config::Command& command = program.subcommand(
        "simulate",
        "a simulated model provider, in the protocols of all, for demos and load tests");
    simulator::SimulatorConfig& config = simulate_.simulator;
    simulator::ServiceConfig& service = simulate_.service;
    const auto share = config::between(0.0, 1.0);
    command.option("host", service.host, "address to listen on").value_name("ADDRESS");
    command.option("port", service.port, "port to listen on; 0: any free one").value_name("P");
    command.option("port-file", service.port_file, "write the port here once it listens")
        .value_name("FILE");
    command.option("log", service.log, "write a JSON line for each request here")
        .value_name("FILE");
    command.option("seed", config.seed, "what everything drawn comes from").value_name("S");
    command.option("dataset", config.dataset, "where it looks right answers up").value_name("FILE");
    command.option("latency-ms", simulate_.latency_ms, "median time to answer")
        .value_name("MS")
        .range(config::between(0.0, 3.6e6));
    command.option("latency-sigma", config.latency_sigma, "spread of it; 0: constant")
        .value_name("SIGMA")
        .range(config::between(0.0, 5.0));
    command.option("ms-per-token", config.ms_per_token, "time for each token of an answer, on top")
        .value_name("MS")
        .range(config::between(0.0, 3.6e6));
    command.option("slots", config.slots, "requests worked on at once, others wait; 0: no limit")
        .value_name("N");
    command
        .option("answer-tokens", config.answer_tokens,
                "length of the model's answers, drawn between the two")
        .value_name("MIN:MAX");
    command.option("correctness", config.correctness, "share of questions answered rightly")
        .value_name("SHARE")
        .range(share);
    command.flag("vary-repeats", config.vary_repeats, "the same question may get another answer");
    command.option("judge-noise", config.judge_noise, "share of verdicts with a score off by one")
        .value_name("SHARE")
        .range(share);
    command.option("judge-malformed", config.judge_malformed, "share of verdicts that are no JSON")
        .value_name("SHARE")
        .range(share);
    command
        .option("reasoning-tokens", config.reasoning_tokens,
                "tokens that each reply spends on thinking, out of its limit")
        .value_name("N")
        .range(config::between(std::uint64_t{0}, std::uint64_t{100'000'000}));
    command
        .option("first-token-share", config.first_token_share,
                "of a stream's time, until its first text")
        .value_name("SHARE")
        .range(share);
    command.option("threads", service.threads, "how many threads serve")
        .value_name("N")
        .range(config::between(std::size_t{1}, std::size_t{64}));
    add_limits(command);
    add_faults(command);
    command.validate([&config] { return check_faults(config.faults); });
    command.action(action(run_simulate, simulate_));
}

void LocalCommands::add_limits(config::Command& command) {
    simulator::QuotaConfig& quota = simulate_.simulator.quota;
    const auto add = [&command](const char* name, std::uint64_t& limit, const char* help) {
        command.option(name, limit, help).value_name("N").group("Limits");
    };
    add("rpm", quota.rpm, "requests in a window, others get 429; 0: no limit");
    add("tpm", quota.tpm, "tokens in a window; 0: no limit");
    add("max-concurrent", quota.max_concurrent, "requests at once; 0: no limit");
    command.option("limit-window", quota.window, "how long the rolling window is")
        .range(config::between(std::chrono::seconds(1), std::chrono::seconds(3600)))
        .group("Limits");
    command
        .choice<simulator::LimitBy>("limit-by", quota.by,
                                    {{"key", simulator::LimitBy::key},
                                     {"model", simulator::LimitBy::model},
                                     {"key-model", simulator::LimitBy::key_and_model}},
                                    "what the limits are counted by")
        .group("Limits");
    command
        .flag("hide-limits", quota.is_hidden,
              "tell neither what is left of the limits nor how long to wait")
        .group("Limits");
    command.option("api-key-file", simulate_.service.api_keys, "let only these keys in, one a line")
        .value_name("FILE")
        .group("Limits");
}

void LocalCommands::add_faults(config::Command& command) {
    simulator::SimulatorConfig& config = simulate_.simulator;
    for (const simulator::FaultKind& kind : simulator::all_faults()) {
        command.option("fault-" + std::string(kind.name), config.faults.*kind.rate, kind.help)
            .value_name("SHARE")
            .range(config::between(0.0, 1.0))
            .group("Faults");
    }
    command
        .option("fault-times", config.fault_times,
                "how often a request that is hit fails before it succeeds, 0: always; for all "
                "faults, or as in 429=1,hang=0; not given: each request is drawn on its own")
        .value_name("N")
        .group("Faults");
    command
        .option("retry-after", config.retry_after,
                "seconds that a drawn 429 says, and if given a 503 and 529; or none")
        .value_name("S")
        .group("Faults");
    command
        .option("outage", config.outages,
                "all calls get this status (503) or connections are refused (refuse), from START "
                "seconds after the first request; repeatable")
        .value_name("START:DURATION:KIND")
        .group("Faults");
    command
        .option("refuse", config.refused_members,
                "a member of requests, such as seed, that is refused with 400; repeatable")
        .value_name("NAME")
        .group("Faults");
    command
        .choice<simulator::ErrorShape>("error-shape", config.error_shape,
                                       {{"own", simulator::ErrorShape::own},
                                        {"fastapi", simulator::ErrorShape::fastapi},
                                        {"mistral", simulator::ErrorShape::mistral}},
                                       "in whose words errors are told; other than own: --refuse "
                                       "gives 422")
        .group("Faults");
    command.option("hang", config.hang, "how long a hanging request is kept").group("Faults");
}

}  // namespace evalfleet::cli
