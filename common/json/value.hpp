#pragma once

#include "common/result/result.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace simdjson::dom {
class document;
}

namespace evalfleet::json {

enum class Kind { null, boolean, integer, real, string, array, object };

/// "null", "boolean", "integer", "number", "string", "array", "object".
[[nodiscard]] std::string_view to_string(Kind kind) noexcept;

class Array;
class Object;

namespace detail {
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
}  // namespace detail

/// A place in a parsed tree. Two words, copied freely; it and every string_view taken from it are
/// valid as long as the `Document` (or until the next parse of the `Parser`) it came from.
///
/// Typed access gives an error that names the path from the root and what was found there:
/// `gates.min_pass_rate: expected a number, found string "0.8"`. The path is looked up only then;
/// reading that succeeds pays nothing for it.
class Value {
  public:
    [[nodiscard]] Kind kind() const noexcept;
    [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::null; }
    [[nodiscard]] bool is_object() const noexcept { return kind() == Kind::object; }
    [[nodiscard]] bool is_array() const noexcept { return kind() == Kind::array; }
    [[nodiscard]] bool is_string() const noexcept { return kind() == Kind::string; }
    [[nodiscard]] bool is_number() const noexcept {
        return kind() == Kind::integer || kind() == Kind::real;
    }

    [[nodiscard]] Result<bool> as_bool() const;
    /// Whole numbers; a number written as 3.0 counts, up to 2^53.
    [[nodiscard]] Result<std::int64_t> as_int64(
        std::int64_t min = std::numeric_limits<std::int64_t>::min(),
        std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
    [[nodiscard]] Result<std::uint64_t> as_uint64(
        std::uint64_t min = 0, std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) const;
    /// Any number; an integer beyond 2^53 gives the nearest double.
    [[nodiscard]] Result<double> as_double() const;
    [[nodiscard]] Result<std::string_view> as_string() const;
    [[nodiscard]] Result<Array> as_array() const;
    [[nodiscard]] Result<Object> as_object() const;

    /// The same by type: bool, integers (range-checked), double, std::string(_view), Value, Array,
    /// Object, std::optional<T> (null is nullopt) and std::vector<T>.
    template <class T>
    [[nodiscard]] Result<T> as() const;

    /// The member `name`, if this is an object that has it.
    [[nodiscard]] std::optional<Value> find(std::string_view name) const noexcept;
    /// The member `name`, or an error that names it.
    [[nodiscard]] Result<Value> required(std::string_view name) const;
    /// The member `name`, which must be there, as a T.
    template <class T>
    [[nodiscard]] Result<T> get(std::string_view name) const;
    /// The member `name` as a T; nullopt if it is absent or null.
    template <class T>
    [[nodiscard]] Result<std::optional<T>> optional(std::string_view name) const;
    /// The member `name` as a T; `fallback` if it is absent or null.
    template <class T>
    [[nodiscard]] Result<T> get_or(std::string_view name, T fallback) const;

    /// Where this value stands: `models[2].name`, or empty for the root.
    [[nodiscard]] std::string path() const;
    /// An `invalid` error with this value's path in front of `message`.
    [[nodiscard]] Error error(std::string_view message) const;
    /// "expected <what>, found <kind and value>", with the path in front.
    [[nodiscard]] Error unexpected(std::string_view what) const;
    /// What is here, for an error message: `string "0.8"`, `array of 3`; long strings are cut.
    [[nodiscard]] std::string describe() const;

  private:
    friend class Parser;
    friend class Array;
    friend class Object;
    Value(const simdjson::dom::document* document, std::size_t index) noexcept
        : document_(document), index_(index) {}
    [[nodiscard]] std::size_t after() const noexcept;
    [[nodiscard]] std::string_view text() const noexcept;

    const simdjson::dom::document* document_;
    std::size_t index_;  ///< on simdjson's tape
};

/// The elements of an array, in order.
class Array {
  public:
    class Iterator {
      public:
        using value_type = Value;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;
        Iterator() noexcept = default;
        Value operator*() const noexcept { return {document_, index_}; }
        Iterator& operator++() noexcept;
        void operator++(int) noexcept { ++*this; }
        bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }

      private:
        friend class Array;
        Iterator(const simdjson::dom::document* document, std::size_t index) noexcept
            : document_(document), index_(index) {}
        const simdjson::dom::document* document_ = nullptr;
        std::size_t index_ = 0;
    };

    [[nodiscard]] Iterator begin() const noexcept { return {self_.document_, self_.index_ + 1}; }
    [[nodiscard]] Iterator end() const noexcept { return {self_.document_, self_.after() - 1}; }
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return begin() == end(); }
    [[nodiscard]] Value value() const noexcept { return self_; }

  private:
    friend class Value;
    explicit Array(Value self) noexcept : self_(self) {}
    Value self_;
};

struct Member {
    std::string_view key;
    Value value;
};

/// The members of an object, in the order of the text.
class Object {
  public:
    class Iterator {
      public:
        using value_type = Member;
        using difference_type = std::ptrdiff_t;
        using iterator_concept = std::input_iterator_tag;
        Iterator() noexcept = default;
        Member operator*() const noexcept;
        Iterator& operator++() noexcept;
        void operator++(int) noexcept { ++*this; }
        bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }

      private:
        friend class Object;
        Iterator(const simdjson::dom::document* document, std::size_t index) noexcept
            : document_(document), index_(index) {}
        const simdjson::dom::document* document_ = nullptr;
        std::size_t index_ = 0;
    };

    [[nodiscard]] Iterator begin() const noexcept { return {self_.document_, self_.index_ + 1}; }
    [[nodiscard]] Iterator end() const noexcept { return {self_.document_, self_.after() - 1}; }
    [[nodiscard]] std::size_t size() const noexcept;
    [[nodiscard]] bool empty() const noexcept { return begin() == end(); }
    [[nodiscard]] Value value() const noexcept { return self_; }

  private:
    friend class Value;
    explicit Object(Value self) noexcept : self_(self) {}
    Value self_;
};

template <class T>
Result<T> Value::as() const {
    if constexpr (std::same_as<T, Value>) {
        return *this;
    } else if constexpr (std::same_as<T, Array>) {
        return as_array();
    } else if constexpr (std::same_as<T, Object>) {
        return as_object();
    } else if constexpr (std::same_as<T, bool>) {
        return as_bool();
    } else if constexpr (std::signed_integral<T>) {
        using Limits = std::numeric_limits<T>;
        const auto number = as_int64(Limits::min(), Limits::max());
        if (!number) return number.error();
        return static_cast<T>(*number);
    } else if constexpr (std::unsigned_integral<T>) {
        const auto number = as_uint64(0, std::numeric_limits<T>::max());
        if (!number) return number.error();
        return static_cast<T>(*number);
    } else if constexpr (std::same_as<T, double>) {
        return as_double();
    } else if constexpr (std::same_as<T, std::string_view>) {
        return as_string();
    } else if constexpr (std::same_as<T, std::string>) {
        const auto text = as_string();
        if (!text) return text.error();
        return std::string(*text);
    } else if constexpr (detail::is_optional<T>) {
        if (is_null()) return T{};
        auto item = as<typename T::value_type>();
        if (!item) return item.error();
        return T{*std::move(item)};
    } else {
        static_assert(detail::is_vector<T>, "no JSON reading for this type");
        const auto items = as_array();
        if (!items) return items.error();
        T all;
        all.reserve(items->size());
        for (const Value element : *items) {
            auto item = element.as<typename T::value_type>();
            if (!item) return item.error();
            all.push_back(*std::move(item));
        }
        return all;
    }
}

template <class T>
Result<T> Value::get(std::string_view name) const {
    const auto member = required(name);
    if (!member) return member.error();
    return member->template as<T>();
}

template <class T>
Result<std::optional<T>> Value::optional(std::string_view name) const {
    if (!is_object()) return unexpected("an object");
    const auto member = find(name);
    if (!member || member->is_null()) return std::optional<T>{};
    auto item = member->template as<T>();
    if (!item) return item.error();
    return std::optional<T>{*std::move(item)};
}

template <class T>
Result<T> Value::get_or(std::string_view name, T fallback) const {
    auto item = optional<T>(name);
    if (!item) return item.error();
    return *item ? **std::move(item) : std::move(fallback);
}

}  // namespace evalfleet::json
