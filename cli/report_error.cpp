#include "cli/report_error.hpp"

#include "common/redaction/redactor.hpp"

#include <cstdio>

namespace evalfleet::cli {

void report_error(const Error& error) {
    // The message may quote a data set. Addresses are those that the user typed.
    const redaction::Redactor redactor({}, {.ip_addresses = false});
    std::fprintf(stderr, "%s\n", redactor.redact(error.message).text.c_str());
}

}  // namespace evalfleet::cli
