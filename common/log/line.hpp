#pragma once

#include "common/log/field.hpp"
#include "common/log/level.hpp"
#include "common/redaction/redactor.hpp"

#include <chrono>
#include <span>
#include <string>
#include <string_view>

namespace evalfleet::log {

/// 2026-11-16T15:55:18.123Z
[[nodiscard]] std::string format_utc(std::chrono::system_clock::time_point time);

/// Lays out one kind of line. Every text that goes in is redacted, unless it is a `Field::plain`;
/// numbers stay as they are, and so do IP addresses in the fields that name an end of a connection
/// (`peer`, `address`, `url`, ...): they are the operator's own, or what an audit needs.
class LineFormatter {
  public:
    LineFormatter(Format format, redaction::Redactor redactor)
        : format_(format),
          redactor_(std::move(redactor)),
          endpoint_redactor_(redactor_.without_ip_addresses()) {}

    /// The part of a line that holds `fields`, to be kept and given to `line` as `bound`.
    [[nodiscard]] std::string fields(std::span<const Field> fields) const;

    /// A line without its line end.
    [[nodiscard]] std::string line(std::chrono::system_clock::time_point time, Level level,
                                   std::string_view logger, std::string_view message,
                                   std::string_view bound, std::span<const Field> fields) const;

  private:
    void append_field(std::string& out, const Field& field) const;
    [[nodiscard]] std::string clean(const Field& field, std::string_view text) const;

    Format format_;
    redaction::Redactor redactor_;
    redaction::Redactor endpoint_redactor_;
};

}  // namespace evalfleet::log
