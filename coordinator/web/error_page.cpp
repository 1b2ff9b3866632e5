#include "coordinator/web/error_page.hpp"

#include "common/http/percent.hpp"
#include "common/http/problem.hpp"
#include "common/json/document.hpp"
#include "coordinator/report/escape.hpp"
#include "coordinator/web/assets.hpp"

#include <string>
#include <utility>

namespace evalfleet::web {

namespace {

using report::escape_markup;

std::string detail_of(const http::Reply& problem) {
    const auto document = json::Document::parse(problem.body);
    if (!document) return {};
    const auto detail = document->root().get_or<std::string>("detail", "");
    return detail ? *detail : std::string();
}

// Where to sign in, and come back from.
std::string login_address(const http::RequestContext& request) {
    std::string address = request.path;
    for (const auto& [name, value] : request.query) {
        address += address.size() == request.path.size() ? '?' : '&';
        address += http::percent_encode(name) + '=' + http::percent_encode(value);
    }
    return "/login?next=" + http::percent_encode(address);
}

std::string body_of(const http::RequestContext& request, int status, const std::string& detail) {
    const std::string title = http::reason_phrase(status);
    const bool may_sign_in = status == 401;
    const std::string login = escape_markup(login_address(request));
    std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    if (may_sign_in) page += "<meta http-equiv=\"refresh\" content=\"0; url=" + login + "\">\n";
    page += "<title>" + escape_markup(title) + " - evalfleet</title>\n";
    page += "<link rel=\"stylesheet\" href=\"" + asset_book().prefix() + "/app.css\">\n";
    page += "</head><body><main class=\"error-page\"><h1>" + escape_markup(title) + "</h1>\n<p>" +
            escape_markup(detail) + "</p>\n";
    page += may_sign_in ? "<p><a href=\"" + login + "\">Sign in</a></p>"
                        : std::string("<p><a href=\"/\">All runs</a></p>");
    return page + "</main></body></html>\n";
}

}  // namespace

bool wants_page(const http::RequestContext& request) {
    if (request.method != "GET" && request.method != "HEAD") return false;
    const auto accept = request.headers.find("Accept");
    return accept && accept->find("text/html") != std::string_view::npos;
}

http::Reply error_page(const http::RequestContext& request, http::Reply problem) {
    http::Reply page = std::move(problem);
    page.body = body_of(request, page.status, detail_of(page));
    page.headers.set("Content-Type", "text/html; charset=utf-8");
    page.headers.set("Content-Security-Policy", std::string(kPagePolicy));
    return page;
}

}  // namespace evalfleet::web
