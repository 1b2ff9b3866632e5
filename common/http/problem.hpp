#pragma once

#include "common/http/reply.hpp"
#include "common/result/error.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::http {

/// One field of a request that is at fault.
struct FieldFault {
    std::string field{};   ///< a path into the body, or the name of a parameter or header
    std::size_t line = 0;  ///< of the body, from 1; 0: not known
    std::string message{};
};

/// An error as RFC 9457 tells it to an API's user.
struct Problem {
    int status = 500;
    std::string title{};   ///< empty: the status's own name
    std::string detail{};  ///< what went wrong this time; for people
    std::string type = "about:blank";
    std::string instance{};                                    ///< empty: left out
    std::vector<std::pair<std::string, std::string>> extra{};  ///< further members, such as `field`
    std::vector<FieldFault> errors{};                          ///< single fields; empty: left out

    [[nodiscard]] std::string to_json() const;
    [[nodiscard]] Reply to_reply() const;
};

/// The status that tells a failure of that kind: 400 invalid, 403 denied, 404 not_found, 408
/// timeout, 413 too_large, 429 rate_limited, 503 transient and cancelled, else 500.
[[nodiscard]] int status_of(ErrorKind kind) noexcept;

/// The error's message is shown, except where it is ours and not the caller's (500): that stays
/// inside.
[[nodiscard]] Problem to_problem(const Error& error);

/// "Not Found" for 404.
[[nodiscard]] std::string reason_phrase(int status);

}  // namespace evalfleet::http
