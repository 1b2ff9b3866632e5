#include "coordinator/api/run_routes.hpp"

#include "common/http/problem.hpp"
#include "coordinator/api/query_reader.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/api/run_view.hpp"
#include "coordinator/catalog/run_filter.hpp"

#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;
using runs::RunPhase;

constexpr std::size_t kMaxLabelBytes = job::kMaxLabelKeyBytes + 1 + job::kMaxLabelValueBytes;

struct Page {
    catalog::RunFilter filter;
    std::string cursor;
    std::size_t limit = 50;
};

Page read_page(QueryReader& query) {
    Page page;
    if (const std::string states = query.text("state"); !states.empty()) {
        const auto phases = catalog::parse_states(states);
        if (phases)
            page.filter.phases = *phases;
        else
            query.fail("state",
                       "allowed: queued, running, paused, cancelling, cancelled, finishing, "
                       "done, failed, active");
    }
    const auto read_time = [&query](std::string_view name) {
        const std::string text = query.text(name);
        const auto time = catalog::parse_time(text);
        if (!text.empty() && !time) query.fail(name, "allowed: a time as 2026-11-16T02:00:00Z");
        return time;
    };
    page.filter.name = query.text("name");
    page.filter.group = query.text("group");
    page.filter.since = read_time("since");
    page.filter.until = read_time("until");
    page.filter.model = query.text("model");
    page.filter.dataset = query.text("dataset");
    page.filter.submitter = query.text("submitter");
    for (const std::string& label : query.texts("label", job::kMaxRunLabels, kMaxLabelBytes)) {
        const auto equals = label.find('=');
        if (equals == std::string::npos || equals == 0)
            query.fail("label", "allowed: key=value");
        else
            page.filter.labels.emplace_back(label.substr(0, equals), label.substr(equals + 1));
    }
    page.filter.text = query.text("q");
    if (const std::string verdict = query.text("verdict"); !verdict.empty()) {
        page.filter.verdict = catalog::parse_verdict(verdict);
        if (!page.filter.verdict)
            query.fail("verdict", "allowed: open, ready, not_ready, not_measured");
    }
    page.cursor = query.text("cursor");
    page.limit = query.number("limit", 50, 1, 500);
    return page;
}

// The phase as whoever keeps the run knows it.
RunPhase current_phase(Services& services, const catalog::RunFacts& facts) {
    if (catalog::is_final(facts.phase)) return facts.phase;
    const auto keeper = services.registry.find(facts.run_id);
    const auto live = keeper == nullptr ? std::nullopt : keeper->progress();
    return live ? live->phase : facts.phase;
}

// A list leaves outcomes out until somebody asks for them; they are read once.
std::shared_ptr<const catalog::RunCatalog::Runs> blocking_with_outcomes(
    Services& services, const catalog::RunCatalog::Runs& runs) {
    auto complete = std::make_shared<catalog::RunCatalog::Runs>();
    for (const auto& [id, facts] : runs) {
        auto found = catalog::is_final(facts->phase) && !facts->outcome
                         ? services.catalog.blocking_find(id)
                         : std::nullopt;
        complete->emplace(
            id, found ? std::make_shared<const catalog::RunFacts>(std::move(*found)) : facts);
    }
    return complete;
}

struct Chosen {
    std::vector<std::string> ids;
    std::uint64_t total = 0;
    bool has_more = false;
};

Chosen choose(Services& services, const catalog::RunCatalog::Runs& runs, const Page& page) {
    Chosen chosen;
    for (const auto& [id, facts] : runs) {
        if (!page.filter.fits(*facts, current_phase(services, *facts))) continue;
        ++chosen.total;
        if (!page.cursor.empty() && id >= page.cursor) continue;
        if (chosen.ids.size() < page.limit)
            chosen.ids.push_back(id);
        else
            chosen.has_more = true;
    }
    return chosen;
}

asio::awaitable<http::Reply> list(Services& services, Call& call) {
    QueryReader query(call.request.query);
    const Page page = read_page(query);
    if (auto refusal = query.refusal()) co_return std::move(*refusal);
    auto look = [&services] { return services.catalog.blocking_look(); };
    auto runs = co_await services.quick_pool.run(look);
    if (!runs) co_return failure(runs.error());
    if (page.filter.needs_outcome()) {
        auto complete = [&services, &runs] { return blocking_with_outcomes(services, **runs); };
        runs = co_await services.quick_pool.run(complete);
    }
    const Chosen chosen = choose(services, **runs, page);
    std::string text = R"({"runs":[)";
    for (const std::string& id : chosen.ids) {
        const auto view = co_await find_run(services, id);
        if (!view) continue;
        if (text.back() != '[') text.push_back(',');
        text += to_json(*view);
    }
    text += R"(],"next_cursor":)";
    text += chosen.has_more ? '"' + chosen.ids.back() + '"' : "null";
    text += R"(,"total":)" + std::to_string(chosen.total) + "}";
    co_return http::Reply::json(std::move(text));
}

asio::awaitable<http::Reply> show(Services& services, Call& call) {
    const std::string& id = call.request.parameter("id");
    const auto view = co_await find_run(services, id);
    if (!view) co_return not_found("run", id);
    co_return http::Reply::json(to_json(*view));
}

using Change = asio::awaitable<Status> (runs::RunKeeper::*)();

asio::awaitable<http::Reply> steer(Services& services, Call& call, Change change) {
    const std::string& id = call.request.parameter("id");
    const auto keeper = services.registry.find(id);
    if (keeper == nullptr) {
        const auto view = co_await find_run(services, id);
        if (!view) co_return not_found("run", id);
        co_return conflict("a run that is " + std::string(to_string(view->progress.phase)) +
                           " stays as it is");
    }
    const Status changed = co_await ((*keeper).*change)();
    if (!changed) co_return failure(changed.error());
    const auto view = co_await find_run(services, id);
    if (!view) co_return not_found("run", id);
    co_return http::Reply::json(to_json(*view));
}

asio::awaitable<http::Reply> remove(Services& services, Call& call) {
    const std::string id = call.request.parameter("id");
    const auto view = co_await find_run(services, id);
    if (!view) co_return not_found("run", id);
    const Status removed = co_await services.registry.remove(id);
    if (!removed) co_return failure(removed.error());
    co_return http::Reply::empty(204);
}

std::vector<Answer> run_answers() {
    return {{200, "the run", "Run"}, {404, "there is no such run", "Problem"}};
}

void add_steering(RouteTable& table, Services& services, const std::string& name,
                  const std::string& summary, Change change) {
    table.add({.method = "POST",
               .pattern = "/api/v1/runs/{id}/" + name,
               .id = name + "_run",
               .section = "Runs",
               .summary = summary,
               .role = Role::submitter,
               .answers = {{200, "the run, in its new state", "Run"},
                           {404, "there is no such run", "Problem"},
                           {409, "the run cannot go there from where it is", "Problem"}}},
              [&services, change](Call& call) { return steer(services, call, change); });
}

}  // namespace

void add_run_routes(RouteTable& table, Services& services) {
    table.add({.method = "GET",
               .pattern = "/api/v1/runs",
               .id = "list_runs",
               .section = "Runs",
               .summary = "Runs, the newest first",
               .query = {{"state", "one or more states, separated by commas; active: all not over"},
                         {"name", "exactly, or with * at its end"},
                         {"group", "id of a group"},
                         {"model", "occurs in provider/name@version"},
                         {"dataset", "id, or the beginning of the hash"},
                         {"submitter", "the name of the token it was handed in with"},
                         {"label", "key=value of its run_labels; may be repeated: has all of them",
                          R"({"type":"array","items":{"type":"string"}})"},
                         {"verdict", "of those that are done",
                          R"({"enum":["open","ready","not_ready","not_measured"]})"},
                         {"q", "occurs in id, name, model or data set"},
                         {"since", "submitted then or later"},
                         {"until", "submitted before"},
                         {"limit", "at most so many",
                          R"({"type":"integer","minimum":1,"maximum":500,"default":50})"},
                         {"cursor", "next_cursor of the page before"}},
               .answers = {{200, "a page of runs", "RunList"}}},
              [&services](Call& call) { return list(services, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/runs/{id}",
               .id = "get_run",
               .section = "Runs",
               .summary = "How far a run is",
               .answers = run_answers()},
              [&services](Call& call) { return show(services, call); });
    table.add({.method = "DELETE",
               .pattern = "/api/v1/runs/{id}",
               .id = "delete_run",
               .section = "Runs",
               .summary = "Removes a run that is over, with everything it left",
               .role = Role::admin,
               .answers = {{204, "it is gone"},
                           {404, "there is no such run", "Problem"},
                           {409, "it is not over, or is a baseline", "Problem"}}},
              [&services](Call& call) { return remove(services, call); });
    add_steering(table, services, "pause", "No further trial goes out", &runs::RunKeeper::pause);
    add_steering(table, services, "resume", "Trials go out again", &runs::RunKeeper::resume);
    add_steering(table, services, "cancel", "Ends the run; what came back is kept",
                 &runs::RunKeeper::cancel);
}

}  // namespace evalfleet::api
