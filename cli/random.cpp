#include "cli/random.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <vector>

namespace evalfleet::cli {

Result<std::string> random_hex(std::size_t bytes) {
    std::vector<unsigned char> drawn(bytes);
    ssize_t count = 0;
    do {
        count = ::getrandom(drawn.data(), drawn.size(), 0);
    } while (count < 0 && errno == EINTR);
    if (count != static_cast<ssize_t>(bytes))
        return Error{ErrorKind::internal, "the system gave no random bytes"};
    std::string hex;
    for (const unsigned char byte : drawn)
        hex += fmt::format("{:02x}", byte);
    return hex;
}

}  // namespace evalfleet::cli
