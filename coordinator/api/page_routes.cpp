#include "coordinator/api/page_routes.hpp"

#include "common/http/problem.hpp"
#include "coordinator/api/replies.hpp"
#include "coordinator/web/assets.hpp"
#include "coordinator/web/error_page.hpp"

#include <array>
#include <utility>

namespace evalfleet::api {

namespace asio = boost::asio;

namespace {

struct Page {
    std::string_view pattern;
    std::string_view id;
    std::string_view summary;
};

constexpr std::array<Page, 14> kPages{
    {{"/", "page_home", "All runs"},
     {"/runs", "page_runs", "All runs"},
     {"/runs/{id}", "page_run", "One run, while it runs and after"},
     {"/runs/{id}/samples", "page_samples", "Its trials, to filter and search"},
     {"/runs/{id}/samples/{index}", "page_sample", "One sample with all its repeats"},
     {"/runs/{id}/review", "page_review", "What people say of the judge's scores"},
     {"/compare", "page_compare", "Two or more runs side by side"},
     {"/groups", "page_groups", "All groups"},
     {"/groups/{id}", "page_group", "Samples by model and prompt"},
     {"/fleet", "page_fleet", "Workers, queue and providers"},
     {"/trends", "page_trends", "A run's name over time"},
     {"/runbooks", "page_runbooks", "What to do about a warning"},
     {"/submit", "page_submit", "Write and hand in a run"},
     {"/login", "page_login", "Sign in with a token"}}};

asio::awaitable<http::Reply> show_application() {
    http::Reply reply = http::Reply::html(web::asset_book().index_page());
    reply.headers.set("Content-Security-Policy", std::string(web::kPagePolicy));
    co_return reply;
}

asio::awaitable<http::Reply> show_asset(Call& call) {
    const std::string& path = call.request.parameter("path");
    const web::Asset* asset = web::asset_book().find(call.request.parameter("hash"), path);
    if (asset == nullptr) co_return not_found("file", path);
    http::Reply reply = http::Reply::text(std::string(asset->bytes));
    reply.headers.set("Content-Type", std::string(asset->content_type));
    reply.headers.set("Content-Security-Policy", std::string(web::kPagePolicy));
    reply.headers.set("Cache-Control", "public, max-age=31536000, immutable");
    co_return reply;
}

asio::awaitable<http::Reply> show_unknown(access::Gatekeeper& gatekeeper,
                                          http::RequestContext& request) {
    auto admission = gatekeeper.admit(request, std::nullopt);
    http::Reply reply = admission.refusal ? std::move(*admission.refusal)
                                          : not_found("page or route", request.path);
    if (web::wants_page(request)) co_return web::error_page(request, std::move(reply));
    co_return reply;
}

}  // namespace

void add_page_routes(RouteTable& table) {
    for (const Page& page : kPages) {
        table.add({.method = "GET",
                   .pattern = std::string(page.pattern),
                   .id = std::string(page.id),
                   .section = "Pages",
                   .summary = std::string(page.summary),
                   .role = std::nullopt,
                   .needs_store = false,
                   .takes_any_query = true,
                   .answers = {{200, "the application", "", "text/html; charset=utf-8"}}},
                  [](Call&) { return show_application(); });
    }
    table.add({.method = "GET",
               .pattern = "/assets/{hash}/{path*}",
               .id = "page_asset",
               .section = "Pages",
               .summary = "A file of the application; the hash is one over all of them",
               .role = std::nullopt,
               .needs_store = false,
               .answers = {{200, "the file", "", "text/javascript; charset=utf-8"},
                           {404, "there is no such file", "Problem"}}},
              show_asset);
}

void add_unknown_routes(http::Router& router, access::Gatekeeper& gatekeeper) {
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
        router.add(method, "/{path*}", [&gatekeeper](http::RequestContext& request) {
            return show_unknown(gatekeeper, request);
        });
    }
}

}  // namespace evalfleet::api
