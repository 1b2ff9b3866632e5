#include "common/json/value.hpp"

#include "common/json/escape.hpp"
#include "common/json/number.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>

namespace evalfleet::json {
namespace {

// A parsed tree is simdjson's tape: values in document order, where a container's first word knows
// the index behind its last one. Walking it through tape_ref keeps a Value at two words and lets
// the path of a value be found from its index alone.
using Tape = simdjson::internal::tape_ref;
using simdjson::internal::tape_type;

constexpr std::size_t kRootIndex = 1;
constexpr std::size_t kMaxShown = 60;
constexpr double kMaxExactInteger = 9007199254740992.0;  // 2^53

bool is_identifier(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    if (text.size() <= kMaxShown) {
        append_escaped(out, text);
        return out + '"';
    }
    std::size_t cut = kMaxShown;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80)
        --cut;
    append_escaped(out, text.substr(0, cut));
    return out + "...\"";
}

void append_key(std::string& path, std::string_view key) {
    if (!is_identifier(key)) {
        path += fmt::format("[{}]", quoted(key));
        return;
    }
    if (!path.empty()) path += '.';
    path += key;
}

template <class Integer>
std::string out_of_range(Integer min, Integer max) {
    using Limits = std::numeric_limits<Integer>;
    if (max == Limits::max()) return fmt::format("an integer of at least {}", min);
    if (min == Limits::min() && min != 0) return fmt::format("an integer of at most {}", max);
    return fmt::format("an integer from {} to {}", min, max);
}

}  // namespace

std::string_view to_string(Kind kind) noexcept {
    switch (kind) {
        case Kind::null:
            return "null";
        case Kind::boolean:
            return "boolean";
        case Kind::integer:
            return "integer";
        case Kind::real:
            return "number";
        case Kind::string:
            return "string";
        case Kind::array:
            return "array";
        case Kind::object:
            return "object";
    }
    return "unknown";
}

Kind Value::kind() const noexcept {
    switch (Tape(document_, index_).tape_ref_type()) {
        case tape_type::START_ARRAY:
            return Kind::array;
        case tape_type::START_OBJECT:
            return Kind::object;
        case tape_type::STRING:
            return Kind::string;
        case tape_type::INT64:
        case tape_type::UINT64:
            return Kind::integer;
        case tape_type::DOUBLE:
            return Kind::real;
        case tape_type::TRUE_VALUE:
        case tape_type::FALSE_VALUE:
            return Kind::boolean;
        default:
            return Kind::null;
    }
}

std::size_t Value::after() const noexcept {
    return Tape(document_, index_).after_element();
}

std::string_view Value::text() const noexcept {
    return Tape(document_, index_).get_string_view();
}

Result<bool> Value::as_bool() const {
    if (kind() != Kind::boolean) return unexpected("true or false");
    return Tape(document_, index_).is_true();
}

Result<std::int64_t> Value::as_int64(std::int64_t min, std::int64_t max) const {
    const Tape tape(document_, index_);
    std::int64_t number = 0;
    if (tape.is_int64()) {
        number = tape.next_tape_value<std::int64_t>();
    } else if (tape.is_double() && std::fabs(tape.next_tape_value<double>()) <= kMaxExactInteger &&
               std::trunc(tape.next_tape_value<double>()) == tape.next_tape_value<double>()) {
        number = static_cast<std::int64_t>(tape.next_tape_value<double>());
    } else if (tape.is_uint64()) {  // simdjson keeps what fits in an int64 as one
        return unexpected(fmt::format("an integer of at most {}", max));
    } else {
        return unexpected("an integer");
    }
    if (number < min || number > max) return unexpected(out_of_range(min, max));
    return number;
}

Result<std::uint64_t> Value::as_uint64(std::uint64_t min, std::uint64_t max) const {
    const Tape tape(document_, index_);
    std::uint64_t number = 0;
    if (tape.is_uint64()) {
        number = tape.next_tape_value<std::uint64_t>();
    } else {
        const auto small = as_int64();
        if (!small) return small.error();
        if (*small < 0) return unexpected(out_of_range(min, max));
        number = static_cast<std::uint64_t>(*small);
    }
    if (number < min || number > max) return unexpected(out_of_range(min, max));
    return number;
}

Result<double> Value::as_double() const {
    const Tape tape(document_, index_);
    if (tape.is_double()) return tape.next_tape_value<double>();
    if (tape.is_int64()) return static_cast<double>(tape.next_tape_value<std::int64_t>());
    if (tape.is_uint64()) return static_cast<double>(tape.next_tape_value<std::uint64_t>());
    return unexpected("a number");
}

Result<std::string_view> Value::as_string() const {
    if (kind() != Kind::string) return unexpected("a string");
    return text();
}

Result<Array> Value::as_array() const {
    if (kind() != Kind::array) return unexpected("an array");
    return Array(*this);
}

Result<Object> Value::as_object() const {
    if (kind() != Kind::object) return unexpected("an object");
    return Object(*this);
}

std::optional<Value> Value::find(std::string_view name) const noexcept {
    if (kind() != Kind::object) return std::nullopt;
    for (const auto [key, value] : Object(*this)) {
        if (key == name) return value;
    }
    return std::nullopt;
}

Result<Value> Value::required(std::string_view name) const {
    if (kind() != Kind::object) return unexpected("an object");
    if (const auto member = find(name)) return *member;
    std::string where = path();
    append_key(where, name);
    return Error{ErrorKind::invalid, where + ": is required but missing"};
}

std::string Value::path() const {
    std::string path;
    Value here(document_, kRootIndex);
    while (here.index_ != index_) {
        Value next = here;
        if (here.is_array()) {
            std::size_t position = 0;
            for (const Value element : Array(here)) {
                next = element;
                if (index_ < element.after()) break;
                ++position;
            }
            path += fmt::format("[{}]", position);
        } else {
            std::string_view name;
            for (const auto [key, value] : Object(here)) {
                name = key;
                next = value;
                if (index_ < value.after()) break;
            }
            append_key(path, name);
        }
        here = next;
    }
    return path;
}

Error Value::error(std::string_view message) const {
    const std::string where = path();
    if (where.empty()) return {ErrorKind::invalid, std::string(message)};
    return {ErrorKind::invalid, fmt::format("{}: {}", where, message)};
}

Error Value::unexpected(std::string_view what) const {
    return error(fmt::format("expected {}, found {}", what, describe()));
}

std::string Value::describe() const {
    const Tape tape(document_, index_);
    switch (kind()) {
        case Kind::null:
            return "null";
        case Kind::boolean:
            return tape.is_true() ? "true" : "false";
        case Kind::integer:
            if (tape.is_int64()) return fmt::format("{}", tape.next_tape_value<std::int64_t>());
            return fmt::format("{}", tape.next_tape_value<std::uint64_t>());
        case Kind::real:
            return format_double(tape.next_tape_value<double>());
        case Kind::string:
            return "string " + quoted(text());
        case Kind::array:
            return fmt::format("array of {}", Array(*this).size());
        case Kind::object:
            return fmt::format("object of {}", Object(*this).size());
    }
    return "unknown";
}

Array::Iterator& Array::Iterator::operator++() noexcept {
    index_ = Value(document_, index_).after();
    return *this;
}

std::size_t Array::size() const noexcept {
    return static_cast<std::size_t>(std::ranges::distance(begin(), end()));
}

Member Object::Iterator::operator*() const noexcept {
    return {Tape(document_, index_).get_string_view(), Value(document_, index_ + 1)};
}

Object::Iterator& Object::Iterator::operator++() noexcept {
    index_ = Value(document_, index_ + 1).after();
    return *this;
}

std::size_t Object::size() const noexcept {
    return static_cast<std::size_t>(std::ranges::distance(begin(), end()));
}

}  // namespace evalfleet::json
