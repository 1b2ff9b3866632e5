#include "common/json/escape.hpp"
#include "common/redaction/redactor.hpp"
#include "tests/fuzz/check.hpp"

#include <cstdint>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace evalfleet;
    static const redaction::Redactor everything({"known-secret-17"});
    static const redaction::Redactor secrets_only({"known-secret-17"}, {.pii = false});
    const std::string text(reinterpret_cast<const char*>(data), size);
    for (const redaction::Redactor* redactor : {&everything, &secrets_only}) {
        const redaction::Redacted once = redactor->redact(text);
        fuzz::check(once.text.find("known-secret-17") == std::string::npos,
                    "a known secret is never left");
        fuzz::check(once.steps < 4000 * (size + 100), "the work is linear");
        fuzz::check(!json::is_utf8(text) || json::is_utf8(once.text), "UTF-8 stays UTF-8");
    }
    const std::string name = everything.redact_name(text).text;
    fuzz::check(name == everything.redact_name(text).text, "names are redacted alike");
    return 0;
}
