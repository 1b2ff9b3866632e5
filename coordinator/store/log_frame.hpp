#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::store {

/// What an entry of the durable log says.
enum class EntryKind : std::uint8_t {
    epoch = 1,     ///< a coordinator took over; `number` is its epoch
    record = 2,    ///< a trial's result; `number` is the trial's index, `bytes` the record as JSON
    reopened = 3,  ///< the trial `number` is tried again: its record before this is void
};

/// An entry as it is appended, or as it is found in the file.
struct Entry {
    EntryKind kind = EntryKind::record;
    std::uint64_t number = 0;
    std::string_view bytes;
};

/// The frame of one entry in the file, all numbers little-endian:
///
///     u32 size of what follows the checksum | u32 CRC-32C of it | u8 kind | u64 number | bytes
///
/// A frame that was written in part, or whose bytes changed, is recognised by its checksum.
inline constexpr std::size_t kFrameOverhead = 4 + 4 + 1 + 8;
inline constexpr std::size_t kMaxEntryBytes = std::size_t{64} * 1024 * 1024;

void append_frame(std::string& out, const Entry& entry);

/// A frame at the beginning of `bytes`; none if there is no whole and sound one.
struct Frame {
    Entry entry;       ///< refers to `bytes`
    std::size_t size;  ///< of the whole frame
};
[[nodiscard]] std::optional<Frame> read_frame(std::string_view bytes);

/// Whether a frame may begin with these `kFrameOverhead` bytes: cheap, and true of next to nothing
/// that is no frame. For finding the next one behind damage.
[[nodiscard]] bool may_begin_frame(std::string_view head);

/// How many bytes the frame that begins with these 4 bytes says it has; none if that is absurd.
[[nodiscard]] std::optional<std::size_t> frame_size(std::string_view first_four);

}  // namespace evalfleet::store
