#pragma once

#include "cli/exit_code.hpp"
#include "cli/report_error.hpp"
#include "common/result/result.hpp"

#include <functional>

namespace evalfleet::cli {

/// What a command line runs for a command: calls `run(options)`, tells its error, and turns the
/// outcome into the exit code. `options` must outlive the command line.
template <class Options>
[[nodiscard]] std::function<int()> action(Result<ExitCode> (*run)(const Options&),
                                          const Options& options) {
    return [run, &options] {
        const Result<ExitCode> outcome = run(options);
        if (!outcome) report_error(outcome.error());
        return static_cast<int>(outcome ? *outcome : exit_code_of(outcome.error()));
    };
}

}  // namespace evalfleet::cli
