#include "cli/report_error.hpp"

#include "common/redaction/redactor.hpp"

#include <cstdio>

namespace evalfleet::cli {

void report_error(const Error& error) {
    const redaction::Redactor redactor({}, {.pii = false});
    std::fprintf(stderr, "%s\n", redactor.redact(error.message).text.c_str());
}

}  // namespace evalfleet::cli
