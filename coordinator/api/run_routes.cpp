#include "coordinator/api/run_routes.hpp"

#include "common/http/problem.hpp"
#include "common/json/writer.hpp"

#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kMaxSpecBytes = std::uint64_t{4} * 1024 * 1024;

http::Reply not_found(const http::RequestContext& request) {
    const Error error{ErrorKind::not_found, "there is no run '" + request.parameter("id") + "'"};
    return http::to_problem(error).to_reply();
}

std::string submitted_json(const std::vector<std::string>& ids) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object().member("run_id", ids.front()).key("run_ids").begin_array();
    for (const std::string& id : ids)
        writer.value(id);
    writer.end_array().end_object();
    return text;
}

asio::awaitable<http::Reply> submit(runs::RunRegistry& registry, http::RequestContext& request) {
    const auto body = co_await request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    auto spec = job::parse_run_spec(*body);
    if (!spec) co_return http::to_problem(spec.error()).to_reply();
    const auto ids = co_await registry.submit(std::move(*spec));
    if (!ids) co_return http::to_problem(ids.error()).to_reply();
    co_return http::Reply::json(submitted_json(*ids), 201);
}

asio::awaitable<http::Reply> list(runs::RunRegistry& registry) {
    std::string text = R"({"runs":[)";
    for (const runs::Progress& progress : registry.progress()) {
        if (text.back() != '[') text.push_back(',');
        text += runs::to_json(progress);
    }
    co_return http::Reply::json(text + "]}");
}

asio::awaitable<http::Reply> show(runs::RunRegistry& registry, http::RequestContext& request) {
    const runs::RunKeeper* keeper = registry.find(request.parameter("id"));
    if (keeper == nullptr) co_return not_found(request);
    co_return http::Reply::json(runs::to_json(keeper->progress()));
}

using Change = asio::awaitable<Status> (runs::RunKeeper::*)();

asio::awaitable<http::Reply> steer(runs::RunRegistry& registry, http::RequestContext& request,
                                   Change change) {
    runs::RunKeeper* keeper = registry.find(request.parameter("id"));
    if (keeper == nullptr) co_return not_found(request);
    const Status changed = co_await (keeper->*change)();
    if (!changed) {
        http::Problem problem = http::to_problem(changed.error());
        // Not a matter of permission: the run is not in a state for it.
        if (changed.error().kind == ErrorKind::denied) problem.status = 409;
        co_return problem.to_reply();
    }
    co_return http::Reply::json(runs::to_json(keeper->progress()));
}

}  // namespace

void add_run_routes(http::Router& router, runs::RunRegistry& registry) {
    using Context = http::RequestContext;
    router.add("POST", "/api/v1/runs",
               [&registry](Context& request) { return submit(registry, request); },
               {.max_body_bytes = kMaxSpecBytes});
    router.add("GET", "/api/v1/runs", [&registry](Context&) { return list(registry); });
    router.add("GET", "/api/v1/runs/{id}",
               [&registry](Context& request) { return show(registry, request); });
    const auto add_change = [&](const std::string& name, Change change) {
        router.add("POST", "/api/v1/runs/{id}/" + name, [&registry, change](Context& request) {
            return steer(registry, request, change);
        });
    };
    add_change("pause", &runs::RunKeeper::pause);
    add_change("resume", &runs::RunKeeper::resume);
    add_change("cancel", &runs::RunKeeper::cancel);
}

}  // namespace evalfleet::api
