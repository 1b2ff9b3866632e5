#pragma once

#include "common/async/clock.hpp"
#include "common/http/message.hpp"
#include "common/providers/auth_config.hpp"
#include "common/result/result.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>

namespace evalfleet::worker {

/// What a program printed, and when.
struct ProgramOutput {
    int exit_code = 0;      ///< of one that a signal ended: 128 and its number
    std::string out{};      ///< standard output
    std::string err{};      ///< the beginning of standard error
    http::Timings timings;  ///< as of a call: started, input written, first and last byte
};

struct ProgramLimits {
    async::TimePoint deadline = async::kNever;
    std::size_t max_output_bytes = 16 * 1024 * 1024;
};

/// Runs a program of the operator's: `input` on its standard input, then its end. It gets PATH,
/// HOME, LANG, TMPDIR and the variables that its configuration names, nothing else; no shell sees
/// its arguments. It is the leader of a group of processes, which is killed when it ended, or if it
/// does not end in time, prints too much, or nobody waits any more. Processes that it leaves behind
/// elsewhere are not waited for, though they may hold its output open.
///
/// Runs on the caller's executor, a strand or a single thread. Errors: `not_found`, `denied` or
/// `internal` (it cannot be started), `timeout`, `too_large`. Cancelled: throws operation_aborted.
[[nodiscard]] boost::asio::awaitable<Result<ProgramOutput>> run_program(
    async::Clock& clock, providers::ProgramConfig program, std::string input, ProgramLimits limits);

}  // namespace evalfleet::worker
