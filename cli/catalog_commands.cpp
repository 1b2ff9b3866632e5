#include "cli/command_action.hpp"
#include "cli/commands/catalog.hpp"
#include "cli/coordinator_command.hpp"

namespace evalfleet::cli {

void CatalogCommands::add_to(config::CommandLine& program) {
    add_records(program);
    add_show(program);
    add_delete(program);
    add_lists(program);
}

void CatalogCommands::add_records(config::CommandLine& program) {
    config::Command& command =
        add_coordinator_command(program, "records", "the trials of a run that fit");
    add_run_id(command, records_.run);
    command
        .option(
            "where", records_.where,
            "only trials with this value, such as failure_label=incorrect_answer, passed=false, "
            "tag=lang:en, q=TEXT; may be repeated")
        .value_name("KEY=VALUE");
    command.option("sort", records_.sort, "by index, latency, cost, score or tokens")
        .value_name("KEY");
    command.option("limit", records_.limit, "at most so many")
        .value_name("N")
        .range(config::between(std::size_t{1}, std::size_t{500}));
    command.flag("json", records_.json, "print the coordinator's JSON");
    records_.connection.add_to(command);
    command.example("evalfleet records @last --where passed=false --sort score");
    command.action(action(run_records, records_));
}

void CatalogCommands::add_show(config::CommandLine& program) {
    config::Command& command = add_coordinator_command(
        program, "show", "one sample of a run: question, answers, scores and reasons");
    command.argument("ID_OR_DIR", show_.run, "the run's folder, or its id at the coordinator");
    command.argument("SAMPLE", show_.sample, "the sample's id, or its index from 0");
    command.flag("json", show_.json, "print JSON");
    show_.connection.add_to(command);
    command.example("evalfleet show results qa-tide-range");
    command.example("evalfleet show @last:nightly-qa 17");
    command.action(action(run_show, show_));
}

void CatalogCommands::add_delete(config::CommandLine& program) {
    config::Command& command = add_coordinator_command(
        program, "delete", "remove a run that is over, with everything it left");
    add_run_id(command, delete_.run);
    command.flag("yes", delete_.yes, "do not ask");
    delete_.connection.add_to(command);
    command.example("evalfleet delete 20261116-020000-3f9a2c-nightly-qa --yes");
    command.action(action(run_delete, delete_));
}

void CatalogCommands::add_lists(config::CommandLine& program) {
    const auto add_one = [&program](const char* name, const char* help, CatalogOptions& options,
                                    const char* argument,
                                    Result<ExitCode> (*run)(const CatalogOptions&)) {
        config::Command& command = add_coordinator_command(program, name, help);
        command.argument("NAME", options.id, argument);
        command.flag("json", options.json, "print the coordinator's JSON");
        options.connection.add_to(command);
        command.action(action(run, options));
    };
    add_one("datasets", "the datasets of a coordinator, or the versions of one", datasets_,
            "the id of a dataset", run_datasets);
    add_one("groups", "the groups of runs, or the runs of one", groups_, "the id of a group",
            run_groups);
}

}  // namespace evalfleet::cli
