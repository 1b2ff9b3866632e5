#include "coordinator/api/baseline_routes.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "coordinator/api/replies.hpp"

#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;

void write(json::Writer& writer, const std::string& name, const std::string& run_id) {
    writer.begin_object().member("name", name).member("run_id", run_id).end_object();
}

asio::awaitable<http::Reply> list(Services& services) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().key("baselines").begin_array();
    for (const auto& [name, run_id] : services.registry.baselines())
        write(writer, name, run_id);
    writer.end_array().end_object();
    co_return http::Reply::json(std::move(text));
}

asio::awaitable<http::Reply> set(Services& services, Call& call) {
    const auto body = co_await call.request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    const auto document = json::Document::parse(*body);
    if (!document) co_return failure(document.error());
    const auto run_id = document->root().get<std::string>("run_id");
    if (!run_id) co_return field_problem(422, "run_id", "the id of a run is required");
    const std::string name = call.request.parameter("name");
    const Status done = co_await services.registry.set_baseline(name, *run_id);
    if (!done) co_return failure(done.error());
    std::string text;
    json::Writer writer(text);
    write(writer, name, *run_id);
    co_return http::Reply::json(std::move(text));
}

asio::awaitable<http::Reply> drop(Services& services, Call& call) {
    const Status done = co_await services.registry.drop_baseline(call.request.parameter("name"));
    if (!done) co_return failure(done.error());
    co_return http::Reply::empty(204);
}

}  // namespace

void add_baseline_routes(RouteTable& table, Services& services) {
    table.add({.method = "GET",
               .pattern = "/api/v1/baselines",
               .id = "list_baselines",
               .section = "Baselines",
               .summary = "The runs that others must not fall behind, by name",
               .answers = {{200, "the baselines", "BaselineList"}}},
              [&services](Call&) { return list(services); });
    table.add({.method = "PUT",
               .pattern = "/api/v1/baselines/{name}",
               .id = "set_baseline",
               .section = "Baselines",
               .summary = "Names a run that is done; one that has the name loses it",
               .role = Role::submitter,
               .body_type = "application/json",
               .body_schema = "BaselineTarget",
               .answers = {{200, "the baseline", "Baseline"},
                           {404, "there is no such run", "Problem"},
                           {409, "the run is not done", "Problem"},
                           {422, "the name or the body is wrong", "Problem"}}},
              [&services](Call& call) { return set(services, call); });
    table.add(
        {.method = "DELETE",
         .pattern = "/api/v1/baselines/{name}",
         .id = "drop_baseline",
         .section = "Baselines",
         .summary = "Forgets a name; the run stays",
         .role = Role::submitter,
         .answers = {{204, "it is forgotten"}, {404, "there is no such baseline", "Problem"}}},
        [&services](Call& call) { return drop(services, call); });
}

}  // namespace evalfleet::api
