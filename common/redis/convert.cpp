#include "common/redis/convert.hpp"

#include "common/redis/server_error.hpp"

#include <fmt/format.h>

namespace evalfleet::redis {

namespace detail {

Error mismatch(std::string_view expected, const Reply& reply) {
    std::string message =
        fmt::format("redis: expected {}, got {}", expected, describe(reply.type()));
    if (reply.type() == Reply::Type::array) message += fmt::format(" of {}", reply.items().size());
    return Error{ErrorKind::invalid, std::move(message)};
}

Error at_element(const Error& error, std::size_t index) {
    return error.within(fmt::format("element {}", index));
}

std::optional<Error> error_in(const Reply& reply) {
    if (!reply.is_error()) return std::nullopt;
    return classify_server_error(reply.text());
}

Result<Reply> Converter<Reply>::convert(Reply reply) {
    return reply;
}

Result<std::int64_t> Converter<std::int64_t>::convert(const Reply& reply) {
    if (reply.type() != Reply::Type::integer) return mismatch("an integer", reply);
    return reply.as_integer();
}

Result<bool> Converter<bool>::convert(const Reply& reply) {
    if (reply.type() == Reply::Type::status && reply.text() == "OK") return true;
    const bool is_integer = reply.type() == Reply::Type::integer;
    if (is_integer && (reply.as_integer() == 0 || reply.as_integer() == 1))
        return reply.as_integer() == 1;
    return mismatch("0, 1 or OK", reply);
}

Result<std::string> Converter<std::string>::convert(Reply reply) {
    if (reply.type() != Reply::Type::string && reply.type() != Reply::Type::status)
        return mismatch("a string", reply);
    return std::move(reply.text());
}

}  // namespace detail

}  // namespace evalfleet::redis
