#include "cli/commands/catalog.hpp"

#include "cli/catalog_views.hpp"
#include "cli/output.hpp"
#include "cli/remote/run_name.hpp"
#include "cli/terminal/text.hpp"
#include "common/json/document.hpp"
#include "common/text/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>

namespace evalfleet::cli {

namespace {

/// The filters of `GET /runs/{id}/trials`.
constexpr std::array<std::string_view, 14> kFilters{"passed",
                                                    "spec_passed",
                                                    "failure_label",
                                                    "error_kind",
                                                    "score",
                                                    "task_type",
                                                    "tag",
                                                    "latency_min_ms",
                                                    "latency_max_ms",
                                                    "cost_min",
                                                    "cost_max",
                                                    "repeats_disagree",
                                                    "judge_retried",
                                                    "q"};

Result<std::string> query_of(const RecordsOptions& options) {
    std::string query = fmt::format("?limit={}", options.limit);
    if (options.sort) query += "&sort=" + remote::encode(*options.sort);
    for (const std::string& condition : options.where) {
        const auto equals = condition.find('=');
        const std::string key = condition.substr(0, equals);
        if (equals == std::string::npos || std::ranges::find(kFilters, key) == kFilters.end()) {
            return Error{
                ErrorKind::invalid,
                fmt::format("--where: found \"{}\"; {}allowed: KEY=VALUE with one of {}", condition,
                            text::did_you_mean(key, kFilters), fmt::join(kFilters, ", "))};
        }
        query += "&" + key + "=" + remote::encode(condition.substr(equals + 1));
    }
    return query;
}

using View = Result<std::string> (*)(std::string_view, Width);

Result<ExitCode> print_view(const std::string& answer, bool json, View view) {
    const auto shown =
        json ? Result<std::string>(answer + '\n') : view(answer, terminal::width_of(STDOUT_FILENO));
    if (!shown) return shown.error();
    if (const Status printed = print(*shown); !printed) return printed.error();
    return ExitCode::done;
}

Result<ExitCode> blocking_print(const remote::ConnectionOptions& connection,
                                const std::string& path, bool json, View view) {
    auto session = remote::Session::blocking_open(connection);
    if (!session) return session.error();
    const auto answer = session->blocking_call({.path = path});
    if (!answer) return answer.error();
    return print_view(*answer, json, view);
}

/// On a terminal; anything but "y" is no.
bool is_meant(const std::string& run) {
    std::fprintf(stderr, "remove run %s with everything it left? [y/N] ",
                 terminal::printable(run).c_str());
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

Result<ExitCode> run_records(const RecordsOptions& options) {
    const auto query = query_of(options);
    if (!query) return query.error();
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto run = remote::blocking_find_run(*session, options.run);
    if (!run) return run.error();
    const auto answer =
        session->blocking_call({.path = "/runs/" + remote::encode(*run) + "/trials" + *query});
    if (!answer) return answer.error();
    const auto printed = print_view(*answer, options.json, trials_table);
    if (!printed || options.json) return printed;
    const auto document = json::Document::parse(*answer);
    if (!document) return document.error();
    const auto total = document->root().optional<std::uint64_t>("total");
    if (total && *total && **total > options.limit)
        std::fprintf(stderr, "%zu of %llu; more with --limit\n", options.limit,
                     static_cast<unsigned long long>(**total));
    return printed;
}

Result<ExitCode> run_delete(const DeleteOptions& options) {
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto run = remote::blocking_find_run(*session, options.run);
    if (!run) return run.error();
    if (!options.yes && isatty(STDIN_FILENO) != 1) {
        return Error{ErrorKind::invalid,
                     "--yes: is required where nobody can be asked; removing a run is for good"};
    }
    if (!options.yes && !is_meant(*run)) return ExitCode::failed;
    const auto removed =
        session->blocking_call({.method = "DELETE", .path = "/runs/" + remote::encode(*run)});
    if (!removed) return removed.error();
    const Status printed = print(terminal::printable(*run) + " is removed\n");
    if (!printed) return printed.error();
    return ExitCode::done;
}

Result<ExitCode> run_datasets(const CatalogOptions& options) {
    const std::string path =
        options.id ? "/datasets/" + remote::encode(*options.id) : std::string("/datasets");
    return blocking_print(options.connection, path, options.json, datasets_table);
}

Result<ExitCode> run_groups(const CatalogOptions& options) {
    if (!options.id)
        return blocking_print(options.connection, "/groups", options.json, groups_table);
    return blocking_print(options.connection, "/groups/" + remote::encode(*options.id),
                          options.json, group_runs_table);
}

}  // namespace evalfleet::cli
