#pragma once

#include "common/redis/reply.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::redis {

/// Turns a reply into a `T`: bool, std::int64_t, std::string, Reply, and std::optional (nil is
/// empty), std::vector, std::pair and std::map (of a flat array) of those.
///
/// An error reply becomes the error it stands for (server_error.hpp); a reply of another shape is
/// `invalid`, and the message says what came and at which element.
template <class T>
[[nodiscard]] Result<T> as(Reply reply);

namespace detail {

[[nodiscard]] Error mismatch(std::string_view expected, const Reply& reply);
[[nodiscard]] Error at_element(const Error& error, std::size_t index);

template <class T>
struct Converter;

template <>
struct Converter<Reply> {
    static Result<Reply> convert(Reply reply);
};

template <>
struct Converter<std::int64_t> {
    static Result<std::int64_t> convert(const Reply& reply);
};

/// The integers 1 and 0, and the status OK as true.
template <>
struct Converter<bool> {
    static Result<bool> convert(const Reply& reply);
};

/// A string, or the text of a status.
template <>
struct Converter<std::string> {
    static Result<std::string> convert(Reply reply);
};

template <class T>
struct Converter<std::optional<T>> {
    static Result<std::optional<T>> convert(Reply reply) {
        if (reply.is_nil()) return std::optional<T>();
        Result<T> value = as<T>(std::move(reply));
        if (!value) return value.error();
        return std::optional<T>(std::move(*value));
    }
};

template <class T>
struct Converter<std::vector<T>> {
    static Result<std::vector<T>> convert(Reply reply) {
        if (reply.type() != Reply::Type::array) return mismatch("an array", reply);
        std::vector<T> values;
        values.reserve(reply.items().size());
        for (Reply& item : reply.items()) {
            Result<T> value = as<T>(std::move(item));
            if (!value) return at_element(value.error(), values.size());
            values.push_back(std::move(*value));
        }
        return values;
    }
};

template <class First, class Second>
struct Converter<std::pair<First, Second>> {
    static Result<std::pair<First, Second>> convert(Reply reply) {
        if (reply.type() != Reply::Type::array || reply.items().size() != 2)
            return mismatch("an array of two", reply);
        Result<First> first = as<First>(std::move(reply.items()[0]));
        if (!first) return at_element(first.error(), 0);
        Result<Second> second = as<Second>(std::move(reply.items()[1]));
        if (!second) return at_element(second.error(), 1);
        return std::pair<First, Second>(std::move(*first), std::move(*second));
    }
};

template <class Key, class Value>
struct Converter<std::map<Key, Value>> {
    static Result<std::map<Key, Value>> convert(Reply reply) {
        if (reply.type() != Reply::Type::array || reply.items().size() % 2 != 0)
            return mismatch("an array of keys and values", reply);
        std::map<Key, Value> values;
        for (std::size_t i = 0; i < reply.items().size(); i += 2) {
            Result<Key> key = as<Key>(std::move(reply.items()[i]));
            if (!key) return at_element(key.error(), i);
            Result<Value> value = as<Value>(std::move(reply.items()[i + 1]));
            if (!value) return at_element(value.error(), i + 1);
            values.insert_or_assign(std::move(*key), std::move(*value));
        }
        return values;
    }
};

/// The error of an error reply, if it is one.
[[nodiscard]] std::optional<Error> error_in(const Reply& reply);

}  // namespace detail

template <class T>
Result<T> as(Reply reply) {
    if (std::optional<Error> error = detail::error_in(reply)) return std::move(*error);
    return detail::Converter<T>::convert(std::move(reply));
}

}  // namespace evalfleet::redis
