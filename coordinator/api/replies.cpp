#include "coordinator/api/replies.hpp"

#include "common/files/full_disk.hpp"

#include <utility>

namespace evalfleet::api {

http::Reply field_problem(int status, std::string field, std::string message) {
    http::Problem problem{.status = status, .detail = field + ": " + message};
    problem.errors.push_back({std::move(field), 0, std::move(message)});
    return problem.to_reply();
}

http::Reply faults_problem(std::string_view of, const runfile::FaultList& faults) {
    http::Problem problem{.status = 422};
    problem.detail = std::to_string(faults.total()) +
                     (faults.total() == 1 ? " fault in the " : " faults in the ") + std::string(of);
    for (const runfile::Fault& fault : faults.kept())
        problem.errors.push_back({fault.field, fault.line, fault.message});
    // For readers that show the detail alone.
    if (!faults.kept().empty()) {
        const runfile::Fault& first = faults.kept().front();
        problem.detail += ": ";
        if (first.line > 0) problem.detail += "line " + std::to_string(first.line) + ": ";
        if (!first.field.empty()) problem.detail += first.field + ": ";
        problem.detail += first.message;
    }
    return problem.to_reply();
}

http::Reply not_found(std::string_view what, std::string_view id) {
    // What was asked for may be long, and is somebody else's text.
    std::string detail = "there is no " + std::string(what);
    const bool is_plain = id.size() <= 64 && id.find_first_of("\r\n\"") == std::string_view::npos;
    if (is_plain) detail += " '" + std::string(id) + "'";
    return http::Problem{.status = 404, .detail = std::move(detail)}.to_reply();
}

http::Reply conflict(std::string detail) {
    return http::Problem{.status = 409, .detail = std::move(detail)}.to_reply();
}

http::Reply failure(const Error& error) {
    http::Problem problem = http::to_problem(error);
    if (error.kind == ErrorKind::invalid) problem.status = 422;
    if (error.kind == ErrorKind::denied) problem.status = 409;
    if (files::tells_of_full_disk(error)) {
        problem.status = 507;
        problem.detail = "the coordinator's disk is full";
    }
    return problem.to_reply();
}

}  // namespace evalfleet::api
