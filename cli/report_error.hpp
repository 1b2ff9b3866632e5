#pragma once

#include "common/result/error.hpp"

namespace evalfleet::cli {

/// Prints an error to standard error, starting with the file and line it is about. Messages quote
/// the input, so what looks like a secret is taken out.
void report_error(const Error& error);

}  // namespace evalfleet::cli
