#include "common/redis/server_error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace evalfleet::redis {

namespace {

constexpr std::size_t kMaxMessageBytes = 512;

constexpr std::array<std::string_view, 9> kNotNow{"LOADING",    "MASTERDOWN", "READONLY",
                                                  "TRYAGAIN",   "BUSY",       "CLUSTERDOWN",
                                                  "NOREPLICAS", "UNBLOCKED",  "MISCONF"};
constexpr std::array<std::string_view, 4> kDenied{"NOAUTH", "WRONGPASS", "NOPERM", "DENIED"};
constexpr std::array<std::string_view, 2> kOtherNode{"MOVED", "ASK"};

std::string_view code_of(std::string_view text) noexcept {
    return text.substr(0, text.find(' '));
}

template <std::size_t size>
bool is_one_of(const std::array<std::string_view, size>& codes, std::string_view code) {
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

ErrorKind kind_of(std::string_view text) {
    const std::string_view code = code_of(text);
    if (is_one_of(kNotNow, code) || is_one_of(kOtherNode, code)) return ErrorKind::transient;
    if (is_one_of(kDenied, code)) return ErrorKind::denied;
    if (code == "OOM") return ErrorKind::too_large;
    if (text.starts_with("ERR max number of clients")) return ErrorKind::transient;
    if (text.starts_with("ERR AUTH")) return ErrorKind::denied;
    return ErrorKind::invalid;
}

}  // namespace

Error classify_server_error(std::string_view text) {
    std::string message = "redis: ";
    message.append(text.substr(0, kMaxMessageBytes));
    if (is_one_of(kOtherNode, code_of(text)))
        message.append(" (a cluster, whose nodes are found with redis+cluster://)");
    return Error{kind_of(text), std::move(message)};
}

bool says_master_moved(std::string_view text) noexcept {
    return code_of(text) == "READONLY" || code_of(text) == "MOVED";
}

bool is_function_missing(const Error& error) noexcept {
    return error.message == "redis: ERR Function not found";
}

bool is_out_of_memory(const Error& error) noexcept {
    return error.kind == ErrorKind::too_large && error.message.starts_with("redis: OOM ");
}

}  // namespace evalfleet::redis
