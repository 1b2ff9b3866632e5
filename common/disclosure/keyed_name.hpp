#pragma once

#include "common/redaction/redactor.hpp"

#include <string>

namespace evalfleet::disclosure {

/// The value of a tag or label, as `redact_name` has it. Its key may say what it is:
/// {"password": "hunter2"}, {"phone": "4155552671"}.
[[nodiscard]] redaction::Redacted redact_keyed_name(const redaction::Redactor& redactor,
                                                    const std::string& key,
                                                    const std::string& value);

}  // namespace evalfleet::disclosure
