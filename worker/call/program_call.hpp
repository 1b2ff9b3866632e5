#pragma once

#include "worker/auth/program.hpp"
#include "worker/call/wire_response.hpp"

#include <boost/asio/awaitable.hpp>

namespace evalfleet::worker {

/// A model call that a program answers: what it prints is the body of a response, with status 200
/// if it ends well. Else the status is 500, and the body what it printed as JSON, or its exit code
/// and what it said on standard error. Errors as those of `run_program`, and `invalid`: it ended
/// well without printing a JSON object.
[[nodiscard]] boost::asio::awaitable<Result<WireResponse>> call_program(
    async::Clock& clock, providers::ProgramConfig program, std::string input,
    async::TimePoint deadline);

}  // namespace evalfleet::worker
