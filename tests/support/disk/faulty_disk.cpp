#include "tests/support/disk/faulty_disk.hpp"

#include <unistd.h>

#include <array>
#include <mutex>

namespace evalfleet::testing {

namespace {

std::mutex mutex;  // guards what follows
bool is_on = false;
std::vector<FaultyDisk::Fault> faults;
std::vector<std::string> synced_paths;

std::string path_of(int descriptor) {
    std::array<char, 4096> path{};
    const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
    const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
    return size < 0 ? "" : std::string(path.data(), static_cast<std::size_t>(size));
}

bool strikes(FaultyDisk::Fault& fault, DiskCall call, const std::string& path) {
    if (fault.call != call || path.find(fault.path_part) == std::string::npos) return false;
    if (fault.skip > 0) {
        --fault.skip;
        return false;
    }
    if (fault.times == 0) return false;
    --fault.times;
    return true;
}

}  // namespace

DiskAnswer decide(DiskCall call, int descriptor) {
    const std::scoped_lock lock(mutex);
    if (!is_on) return {};
    const std::string path = path_of(descriptor);
    for (FaultyDisk::Fault& fault : faults)
        if (strikes(fault, call, path)) return {fault.error, fault.at_most};
    if (call == DiskCall::sync) synced_paths.push_back(path);
    return {};
}

FaultyDisk::FaultyDisk() {
    catch_disk_calls();
    const std::scoped_lock lock(mutex);
    is_on = true;
    faults.clear();
    synced_paths.clear();
}

FaultyDisk::~FaultyDisk() {
    const std::scoped_lock lock(mutex);
    is_on = false;
}

void FaultyDisk::add(Fault fault) {
    const std::scoped_lock lock(mutex);
    faults.push_back(std::move(fault));
}

std::vector<std::string> FaultyDisk::synced() const {
    const std::scoped_lock lock(mutex);
    return synced_paths;
}

}  // namespace evalfleet::testing
