#include "coordinator/store/volume.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace evalfleet::store {

namespace {

// Of one machine: their locks hold between all of its processes and containers.
constexpr std::array<std::uint64_t, 8> kLocal{
    BTRFS_SUPER_MAGIC, EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
    RAMFS_MAGIC,       TMPFS_MAGIC,      XFS_SUPER_MAGIC,  0x2FC12FC1 /* ZFS */};

}  // namespace

bool blocking_may_be_shared(const std::filesystem::path& folder) {
    struct statfs about {};
    if (::statfs(folder.c_str(), &about) != 0) return true;
    const auto type = static_cast<std::uint64_t>(about.f_type);
    return std::find(kLocal.begin(), kLocal.end(), type) == kLocal.end();
}

}  // namespace evalfleet::store
