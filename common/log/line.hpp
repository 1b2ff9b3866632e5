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

/// Lays out one kind of line. Every text that goes in is redacted; numbers stay as they are.
class LineFormatter {
  public:
    LineFormatter(Format format, redaction::Redactor redactor)
        : format_(format), redactor_(std::move(redactor)) {}

    /// The part of a line that holds `fields`, to be kept and given to `line` as `bound`.
    [[nodiscard]] std::string fields(std::span<const Field> fields) const;

    /// A line without its line end.
    [[nodiscard]] std::string line(std::chrono::system_clock::time_point time, Level level,
                                   std::string_view logger, std::string_view message,
                                   std::string_view bound, std::span<const Field> fields) const;

  private:
    void append_field(std::string& out, const Field& field) const;

    Format format_;
    redaction::Redactor redactor_;
};

}  // namespace evalfleet::log
