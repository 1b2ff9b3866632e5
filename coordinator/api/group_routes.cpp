#include "coordinator/api/group_routes.hpp"

#include "common/files/file.hpp"
#include "coordinator/api/heavy_jobs.hpp"
#include "coordinator/api/query_reader.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/api/result_routes.hpp"
#include "coordinator/api/run_view.hpp"
#include "coordinator/reduce/comparison.hpp"
#include "coordinator/reduce/group_reducer.hpp"
#include "coordinator/report/group_report.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kMaxSummaryBytes = std::uint64_t{64} * 1024 * 1024;

asio::awaitable<std::vector<RunView>> find_group(Services& services, std::string group_id) {
    std::vector<RunView> views;
    std::vector<std::string> ids = services.registry.runs_of_group(group_id);
    if (ids.empty()) {
        // Runs that are only looked at: nobody keeps them.
        auto look = [&services] { return services.catalog.blocking_look(); };
        const auto runs = co_await services.quick_pool.run(look);
        if (!runs) co_return views;
        for (const auto& [id, facts] : **runs)
            if (facts->group_id == group_id) ids.insert(ids.begin(), id);
    }
    for (const std::string& id : ids) {
        auto view = co_await find_run(services, id);
        if (view) views.push_back(std::move(*view));
    }
    co_return views;
}

asio::awaitable<http::Reply> show_group(Services& services, Call& call) {
    const std::string id = call.request.parameter("id");
    const std::vector<RunView> views = co_await find_group(services, id);
    if (views.empty()) co_return not_found("group", id);
    const bool is_over =
        std::all_of(views.begin(), views.end(), [](const RunView& view) { return view.is_over(); });
    // Written when the last of its runs is done.
    const std::filesystem::path file = services.registry.group_file(id);
    auto read = [&file] { return files::blocking_read_file(file, kMaxSummaryBytes); };
    const auto summary = co_await services.quick_pool.run(read);
    std::string text = R"({"group_id":")" + id + R"(","state":")";
    text += is_over ? "done" : "running";
    text += R"(","runs":[)";
    for (const RunView& view : views) {
        if (text.back() != '[') text.push_back(',');
        text += to_json(view);
    }
    text += R"(],"summary":)" + (summary ? *summary : std::string("null")) + "}";
    co_return http::Reply::json(std::move(text));
}

using RenderGroup = std::string (*)(const reduce::GroupSummary&);

Result<std::string> blocking_group_report(const std::vector<std::filesystem::path>& folders,
                                          const std::string& group_id, RenderGroup render) {
    std::vector<reduce::GroupMember> members;
    for (const std::filesystem::path& folder : folders) {
        auto member = reduce::blocking_read_member(folder);
        if (!member) return member.error();
        members.push_back(std::move(*member));
    }
    members.front().metadata.group_id = group_id;
    const auto summary = reduce::reduce_group(members, {.threads = 1});
    if (!summary) return summary.error();
    return render(*summary);
}

asio::awaitable<http::Reply> show_group_report(Services& services, Call& call, RenderGroup render,
                                               std::string content_type) {
    const std::string id = call.request.parameter("id");
    const std::vector<RunView> views = co_await find_group(services, id);
    if (views.empty()) co_return not_found("group", id);
    std::vector<std::string> ids;
    std::vector<std::filesystem::path> folders;
    for (const RunView& view : views) {
        if (!view.has_results())
            co_return conflict(view.facts.run_id + " is " +
                               std::string(to_string(view.progress.phase)) +
                               "; a group has reports once all of its runs have results");
        ids.push_back(view.facts.run_id);
        folders.push_back(services.catalog.folder(view.facts.run_id).path());
    }
    auto work = [&] { return blocking_group_report(folders, id, render); };
    auto job = co_await reading_of(services, std::move(ids));
    const auto text = co_await services.report_pool.run(std::move(job), work);
    if (!text) co_return failure(text.error());
    http::Reply reply = http::Reply::text(*text);
    reply.headers.set("Content-Type", content_type);
    if (content_type.starts_with("text/html"))
        reply.headers.set("Content-Security-Policy", std::string(kReportPolicy));
    co_return reply;
}

struct GroupFormat {
    std::string name;
    std::string id;
    std::string summary;
    std::string content_type;
    RenderGroup render;
};

const std::vector<GroupFormat>& group_formats() {
    static const std::vector<GroupFormat> formats = {
        {"report.txt", "get_group_text", "The ranking for a terminal", "text/plain; charset=utf-8",
         [](const reduce::GroupSummary& summary) { return reduce::to_text(summary); }},
        {"report.md", "get_group_markdown", "The ranking as Markdown",
         "text/markdown; charset=utf-8",
         [](const reduce::GroupSummary& summary) { return report::to_markdown(summary); }},
        {"report.html", "get_group_html", "The ranking as a page", "text/html; charset=utf-8",
         [](const reduce::GroupSummary& summary) { return report::to_html(summary); }}};
    return formats;
}

// Null if both runs can be compared.
asio::awaitable<std::optional<http::Reply>> check_run(Services& services, std::string name,
                                                      std::string id) {
    const auto view = co_await find_run(services, id);
    if (!view) co_return field_problem(404, name, "there is no such run");
    if (view->has_results()) co_return std::nullopt;
    co_return conflict(name + ": the run is " + std::string(to_string(view->progress.phase)) +
                       "; its results are there once it is done or cancelled");
}

// METRIC=NUMBER,... of a parameter; a wrong one is noted in the reader.
job::Margins read_margins(QueryReader& query, const std::string& name) {
    const std::string text = query.text(name);
    if (text.empty()) return {};
    auto margins = job::parse_margins(text, name);
    if (margins) return std::move(*margins);
    query.fail(name, margins.error().message);
    return {};
}

asio::awaitable<http::Reply> compare(Services& services, Call& call) {
    QueryReader query(call.request.query);
    const std::string base = query.text("base");
    const std::string candidate = query.text("candidate");
    reduce::CompareOptions options;
    options.force = query.boolean("force").value_or(false);
    options.threads = 1;
    options.margins = read_margins(query, "margin");
    options.detect = read_margins(query, "detect");
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    auto base_refusal = co_await check_run(services, "base", base);
    if (base_refusal) co_return std::move(*base_refusal);
    auto candidate_refusal = co_await check_run(services, "candidate", candidate);
    if (candidate_refusal) co_return std::move(*candidate_refusal);
    auto work = [&] {
        return reduce::compare_runs(services.catalog.folder(base).path(),
                                    services.catalog.folder(candidate).path(), options);
    };
    std::vector<std::string> both{base, candidate};
    auto job = co_await reading_of(services, std::move(both));
    const auto comparison = co_await services.report_pool.run(std::move(job), work);
    if (!comparison) co_return failure(comparison.error());
    co_return http::Reply::json(reduce::to_json(*comparison));
}

}  // namespace

void add_group_routes(RouteTable& table, Services& services) {
    for (const GroupFormat& format : group_formats()) {
        table.add({.method = "GET",
                   .pattern = "/api/v1/groups/{id}/" + format.name,
                   .id = format.id,
                   .section = "Groups and comparison",
                   .summary = format.summary,
                   .answers = {{200, "the report", "", format.content_type},
                               {404, "there is no such group", "Problem"},
                               {409, "a run of it has no results yet", "Problem"}}},
                  [&services, &format](Call& call) {
                      return show_group_report(services, call, format.render, format.content_type);
                  });
    }
    table.add(
        {.method = "GET",
         .pattern = "/api/v1/groups/{id}",
         .id = "get_group",
         .section = "Groups and comparison",
         .summary = "The runs of one submission with several models or prompts",
         .answers = {{200, "the group", "Group"}, {404, "there is no such group", "Problem"}}},
        [&services](Call& call) { return show_group(services, call); });
    table.add(
        {.method = "GET",
         .pattern = "/api/v1/compare",
         .id = "compare_runs",
         .section = "Groups and comparison",
         .summary = "Compares two runs over the trials they share",
         .query = {{"base", "id of a run", R"({"type":"string"})", true},
                   {"candidate", "id of a run", R"({"type":"string"})", true},
                   {"force", "although data set, judge or policy differ", R"({"type":"boolean"})"},
                   {"margin", "how much worse still counts as no worse: METRIC=NUMBER,...",
                    R"({"type":"string"})"},
                   {"detect", "of which difference to say how many samples find it, likewise",
                    R"({"type":"string"})"}},
         .answers = {{200, "the comparison", ""},
                     {404, "there is no such run", "Problem"},
                     {409, "a run has no results yet", "Problem"},
                     {422, "the runs are not comparable", "Problem"}}},
        [&services](Call& call) { return compare(services, call); });
}

}  // namespace evalfleet::api
