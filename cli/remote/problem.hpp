#pragma once

#include "common/http/message.hpp"
#include "common/http/problem.hpp"
#include "common/result/error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::remote {

/// What a coordinator said when it did not do what it was asked.
struct Refusal {
    int status = 0;
    std::string detail{};                    ///< for people; never empty
    std::vector<http::FieldFault> faults{};  ///< single fields; at most 20
    std::optional<std::chrono::milliseconds> retry_after{};
};

/// The `errors` of a coordinator's answer, at most 20; none if it has none that can be read. Pure.
[[nodiscard]] std::vector<http::FieldFault> read_faults(std::string_view body);

/// Reads problem JSON (RFC 9457). Whatever came instead of it, as from a proxy in between, gives a
/// refusal that tells the status. Pure.
[[nodiscard]] Refusal read_refusal(int status, const http::Headers& headers, std::string_view body);

/// The refusal as an error: what it means for an exit code, and a message with a line for each
/// field. `role`: the least role that the call needs, for who lacks it.
[[nodiscard]] Error to_error(const Refusal& refusal, std::string_view role);

/// The error of a call that got no answer, with what to do about it. Whatever the reason, nothing
/// is wrong with the input.
[[nodiscard]] Error unreachable(const Error& error);

}  // namespace evalfleet::remote
