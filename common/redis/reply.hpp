#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace evalfleet::redis {

/// What a redis-server answered, as a value that owns its memory. Use `as<T>` (convert.hpp) to get
/// something typed out of it.
class Reply {
  public:
    enum class Type {
        nil,      ///< there is no such thing
        integer,  ///< a signed 64-bit number
        string,   ///< any bytes
        status,   ///< a short word such as OK
        error,    ///< the server refused; the text begins with a code such as WRONGTYPE
        array,    ///< replies in order
    };
    using Array = std::vector<Reply>;

    /// Nil.
    Reply() = default;

    static Reply integer(std::int64_t value) { return {Type::integer, value}; }
    static Reply string(std::string bytes) { return {Type::string, std::move(bytes)}; }
    static Reply status(std::string text) { return {Type::status, std::move(text)}; }
    static Reply error(std::string text) { return {Type::error, std::move(text)}; }
    static Reply array(Array items) { return {Type::array, std::move(items)}; }

    [[nodiscard]] Type type() const noexcept { return type_; }
    [[nodiscard]] bool is_nil() const noexcept { return type_ == Type::nil; }
    [[nodiscard]] bool is_error() const noexcept { return type_ == Type::error; }

    /// The following throw std::bad_variant_access if the reply is of another type.
    [[nodiscard]] std::int64_t as_integer() const { return std::get<std::int64_t>(value_); }
    /// Of a string, a status or an error.
    [[nodiscard]] const std::string& text() const { return std::get<std::string>(value_); }
    [[nodiscard]] std::string& text() { return std::get<std::string>(value_); }
    [[nodiscard]] const Array& items() const { return std::get<Array>(value_); }
    [[nodiscard]] Array& items() { return std::get<Array>(value_); }

    friend bool operator==(const Reply&, const Reply&) = default;

  private:
    using Value = std::variant<std::monostate, std::int64_t, std::string, Array>;
    Reply(Type type, Value value) : type_(type), value_(std::move(value)) {}

    Type type_ = Type::nil;
    Value value_;
};

/// With its article, for messages: "an integer".
[[nodiscard]] std::string_view describe(Reply::Type type) noexcept;

}  // namespace evalfleet::redis
