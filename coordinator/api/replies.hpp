#pragma once

#include "common/http/problem.hpp"
#include "common/http/reply.hpp"
#include "common/result/error.hpp"
#include "common/runfile/fault.hpp"

#include <string>
#include <string_view>

namespace evalfleet::api {

/// Every problem of a request that is about one field.
[[nodiscard]] http::Reply field_problem(int status, std::string field, std::string message);

/// 422 with every fault of a run file or data set.
[[nodiscard]] http::Reply faults_problem(std::string_view of, const runfile::FaultList& faults);

[[nodiscard]] http::Reply not_found(std::string_view what, std::string_view id);

[[nodiscard]] http::Reply conflict(std::string detail);

/// The error of an action: `invalid` is 422 and `denied` 409, since those who call are allowed to;
/// a disk that is full is 507. Else as http::to_problem.
[[nodiscard]] http::Reply failure(const Error& error);

}  // namespace evalfleet::api
