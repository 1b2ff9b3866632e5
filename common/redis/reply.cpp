#include "common/redis/reply.hpp"

namespace evalfleet::redis {

std::string_view describe(Reply::Type type) noexcept {
    switch (type) {
        case Reply::Type::nil:
            return "nil";
        case Reply::Type::integer:
            return "an integer";
        case Reply::Type::string:
            return "a string";
        case Reply::Type::status:
            return "a status";
        case Reply::Type::error:
            return "an error";
        case Reply::Type::array:
            return "an array";
    }
    return "an unknown type";
}

}  // namespace evalfleet::redis
