#include "coordinator/api/route_table.hpp"

#include "common/http/problem.hpp"
#include "common/queue/keys.hpp"
#include "coordinator/web/error_page.hpp"

#include <fmt/format.h>

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
    RouteTable::BlockedReason blocked_reason;
    log::Logger audit;
    bool is_view = false;
};

bool is_write(const RouteSpec& spec) {
    return spec.method != "GET";
}

// Ids that may have been given, shown as they are to those who were let in; anything else in their
// place came from a client, and may be whatever he pasted there.
log::Field target_of(const http::RequestContext& request, const access::Identity& caller) {
    if (request.parameters.empty()) return {"target", ""};
    const std::string_view target = request.parameters.front().second;
    if (!caller.name.empty() && queue::is_run_id(target))
        return log::Field::plain("target", target);
    return {"target", target.substr(0, 64)};
}

bool is_refusal(int status) {
    return status == 401 || status == 403 || status == 429;
}

// Every change that was asked for, and every refusal, leaves a line: who, from where, what, to
// which run, with what outcome. Never the token.
void note(const Guard& guard, const RouteSpec& spec, const Call& call, int status) {
    if (!is_write(spec) && !is_refusal(status)) return;
    const http::RequestContext& request = call.request;
    guard.audit.keep(is_refusal(status) ? log::Level::warn : log::Level::info, "call",
                     {{"action", spec.id},
                      target_of(request, call.caller),
                      log::Field::plain("made", fmt::format("{}", fmt::join(call.made, ","))),
                      log::Field::plain("caller", call.caller.name),
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

// What stands in the way of a call that was let in.
std::optional<http::Reply> find_rejection(const RouteSpec& spec, const Guard& guard,
                                          const http::RequestContext& request) {
    if (guard.is_view && is_write(spec) && !spec.works_in_view)
        return http::Problem{.status = 403, .detail = "runs are only looked at here"}.to_reply();
    if (!spec.takes_any_query) {
        if (const auto problem = check_query(spec, request.query)) return problem->to_reply();
    }
    if (!spec.needs_store) return std::nullopt;
    std::string why = guard.blocked_reason();
    if (why.empty()) return std::nullopt;
    http::Reply reply = http::Problem{.status = 503, .detail = std::move(why)}.to_reply();
    reply.headers.set("Retry-After", "1");
    return reply;
}

asio::awaitable<http::Reply> serve(const RouteTable::Route& route, Guard& guard,
                                   http::RequestContext& request) {
    auto admission = guard.gatekeeper.admit(request, route.spec.role);
    Call call{request, std::move(admission.caller)};
    std::optional<http::Reply> reply = std::move(admission.refusal);
    if (!reply) reply = find_rejection(route.spec, guard, request);
    if (!reply) {
        try {
            reply = co_await route.handler(call);
        } catch (...) {
            // It may have changed something before it failed, or before its caller hung up.
            note(guard, route.spec, call, 500);
            throw;
        }
    }
    note(guard, route.spec, call, reply->status);
    if (reply->status >= 400 && web::wants_page(request))
        co_return web::error_page(request, std::move(*reply));
    co_return std::move(*reply);
}

}  // namespace

void RouteTable::add(RouteSpec spec, CallHandler handler) {
    routes_.push_back({std::move(spec), std::move(handler)});
}

void RouteTable::install(http::Router& router, access::Gatekeeper& gatekeeper,
                         BlockedReason blocked_reason, log::Logger audit, bool is_view) const {
    const auto guard = std::make_shared<Guard>(
        Guard{gatekeeper, std::move(blocked_reason), std::move(audit), is_view});
    for (const Route& route : routes_) {
        router.add(route.spec.method, route.spec.pattern,
                   [&route, guard](http::RequestContext& request) {
                       return serve(route, *guard, request);
                   },
                   {.max_body_bytes = route.spec.max_body_bytes});
    }
}

}  // namespace evalfleet::api
