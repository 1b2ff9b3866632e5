#pragma once

#include "common/http/headers.hpp"
#include "common/json/value.hpp"
#include "worker/providers/protocol.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// What providers say when something went wrong, in all the shapes in which they say it. Pure.
namespace evalfleet::worker {

/// An error as it stands in a body.
struct WireError {
    std::string message;
    std::optional<std::string> type;   ///< `rate_limit_error`, `RESOURCE_EXHAUSTED`
    std::optional<std::string> code;   ///< a word or a number
    std::optional<std::string> param;  ///< the request's member that is to blame

    /// Is `word` its type or its code?
    [[nodiscard]] bool is(std::string_view word) const { return type == word || code == word; }
};

/// The error in a body: under `error`, a text or an object; in the first element of an array; or
/// the body itself, if it says `"object": "error"`. Nothing if there is none: no such member, or
/// one that is empty, false or 0.
[[nodiscard]] std::optional<WireError> find_error(json::Value root);

/// What an error that came under a good status amounts to: 429, 529, 400, ...; 500 where it is a
/// word that nobody knows.
[[nodiscard]] int status_of(const WireError& error);

/// The refusal that an error under a good status is.
[[nodiscard]] Refusal to_refusal(const WireError& error);

/// What every protocol reads from a response with an error status, a refused parameter included,
/// and the error in its body.
struct ReadRefusal {
    Refusal refusal;
    std::optional<WireError> error;
};
[[nodiscard]] ReadRefusal read_refusal_body(int status, const http::Headers& headers,
                                            std::string_view body,
                                            std::chrono::system_clock::time_point now);

}  // namespace evalfleet::worker
