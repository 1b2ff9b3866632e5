#include "cli/catalog_views.hpp"
#include "cli/commands/follow.hpp"
#include "cli/commands/remote.hpp"
#include "cli/output.hpp"
#include "cli/page_link.hpp"
#include "cli/remote/run_name.hpp"
#include "cli/remote/session.hpp"
#include "cli/remote_group.hpp"
#include "cli/run_views.hpp"
#include "cli/terminal/text.hpp"
#include "common/json/document.hpp"

#include <unistd.h>

#include <algorithm>

namespace evalfleet::cli {

namespace {

constexpr std::size_t kPageSize = 500;

std::string query_of(const ListOptions& options, std::size_t limit, const std::string& cursor) {
    std::string query = "?limit=" + std::to_string(limit);
    const auto add = [&query](const char* name, const std::string& value) {
        if (!value.empty()) query += std::string("&") + name + "=" + remote::encode(value);
    };
    add("state", options.state);
    add("name", options.name);
    add("group", options.group);
    for (const std::string& label : options.labels)
        add("label", label);
    add("since", options.since);
    add("until", options.until);
    add("cursor", cursor);
    return query;
}

std::string ids_of(const json::Array& runs) {
    std::string ids;
    for (const json::Value run : runs) {
        if (const auto id = run.get<std::string>("run_id"); id)
            ids += terminal::printable(*id) + '\n';
    }
    return ids;
}

std::string show(const json::Array& runs, const ListOptions& options) {
    return options.quiet ? ids_of(runs) : runs_table(runs, terminal::width_of(STDOUT_FILENO));
}

Result<ExitCode> blocking_print_group(const std::string& group, const StatusOptions& options) {
    const auto text = options.json ? Result<std::string>(group + '\n')
                                   : group_runs_table(group, terminal::width_of(STDOUT_FILENO));
    if (!text) return text.error();
    if (const Status printed = print(*text); !printed) return printed.error();
    return ExitCode::done;
}

}  // namespace

Result<ExitCode> run_list(const ListOptions& options) {
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    std::string cursor;
    for (std::size_t left = options.limit; left > 0;) {
        const std::size_t limit = std::min(left, kPageSize);
        const auto page =
            session->blocking_call({.path = "/runs" + query_of(options, limit, cursor)});
        if (!page) return page.error();
        const auto document = json::Document::parse(*page);
        if (!document) return document.error();
        const auto runs = document->root().get<json::Array>("runs");
        const auto next = document->root().optional<std::string>("next_cursor");
        if (!runs) return runs.error();
        if (!next) return next.error();
        // One page is one answer; with more of them each is a line of its own.
        const Status printed = print(options.json ? *page + '\n' : show(*runs, options));
        if (!printed) return printed.error();
        if (!*next || runs->empty()) break;
        cursor = **next;
        left -= std::min(left, runs->size());
    }
    return ExitCode::done;
}

Result<ExitCode> run_status(const StatusOptions& options) {
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto group = blocking_find_group(*session, options.run_id);
    if (!group) return group.error();
    if (*group) return blocking_print_group(**group, options);
    const auto id = remote::blocking_find_run(*session, options.run_id);
    if (!id) return id.error();
    const auto run = session->blocking_call({.path = "/runs/" + remote::encode(*id)});
    if (!run) return run.error();
    const auto document = json::Document::parse(*run);
    if (!document) return document.error();
    const Status printed =
        print(options.json ? *run + '\n'
                           : run_details(document->root(), terminal::width_of(STDOUT_FILENO)));
    if (!printed) return printed.error();
    return ExitCode::done;
}

Result<ExitCode> run_watch(const WatchOptions& options) {
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto id = remote::blocking_find_run(*session, options.run_id);
    if (!id) return id.error();
    if (!options.json) print_run_link(options.connection.coordinator_url, *id);
    const std::string ids[]{*id};
    const auto runs =
        blocking_follow(*session, ids, options.json ? FollowStyle::json : FollowStyle::people);
    if (!runs) return runs.error();
    if (!options.json) blocking_print_verdicts(*session, *runs, options.connection.coordinator_url);
    return verdict_of(*runs);
}

Result<ExitCode> run_steer(const SteerOptions& options) {
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto id = remote::blocking_find_run(*session, options.run_id);
    if (!id) return id.error();
    const auto run = session->blocking_call(
        {.method = "POST", .path = "/runs/" + remote::encode(*id) + "/" + options.what});
    if (!run) return run.error();
    const auto document = json::Document::parse(*run);
    if (!document) return document.error();
    const auto state = document->root().get<std::string>("state");
    if (!state) return state.error();
    const std::string line = *id + " is " + *state;
    const Status printed = print(options.json ? *run + '\n' : terminal::printable(line) + '\n');
    if (!printed) return printed.error();
    return ExitCode::done;
}

}  // namespace evalfleet::cli
