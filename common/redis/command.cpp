#include "common/redis/command.hpp"

#include <hiredis/hiredis.h>

namespace evalfleet::redis {

Command& Command::add(std::string_view argument) {
    bytes_.append(argument);
    lengths_.push_back(argument.size());
    return *this;
}

Status Command::append_to(std::string& wire) const {
    if (lengths_.size() > kMaxArguments)
        return Error{ErrorKind::too_large, "a Redis command has too many arguments"};

    std::vector<const char*> arguments;
    arguments.reserve(lengths_.size());
    const char* next = bytes_.data();
    for (const std::size_t length : lengths_) {
        arguments.push_back(next);
        next += length;
    }

    char* encoded = nullptr;
    const auto size = redisFormatCommandArgv(&encoded, static_cast<int>(arguments.size()),
                                             arguments.data(), lengths_.data());
    if (size < 0) return Error{ErrorKind::too_large, "a Redis command could not be encoded"};
    try {
        wire.append(encoded, static_cast<std::size_t>(size));
    } catch (...) {
        redisFreeCommand(encoded);
        throw;
    }
    redisFreeCommand(encoded);
    return {};
}

}  // namespace evalfleet::redis
