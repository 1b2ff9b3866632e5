#include "common/files/full_disk.hpp"

#include <array>
#include <cerrno>
#include <cstring>

namespace evalfleet::files {

bool tells_of_full_disk(const Error& error) {
    // Both kinds of error end with the system's own words.
    for (const int code : std::array{ENOSPC, EDQUOT, EFBIG})
        if (error.message.ends_with(std::strerror(code))) return true;
    return false;
}

}  // namespace evalfleet::files
