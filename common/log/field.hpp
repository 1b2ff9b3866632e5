#pragma once

#include "common/result/error.hpp"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace evalfleet::log {

/// A named value of a log line. Holds views: it lives only as long as the call it is an argument
/// of. Names are snake_case with the unit in them (`waited_ms`); `ts`, `level`, `logger` and `msg`
/// are taken by the line itself.
class Field {
  public:
    using Value = std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool>;

    Field(std::string_view name, std::string_view text) noexcept : name_(name), value_(text) {}
    Field(std::string_view name, const std::string& text) noexcept : name_(name), value_(text) {}
    Field(std::string_view name, const char* text) noexcept
        : name_(name), value_(std::string_view(text)) {}
    Field(std::string_view name, double number) noexcept : name_(name), value_(number) {}
    Field(std::string_view name, std::same_as<bool> auto flag) noexcept
        : name_(name), value_(flag) {}
    Field(std::string_view name, std::signed_integral auto number) noexcept
        : name_(name), value_(std::int64_t{number}) {}
    Field(std::string_view name, std::unsigned_integral auto number) noexcept
        requires(!std::same_as<decltype(number), bool>)
        : name_(name), value_(std::uint64_t{number}) {}
    /// A duration in whole milliseconds.
    Field(std::string_view name, std::chrono::milliseconds duration) noexcept
        : name_(name), value_(std::int64_t{duration.count()}) {}
    Field(std::string_view name, ErrorKind kind) noexcept : name_(name), value_(to_string(kind)) {}
    /// The message of an error.
    Field(std::string_view name, const Error& error) noexcept
        : name_(name), value_(std::string_view(error.message)) {}

    /// A text that is written as it stands, not redacted: for names that the operator or we gave
    /// (of a token, of a run), by which a line is found again. Never for what a client sent.
    [[nodiscard]] static Field plain(std::string_view name, std::string_view text) noexcept {
        Field field(name, text);
        field.is_plain_ = true;
        return field;
    }

    [[nodiscard]] bool is_plain() const noexcept { return is_plain_; }
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] const Value& value() const noexcept { return value_; }

  private:
    std::string_view name_;
    Value value_;
    bool is_plain_ = false;
};

}  // namespace evalfleet::log
