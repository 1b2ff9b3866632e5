#include "coordinator/api/session_routes.hpp"

#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "common/version/version.hpp"
#include "coordinator/access/cookie.hpp"
#include "coordinator/api/replies.hpp"

#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

using access::Role;

// What a page has to know of who uses it.
struct SessionView {
    const access::Identity& caller;
    std::optional<std::string> csrf{};
    std::optional<async::TimePoint> expires{};
};

std::string to_json(const Services& services, const SessionView& view) {
    std::optional<std::string> expires_at;
    if (view.expires)
        expires_at = log::format_utc(
            services.clock.utc_now() +
            std::chrono::duration_cast<std::chrono::seconds>(*view.expires - services.clock.now()));
    std::string text;
    json::Writer(text)
        .begin_object()
        .member("caller", view.caller.name)
        .member("role", to_string(view.caller.role))
        .member("csrf", view.csrf)
        .member("expires_at", expires_at)
        .member("mode", services.is_view ? "view" : "coordinator")
        .member("read_only", services.is_view)
        .member("version", build_info().version)
        .end_object();
    return text;
}

asio::awaitable<http::Reply> sign_in(Services& services, access::Gatekeeper& gatekeeper,
                                     Call& call) {
    const auto body = co_await call.request.body->read_all();
    if (!body) co_return http::to_problem(body.error()).to_reply();
    const auto document = json::Document::parse(*body);
    const auto token = document && document->root().is_object()
                           ? document->root().get<std::string>("token")
                           : Result<std::string>(Error{ErrorKind::invalid, ""});
    if (!token) co_return field_problem(400, "token", "is required: {\"token\": \"...\"}");
    auto made = gatekeeper.sign_in(*token, call.request.peer);
    if (made.refusal) co_return std::move(*made.refusal);
    call.caller = made.caller;
    SessionView view{call.caller};
    if (gatekeeper.has_tokens()) {
        view.csrf = made.csrf;
        view.expires = services.clock.now() + made.lifetime;
    }
    http::Reply reply = http::Reply::json(to_json(services, view));
    if (gatekeeper.has_tokens())
        reply.headers.add("Set-Cookie", access::set_session_cookie(made.session_id, made.lifetime,
                                                                   services.is_tls));
    co_return reply;
}

asio::awaitable<http::Reply> show_session(Services& services, access::Gatekeeper& gatekeeper,
                                          Call& call) {
    SessionView view{call.caller};
    const bool has_bearer = call.request.headers.contains("Authorization");
    const auto* session = has_bearer ? nullptr : gatekeeper.session_of(call.request);
    if (session != nullptr) {
        view.csrf = session->csrf;
        view.expires = session->expires;
    }
    co_return http::Reply::json(to_json(services, view));
}

asio::awaitable<http::Reply> sign_out(Services& services, access::Gatekeeper& gatekeeper,
                                      Call& call) {
    gatekeeper.sign_out(call.request);
    http::Reply reply = http::Reply::empty(204);
    reply.headers.add("Set-Cookie",
                      access::set_session_cookie("", std::chrono::seconds(0), services.is_tls));
    co_return reply;
}

}  // namespace

void add_session_routes(RouteTable& table, Services& services, access::Gatekeeper& gatekeeper) {
    table.add({.method = "POST",
               .pattern = "/api/v1/session",
               .id = "sign_in",
               .section = "Session",
               .summary = "Signs a browser in with a token: sets a cookie that stands for it",
               .role = std::nullopt,
               .needs_store = false,
               .works_in_view = true,
               .body_type = "application/json",
               .body_schema = "SignIn",
               .answers = {{200, "who signed in, and what to send as X-CSRF-Token", "Session"},
                           {400, "there is no token in the body", "Problem"},
                           {401, "the token is not known", "Problem"}}},
              [&](Call& call) { return sign_in(services, gatekeeper, call); });
    table.add({.method = "GET",
               .pattern = "/api/v1/session",
               .id = "get_session",
               .section = "Session",
               .summary = "Who is calling, with which role",
               .needs_store = false,
               .answers = {{200, "the caller", "Session"}}},
              [&](Call& call) { return show_session(services, gatekeeper, call); });
    table.add({.method = "DELETE",
               .pattern = "/api/v1/session",
               .id = "sign_out",
               .section = "Session",
               .summary = "Ends the session of the cookie",
               .needs_store = false,
               .works_in_view = true,
               .answers = {{204, "it is over"}}},
              [&](Call& call) { return sign_out(services, gatekeeper, call); });
}

}  // namespace evalfleet::api
