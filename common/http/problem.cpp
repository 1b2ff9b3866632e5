#include "common/http/problem.hpp"

#include <boost/beast/http/status.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace evalfleet::http {

std::string reason_phrase(int status) {
    namespace beast = boost::beast::http;
    const auto text = beast::obsolete_reason(beast::int_to_status(static_cast<unsigned>(status)));
    return {text.data(), text.size()};
}

namespace {

boost::json::array list_of(const std::vector<FieldFault>& faults) {
    boost::json::array list;
    for (const FieldFault& fault : faults) {
        boost::json::object& item = list.emplace_back(boost::json::object()).as_object();
        if (!fault.field.empty()) item["field"] = fault.field;
        if (fault.line > 0) item["line"] = fault.line;
        item["message"] = fault.message;
    }
    return list;
}

}  // namespace

std::string Problem::to_json() const {
    boost::json::object object;
    object["type"] = type;
    object["title"] = title.empty() ? reason_phrase(status) : title;
    object["status"] = status;
    if (!detail.empty()) object["detail"] = detail;
    if (!instance.empty()) object["instance"] = instance;
    for (const auto& [name, value] : extra)
        object.emplace(name, value);
    if (!errors.empty()) object["errors"] = list_of(errors);
    return boost::json::serialize(object);
}

Reply Problem::to_reply() const {
    Reply reply;
    reply.status = status;
    reply.headers.set("Content-Type", "application/problem+json");
    reply.body = to_json();
    return reply;
}

int status_of(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::invalid:
            return 400;
        case ErrorKind::denied:
            return 403;
        case ErrorKind::not_found:
            return 404;
        case ErrorKind::timeout:
            return 408;
        case ErrorKind::too_large:
            return 413;
        case ErrorKind::rate_limited:
            return 429;
        case ErrorKind::transient:
        case ErrorKind::cancelled:
            return 503;
        case ErrorKind::lease_lost:
        case ErrorKind::tls:
        case ErrorKind::internal:
            return 500;
    }
    return 500;
}

Problem to_problem(const Error& error) {
    Problem problem;
    problem.status = status_of(error.kind);
    if (problem.status != 500) problem.detail = error.message;
    return problem;
}

}  // namespace evalfleet::http
