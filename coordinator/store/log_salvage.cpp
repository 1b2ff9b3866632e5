#include "coordinator/store/log_salvage.hpp"

#include "common/files/atomic_file.hpp"
#include "common/files/folder.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace evalfleet::store {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxPlaces = 1000;
constexpr std::uint64_t kMaxKeptBytes = std::uint64_t{64} * 1024 * 1024;

Status blocking_copy_part(const files::File& log, const LogDamage& place, const fs::path& target) {
    auto out = files::AtomicFile::blocking_create(target);
    if (!out) return out.error();
    PatientReader reader(log);
    std::string piece;
    for (std::uint64_t done = 0; done < place.bytes; done += piece.size()) {
        piece.resize(std::min<std::uint64_t>(kPieceBytes, place.bytes - done));
        if (auto read = reader.blocking_read(place.offset + done, piece); !read) return read;
        if (auto written = out->blocking_append(piece); !written) return written;
    }
    return out->blocking_commit();
}

}  // namespace

Status PatientReader::blocking_read(std::uint64_t offset, std::span<char> buffer) {
    if (file_.blocking_read_at(offset, buffer)) return {};
    while (!buffer.empty()) {
        const std::size_t to_page_end = kPageBytes - offset % kPageBytes;
        const auto page = buffer.first(std::min(buffer.size(), to_page_end));
        if (const auto read = file_.blocking_read_at(offset, page); !read) {
            failure_ = read.error();
            std::fill(page.begin(), page.end(), '\0');
        }
        buffer = buffer.subspan(page.size());
        offset += page.size();
    }
    return {};
}

fs::path damage_folder_of(const fs::path& log) {
    return log.parent_path() / "damaged";
}

Status blocking_keep_damage(const files::File& log, const std::vector<LogDamage>& damage) {
    if (damage.empty()) return {};
    const fs::path folder = damage_folder_of(log.path());
    if (auto made = files::blocking_make_folders(folder); !made) return made;
    std::uint64_t kept = 0;
    for (std::size_t i = 0; i < std::min(damage.size(), kMaxPlaces); ++i) {
        const LogDamage& place = damage[i];
        kept += place.bytes;
        if (kept > kMaxKeptBytes) break;
        const fs::path target =
            folder / (log.path().filename().string() + "-" + std::to_string(place.offset) + "-" +
                      std::to_string(place.bytes));
        std::error_code ignored;
        if (fs::exists(target, ignored)) continue;
        if (auto copied = blocking_copy_part(log, place, target); !copied) return copied;
    }
    return {};
}

}  // namespace evalfleet::store
