#include "coordinator/api/route_table.hpp"

#include "common/http/problem.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

// What all routes of a table share.
struct Guard {
    access::Gatekeeper& gatekeeper;
    RouteTable::Hindrance hindrance;
    log::Logger audit;
};

bool is_write(const RouteSpec& spec) {
    return spec.method != "GET";
}

std::string target_of(const http::RequestContext& request) {
    return request.parameters.empty() ? "" : request.parameters.front().second.substr(0, 64);
}

// Every change that was asked for, and every refusal, leaves a line: who, from where, what, to
// which run, with what outcome. Never the token.
void note(const Guard& guard, const RouteSpec& spec, const http::RequestContext& request,
          const access::Identity& caller, int status) {
    const bool is_refusal = status == 401 || status == 403 || status == 429;
    if (!is_write(spec) && !is_refusal) return;
    guard.audit.log(is_refusal ? log::Level::warn : log::Level::info, "call",
                    {{"action", spec.id},
                     {"target", target_of(request)},
                     {"caller", caller.name},
                     {"peer", request.peer},
                     {"status", status},
                     {"request", request.request_id}});
}

/// A misspelt filter must not look like one that matched everything.
std::optional<http::Problem> check_query(const RouteSpec& spec, const http::Query& query) {
    http::Problem problem{.status = 400, .detail = "wrong query parameters"};
    std::set<std::string> given;
    for (const auto& [name, value] : query) {
        given.insert(name);
        const auto is_known =
            std::any_of(spec.query.begin(), spec.query.end(),
                        [&](const Parameter& known) { return known.name == name; });
        if (!is_known && problem.errors.size() < 20)
            problem.errors.push_back({name.substr(0, 64), 0, "there is no such parameter"});
    }
    for (const Parameter& known : spec.query)
        if (known.required && !given.contains(known.name))
            problem.errors.push_back({known.name, 0, "is required but missing"});
    if (problem.errors.empty()) return std::nullopt;
    return problem;
}

asio::awaitable<http::Reply> serve(const RouteTable::Route& route, Guard& guard,
                                   http::RequestContext& request) {
    auto admission = guard.gatekeeper.admit(request, route.spec.role);
    if (admission.refusal) {
        note(guard, route.spec, request, admission.caller, admission.refusal->status);
        co_return std::move(*admission.refusal);
    }
    if (const auto problem = check_query(route.spec, request.query)) co_return problem->to_reply();
    if (route.spec.needs_store) {
        std::string why = guard.hindrance();
        if (!why.empty()) {
            http::Reply reply = http::Problem{.status = 503, .detail = std::move(why)}.to_reply();
            reply.headers.set("Retry-After", "1");
            co_return reply;
        }
    }
    Call call{request, std::move(admission.caller)};
    http::Reply reply = co_await route.handler(call);
    note(guard, route.spec, request, call.caller, reply.status);
    co_return reply;
}

}  // namespace

void RouteTable::add(RouteSpec spec, CallHandler handler) {
    routes_.push_back({std::move(spec), std::move(handler)});
}

void RouteTable::install(http::Router& router, access::Gatekeeper& gatekeeper, Hindrance hindrance,
                         log::Logger audit) const {
    const auto guard =
        std::make_shared<Guard>(Guard{gatekeeper, std::move(hindrance), std::move(audit)});
    for (const Route& route : routes_) {
        router.add(route.spec.method, route.spec.pattern,
                   [&route, guard](http::RequestContext& request) {
                       return serve(route, *guard, request);
                   },
                   {.max_body_bytes = route.spec.max_body_bytes});
    }
}

}  // namespace evalfleet::api
