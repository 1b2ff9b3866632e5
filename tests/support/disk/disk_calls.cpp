#include "tests/support/disk/disk_calls.hpp"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

using evalfleet::testing::decide;
using evalfleet::testing::DiskAnswer;
using evalfleet::testing::DiskCall;

namespace {

// True if the call fails; errno says how.
bool fails(const DiskAnswer& answer) {
    if (answer.error == 0) return false;
    errno = answer.error;
    return true;
}

}  // namespace

void evalfleet::testing::catch_disk_calls() {}

extern "C" {

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
    const DiskAnswer answer = decide(DiskCall::write, descriptor);
    if (fails(answer)) return -1;
    return ::syscall(SYS_pwrite64, descriptor, bytes, std::min(size, answer.at_most), offset);
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
    if (fails(decide(DiskCall::read, descriptor))) return -1;
    return ::syscall(SYS_pread64, descriptor, bytes, size, offset);
}

int fsync(int descriptor) {
    if (fails(decide(DiskCall::sync, descriptor))) return -1;
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

int fdatasync(int descriptor) {
    if (fails(decide(DiskCall::sync, descriptor))) return -1;
    return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

int ftruncate(int descriptor, off_t size) noexcept {
    if (fails(decide(DiskCall::cut, descriptor))) return -1;
    return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size));
}

}  // extern "C"
