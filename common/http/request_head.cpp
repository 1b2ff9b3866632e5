#include "common/http/request_head.hpp"

#include "common/http/proxy.hpp"

#include <array>

namespace evalfleet::http {

namespace {

constexpr std::array<std::string_view, 6> kOwnHeaders = {
    "Host", "Content-Length", "Transfer-Encoding", "Connection", "Accept-Encoding", "Expect"};

bool sends_length(const Request& request, std::uint64_t body_bytes) {
    const auto& method = request.method;
    return body_bytes > 0 || method == "POST" || method == "PUT" || method == "PATCH";
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

Status check_request(const Request& request) {
    if (!is_token(request.method) || request.method == "CONNECT") {
        return Error{ErrorKind::invalid, "not a method for a request"};
    }
    if (!is_request_target(request.url.target) || !request.url.target.starts_with('/')) {
        return Error{ErrorKind::invalid, "not a path for a request"};
    }
    if (request.url.host.empty() || !is_request_target(request.url.host)) {
        return Error{ErrorKind::invalid, "request without a host"};
    }
    if (const auto name = request.headers.first_invalid_name()) {
        const std::string shown = is_token(*name) ? *name : "(not a token)";
        return Error{ErrorKind::invalid, "header '" + shown + "' holds a forbidden character"};
    }
    for (const std::string_view own : kOwnHeaders) {
        if (!request.headers.contains(own)) continue;
        return Error{ErrorKind::invalid, "header '" + std::string(own) + "' is set by the client"};
    }
    return {};
}

std::string format_request_head(const Request& request, const Url* proxy,
                                std::string_view user_agent, std::uint64_t body_bytes) {
    const Url& url = request.url;
    const bool absolute = proxy != nullptr && url.scheme == Scheme::http;
    std::string head;
    head.reserve(512);
    head.append(request.method).append(1, ' ');
    if (absolute) head.append("http://").append(url.authority());
    head.append(url.target).append(" HTTP/1.1\r\n");
    append_field(head, "Host", url.authority());
    // A compressed body would have to be unpacked between its arrival and its use; none is asked
    // for.
    append_field(head, "Accept-Encoding", "identity");
    if (!request.headers.contains("User-Agent")) append_field(head, "User-Agent", user_agent);
    if (sends_length(request, body_bytes)) {
        append_field(head, "Content-Length", std::to_string(body_bytes));
    }
    if (!url.userinfo.empty() && !request.headers.contains("Authorization")) {
        append_field(head, "Authorization", basic_credentials(url));
    }
    if (absolute && !proxy->userinfo.empty()) {
        append_field(head, "Proxy-Authorization", basic_credentials(*proxy));
    }
    request.headers.append_to(head);
    return head += "\r\n";
}

std::string format_connect(const Url& url, const Url& proxy, std::string_view user_agent) {
    std::string head = "CONNECT " + url.host_and_port() + " HTTP/1.1\r\n";
    append_field(head, "Host", url.host_and_port());
    append_field(head, "User-Agent", user_agent);
    if (!proxy.userinfo.empty()) {
        append_field(head, "Proxy-Authorization", basic_credentials(proxy));
    }
    return head += "\r\n";
}

}  // namespace evalfleet::http
