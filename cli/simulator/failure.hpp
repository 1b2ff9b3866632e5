#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::simulator {

/// Why a request gets no answer; a protocol may have words of its own for each.
enum class FailureKind { plain, bad_request, bad_key, requests_limit, tokens_limit, busy, blocked };

/// In whose words errors are told.
enum class ErrorShape { own, fastapi, mistral };

/// What a provider says instead of an answer.
struct Failure {
    int status = 500;
    FailureKind kind = FailureKind::plain;
    std::string message{};  ///< empty: the protocol's own words
    std::string param{};    ///< the request's member that is to blame, where it is one
    std::string code{};     ///< instead of the protocol's own, where it has such a field
    std::optional<std::chrono::milliseconds> retry_after{};
    std::string_view request_id{};
};

}  // namespace evalfleet::simulator
