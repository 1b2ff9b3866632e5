#include "cli/offline_commands.hpp"

#include "cli/command_action.hpp"

#include <utility>

namespace evalfleet::cli {

namespace {

constexpr std::uint32_t kMaxReplicates = 1'000'000;

/// A subcommand of the group of offline ones.
config::Command& add(config::CommandLine& program, std::string name, std::string help) {
    return program.subcommand(std::move(name), std::move(help)).group("Offline");
}

template <class Options>
void add_out(config::Command& command, Options& options) {
    command.option("out", options.out, "write the result here instead of to standard output")
        .value_name("FILE");
}

template <class Options>
void add_policy(config::Command& command, Options& options) {
    command
        .option("policy", options.policy, "limits, weights and gates that differ from the Rubric")
        .value_name("POLICY.json");
}

template <class Options>
void add_bootstrap(config::Command& command, Options& options) {
    command.option("bootstrap", options.bootstrap, "bootstrap replicates")
        .value_name("B")
        .range(config::between(std::uint32_t{0}, kMaxReplicates));
    command.option("seed", options.seed, "seed of the bootstrap").value_name("S");
}

}  // namespace

void OfflineCommands::add_to(config::CommandLine& program) {
    add_derive(program);
    add_reduce(program);
    add_judge_parse(program);
    add_render(program);
    add_schema(program);
    add_verify(program);
    add_compare(program);
}

void OfflineCommands::add_derive(config::CommandLine& program) {
    config::Command& command = add(program, "derive", "fill in the derived fields of each trial");
    command.argument("TRIALS.jsonl", derive_.trials, "the trials; - for standard input");
    command
        .option("labels", derive_.labels,
                "score the trials as people did, from a file of manual labels")
        .value_name("LABELS.jsonl");
    add_policy(command, derive_);
    add_out(command, derive_);
    command.action(action(run_derive, derive_));
}

void OfflineCommands::add_reduce(config::CommandLine& program) {
    config::Command& command =
        add(program, "reduce", "records in, summary out; exit code 1 unless release-ready");
    command.argument("RECORDS.jsonl", reduce_.inputs,
                     "the records, or a run's folder; - for standard input; with --group: the "
                     "runs' folders, the first of which is the baseline");
    command.flag("group", reduce_.group,
                 "reduce the runs of a group together: slices by model and prompt template "
                 "version, ranking, tests against the first");
    command.flag("force", reduce_.force,
                 "reduce a group although dataset, judge or policy of its runs differ");
    command.flag("text", reduce_.text, "print a group as a table for people");
    add_policy(command, reduce_);
    add_bootstrap(command, reduce_);
    add_out(command, reduce_);
    command.action(action(run_reduce, reduce_));
}

void OfflineCommands::add_judge_parse(config::CommandLine& program) {
    config::Command& command =
        add(program, "judge-parse", "read judges' replies strictly, one JSON line for each case");
    command.argument("CASES.jsonl", judge_parse_.cases, "the cases; - for standard input");
    add_out(command, judge_parse_);
    command.action(action(run_judge_parse, judge_parse_));
}

void OfflineCommands::add_render(config::CommandLine& program) {
    config::Command& command =
        add(program, "render", "fill in templates, one JSON line for each case");
    command.argument("CASES.jsonl", render_.cases, "the cases; - for standard input");
    add_out(command, render_);
    command.action(action(run_render, render_));
}

void OfflineCommands::add_schema(config::CommandLine& program) {
    config::Command& command =
        add(program, "schema", "the tables that records, CSV and slices of runs fit into, as SQL");
    command.flag("duckdb", schema_.duckdb, "as DuckDB creates them");
    command.example("evalfleet schema --duckdb | duckdb runs.db");
    command.action(action(run_schema, schema_));
}

void OfflineCommands::add_verify(config::CommandLine& program) {
    config::Command& command = add(program, "verify",
                                   "check the folder of a run or a group: hashes, and the summary "
                                   "recomputed from its records");
    command.argument("DIR", verify_.folder, "the folder of a run or a group");
    command.action(action(run_verify, verify_));
}

void OfflineCommands::add_compare(config::CommandLine& program) {
    config::Command& command =
        add(program, "compare",
            "compare two runs over the trials they share; exit code 1 if a metric is worse, 3 if "
            "that cannot be told, else 0");
    command.argument("BASE", compare_.base,
                     "the run to compare with: its folder, or its id at the coordinator");
    command.argument("CANDIDATE", compare_.candidate, "the run in question, likewise");
    command.flag("force", compare_.force, "compare although dataset, judge or policy differ");
    command.flag("json", compare_.json, "print JSON");
    command.choice<CompareFormat>("format", compare_.format,
                                  {{"text", CompareFormat::text},
                                   {"json", CompareFormat::json},
                                   {"html", CompareFormat::html}},
                                  "how it is written");
    command
        .option(
            "margin", compare_.margin,
            "how much worse still counts as no worse, by metric: a part of the base's value for "
            "latency and tokens, else in the metric's unit")
        .value_name("METRIC=NUMBER,...");
    command
        .option("detect", compare_.detect,
                "how many samples it takes to find a difference of this size 4 times of 5, by "
                "metric, in the units of --margin")
        .value_name("METRIC=NUMBER,...");
    add_bootstrap(command, compare_);
    add_out(command, compare_);
    compare_.connection.add_to(command);
    command.example("evalfleet compare results/main results/candidate");
    command.example(
        "evalfleet compare results/main results/candidate --margin aggregate_score=0.02");
    command.example(
        "evalfleet compare results/main results/candidate --detect aggregate_score=0.01");
    command.example(
        "evalfleet compare 20261116-020000-3f9a2c-nightly 20261117-020000-9b1d44-nightly");
    command.action(action(run_compare, compare_));
}

}  // namespace evalfleet::cli
