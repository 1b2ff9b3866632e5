#pragma once

#include "common/result/error.hpp"

namespace evalfleet::cli {

/// What the program's exit code tells a script.
enum class ExitCode {
    done = 0,         ///< done, and release-ready where there is a verdict
    failed = 1,       ///< done, but a gate, a comparison or a verification failed
    wrong_input = 2,  ///< the input is wrong; nothing was started
    unfinished = 3,  ///< it could not finish, measure or tell: a service failed, or too few samples
    interrupted = 130,
};

/// The exit code of a command that ended with an error.
[[nodiscard]] ExitCode exit_code_of(const Error& error) noexcept;

}  // namespace evalfleet::cli
