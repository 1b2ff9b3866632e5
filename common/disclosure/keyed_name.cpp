#include "common/disclosure/keyed_name.hpp"

namespace evalfleet::disclosure {

redaction::Redacted redact_keyed_name(const redaction::Redactor& redactor, const std::string& key,
                                      const std::string& value) {
    redaction::Redacted alone = redactor.redact_name(value);
    if (alone.text != value) return alone;
    const std::string head = key + "=";
    redaction::Redacted together = redactor.redact_name(head + value);
    if (!together.text.starts_with(head)) return alone;
    together.text.erase(0, head.size());
    return together;
}

}  // namespace evalfleet::disclosure
