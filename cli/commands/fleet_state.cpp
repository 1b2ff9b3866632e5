#include "cli/commands/remote.hpp"
#include "cli/output.hpp"
#include "cli/remote/run_name.hpp"
#include "cli/remote/session.hpp"
#include "cli/run_views.hpp"
#include "cli/terminal/text.hpp"
#include "common/json/writer.hpp"

#include <unistd.h>

namespace evalfleet::cli {

namespace {

using View = Result<std::string> (*)(std::string_view, Width);

Result<ExitCode> blocking_show(const remote::ConnectionOptions& connection, const char* path,
                               bool json, View view) {
    auto session = remote::Session::blocking_open(connection);
    if (!session) return session.error();
    const auto answer = session->blocking_call({.path = path});
    if (!answer) return answer.error();
    const auto text = json ? Result<std::string>(*answer + '\n')
                           : view(*answer, terminal::width_of(STDOUT_FILENO));
    if (!text) return text.error();
    if (const Status printed = print(*text); !printed) return printed.error();
    return ExitCode::done;
}

Result<ExitCode> blocking_set_baseline(const BaselineOptions& options) {
    if (!options.name || !options.run_id)
        return Error{ErrorKind::invalid, "baseline set: NAME and RUN are required"};
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto run = remote::blocking_find_run(*session, *options.run_id);
    if (!run) return run.error();
    remote::Call call{.method = "PUT", .path = "/baselines/" + remote::encode(*options.name)};
    json::Writer writer(call.body);
    writer.begin_object().member("run_id", *run).end_object();
    const auto answer = session->blocking_call(std::move(call));
    if (!answer) return answer.error();
    const Status printed = print(
        options.json ? *answer + '\n' : terminal::printable(*options.name + " is " + *run) + '\n');
    if (!printed) return printed.error();
    return ExitCode::done;
}

Result<ExitCode> blocking_remove_baseline(const BaselineOptions& options) {
    if (!options.name || options.run_id)
        return Error{ErrorKind::invalid, "baseline remove: a NAME and nothing else is required"};
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto answer = session->blocking_call(
        {.method = "DELETE", .path = "/baselines/" + remote::encode(*options.name)});
    if (!answer) return answer.error();
    if (options.json) {
        if (const Status printed = print("{\"removed\":true}\n"); !printed) return printed.error();
    }
    return ExitCode::done;
}

}  // namespace

Result<ExitCode> run_workers(const FleetOptions& options) {
    return blocking_show(options.connection, "/workers", options.json, workers_table);
}

Result<ExitCode> run_queues(const FleetOptions& options) {
    return blocking_show(options.connection, "/queues", options.json, queues_table);
}

Result<ExitCode> run_baseline(const BaselineOptions& options) {
    if (options.what == "set") return blocking_set_baseline(options);
    if (options.what == "remove") return blocking_remove_baseline(options);
    if (options.what != "list" || options.name) {
        return Error{ErrorKind::invalid, "baseline: found '" + options.what +
                                             "', allowed: set NAME RUN, list, remove NAME"};
    }
    return blocking_show(options.connection, "/baselines", options.json, baselines_table);
}

}  // namespace evalfleet::cli
