#include "common/files/folder.hpp"

#include "common/files/atomic_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace evalfleet::files {

namespace fs = std::filesystem;

Status blocking_make_folders(const fs::path& folder) {
    std::error_code code;
    if (folder.empty() || fs::is_directory(folder, code)) return {};
    const fs::path parent = folder.parent_path();
    // "a/" has the parent "a".
    if (!folder.has_filename()) return blocking_make_folders(parent);
    if (auto made = blocking_make_folders(parent); !made) return made;
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST)
        return last_system_error("cannot be made", folder);
    if (!fs::is_directory(folder, code))
        return Error{ErrorKind::internal, folder.string() + ": is not a folder"};
    return blocking_sync_folder(parent.empty() ? fs::path(".") : parent);
}

}  // namespace evalfleet::files
