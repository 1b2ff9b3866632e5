#pragma once

#include "common/http/headers.hpp"
#include "common/json/document.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What every wire protocol reads out of headers and bodies, tolerantly: a member that is absent,
/// null or of another type is "not reported". All pure.
namespace evalfleet::worker {

/// A body as JSON, with or without a byte order mark. Repeated keys are taken as they come; half a
/// character (see half_characters.hpp) becomes U+FFFD.
[[nodiscard]] Result<json::Document> parse_body(std::string_view body);

/// A text; of a number or bool its spelling.
[[nodiscard]] std::optional<std::string> find_text(std::optional<json::Value> value);

/// A text with something in it: many servers write an empty one where others write null.
[[nodiscard]] std::optional<std::string> find_word(std::optional<json::Value> value);

/// A whole number from 0 to 2^53.
[[nodiscard]] std::optional<std::int64_t> find_count(std::optional<json::Value> value);

/// A number from 0 to a day in milliseconds.
[[nodiscard]] std::optional<double> find_duration(std::optional<json::Value> value);

/// A header's value of sane length (200 characters).
[[nodiscard]] std::optional<std::string> short_header(const http::Headers& headers,
                                                      std::string_view name);

/// A header that is a count of milliseconds from 0 to a day.
[[nodiscard]] std::optional<double> find_milliseconds(const http::Headers& headers,
                                                      std::string_view name);

/// The longest `dur` of all `Server-Timing` headers, in milliseconds.
[[nodiscard]] std::optional<double> find_server_timing(const http::Headers& headers);

/// `retry-after-ms`, else `retry-after`: seconds, with a fraction or without, or a date.
[[nodiscard]] std::optional<std::chrono::milliseconds> find_retry_after(
    const http::Headers& headers, std::chrono::system_clock::time_point now);

/// `x-should-retry: true` or `false`.
[[nodiscard]] std::optional<bool> find_should_retry(const http::Headers& headers);

/// At most 2 KiB of a text, cut between characters of UTF-8; what is no UTF-8 is replaced by '?'.
[[nodiscard]] std::string shorten(std::string_view text);

}  // namespace evalfleet::worker
