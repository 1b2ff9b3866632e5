#include "cli/run_notes.hpp"

namespace evalfleet::cli {

void RunNotes::add_to(config::Command& command) {
    command
        .option("label", labels,
                "note this of the run, such as commit=41ed580, to find it again; may be repeated")
        .value_name("KEY=VALUE")
        .only_flag();
    command.option("description", description, "what the run is for, in words")
        .value_name("TEXT")
        .only_flag();
}

Status RunNotes::enter(job::RunSpec& spec) const {
    if (const Status added = job::add_run_labels(spec.run_labels, labels); !added)
        return added.error().within("--label");
    if (!description) return {};
    if (const auto allowed = job::fault_of_description(*description))
        return Error{ErrorKind::invalid, "--description: allowed: " + *allowed};
    spec.description = description;
    return {};
}

}  // namespace evalfleet::cli
