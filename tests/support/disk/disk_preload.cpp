// A disk that fails, for a whole program: loaded with LD_PRELOAD. FAULTY_DISK names a file;
// as long as it is there, it says what fails, in one line:
//
//     read|write|sync|cut ERRNO PART-OF-A-PATH
#include "tests/support/disk/disk_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string>

namespace evalfleet::testing {

namespace {

// Read anew at every call: the test changes it. By calls that are not caught.
std::string read_orders() {
    const char* file = std::getenv("FAULTY_DISK");
    if (file == nullptr) return "";
    const int descriptor = ::open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return "";
    std::array<char, 512> text{};
    const ssize_t size = ::read(descriptor, text.data(), text.size());
    ::close(descriptor);
    return size <= 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
}

std::string path_of(int descriptor) {
    std::array<char, 4096> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
    return size < 0 ? "" : std::string(path.data(), static_cast<std::size_t>(size));
}

const char* name_of(DiskCall call) {
    switch (call) {
        case DiskCall::read:
            return "read";
        case DiskCall::write:
            return "write";
        case DiskCall::sync:
            return "sync";
        case DiskCall::cut:
            return "cut";
    }
    return "";
}

}  // namespace

DiskAnswer decide(DiskCall call, int descriptor) {
    const int before = errno;
    std::istringstream orders(read_orders());
    errno = before;
    std::string wanted;
    std::string part;
    int error = 0;
    if (!(orders >> wanted >> error >> part) || wanted != name_of(call)) return {};
    if (path_of(descriptor).find(part) == std::string::npos) return {};
    return {error};
}

}  // namespace evalfleet::testing
