#include "common/json/writer.hpp"

#include "common/json/escape.hpp"
#include "common/json/number.hpp"

#include <charconv>

namespace evalfleet::json {

void Writer::new_line() {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
}

/// Writes what stands between the last token and a key or value that follows.
void Writer::separate() {
    if (after_key_) {
        after_key_ = false;
        return;
    }
    if (after_value_) out_ += ',';
    if (pretty_ && depth_ > 0) new_line();
    just_opened_ = false;
}

Writer& Writer::open(char bracket) {
    separate();
    out_ += bracket;
    ++depth_;
    after_value_ = false;
    just_opened_ = true;
    return *this;
}

Writer& Writer::close(char bracket) {
    --depth_;
    if (pretty_ && !just_opened_) new_line();
    out_ += bracket;
    after_value_ = true;
    just_opened_ = false;
    return *this;
}

Writer& Writer::key(std::string_view name) {
    separate();
    out_ += '"';
    append_escaped(out_, name);
    out_ += pretty_ ? "\": " : "\":";
    after_key_ = true;
    return *this;
}

Writer& Writer::literal(std::string_view text) {
    separate();
    out_ += text;
    after_value_ = true;
    return *this;
}

Writer& Writer::value(std::string_view text) {
    separate();
    out_ += '"';
    append_escaped(out_, text);
    out_ += '"';
    after_value_ = true;
    return *this;
}

Writer& Writer::value(double number) {
    char buffer[kMaxDoubleChars];
    return literal({buffer, static_cast<std::size_t>(write_double(buffer, number) - buffer)});
}

Writer& Writer::integer(std::int64_t number) {
    char buffer[24];
    const char* const end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return literal({buffer, static_cast<std::size_t>(end - buffer)});
}

Writer& Writer::integer(std::uint64_t number) {
    char buffer[24];
    const char* const end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
    return literal({buffer, static_cast<std::size_t>(end - buffer)});
}

}  // namespace evalfleet::json
