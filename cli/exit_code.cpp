#include "cli/exit_code.hpp"

namespace evalfleet::cli {

ExitCode exit_code_of(const Error& error) noexcept {
    switch (error.kind) {
        case ErrorKind::invalid:
        case ErrorKind::too_large:
        case ErrorKind::not_found:
        case ErrorKind::denied:
            return ExitCode::wrong_input;
        case ErrorKind::cancelled:
            return ExitCode::interrupted;
        default:
            return ExitCode::unfinished;
    }
}

}  // namespace evalfleet::cli
