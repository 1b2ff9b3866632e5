#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::json {

/// How a `Writer` lays out what it writes.
enum class Layout {
    compact,  ///< no white space at all: records, wire messages
    pretty,   ///< one member a line, two spaces a level: files that people open
};

/// The same data must give the same bytes everywhere: on the wire, in records, in hashes. Writer is
/// the one place that decides those bytes. It appends JSON to a string of the caller's, in the
/// order of the calls, with minimal escaping and canonical numbers (see number.hpp).
///
///     json::Writer writer(out);
///     writer.begin_object().member("id", id).member("latency_ms", latency).end_object();
///
/// The calls must form well-formed JSON (a key before each value of an object, every begin with its
/// end); Writer does not check that. `out` must outlive it.
class Writer {
  public:
    explicit Writer(std::string& out, Layout layout = Layout::compact)
        : out_(out), pretty_(layout == Layout::pretty) {}

    Writer& begin_object() { return open('{'); }
    Writer& end_object() { return close('}'); }
    Writer& begin_array() { return open('['); }
    Writer& end_array() { return close(']'); }

    Writer& key(std::string_view name);

    Writer& value(std::string_view text);
    Writer& value(const std::string& text) { return value(std::string_view(text)); }
    Writer& value(const char* text) { return value(std::string_view(text)); }
    Writer& value(double number);  ///< throws std::logic_error for NaN and infinities
    Writer& value(std::same_as<bool> auto flag) { return literal(flag ? "true" : "false"); }
    Writer& value(std::signed_integral auto number) { return integer(std::int64_t{number}); }
    Writer& value(std::unsigned_integral auto number) requires(
        !std::same_as<decltype(number), bool>) {
        return integer(std::uint64_t{number});
    }
    Writer& value(std::nullptr_t) { return null(); }
    template <class T>
    Writer& value(const std::optional<T>& item) {
        return item ? value(*item) : null();
    }
    Writer& null() { return literal("null"); }

    /// Inserts text that is one JSON value already; it is copied as it is.
    Writer& raw(std::string_view json) { return literal(json); }

    template <class T>
    Writer& member(std::string_view name, const T& item) {
        key(name);
        return value(item);
    }

  private:
    Writer& open(char bracket);
    Writer& close(char bracket);
    Writer& literal(std::string_view text);
    Writer& integer(std::int64_t number);
    Writer& integer(std::uint64_t number);
    void separate();
    void new_line();

    std::string& out_;
    int depth_ = 0;
    bool pretty_;
    bool after_value_ = false;  ///< the next key or element needs a comma
    bool after_key_ = false;    ///< the next value belongs to a key already written
    bool just_opened_ = false;  ///< nothing was written since the last begin
};

}  // namespace evalfleet::json
