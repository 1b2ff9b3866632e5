#pragma once

#include <cstdint>
#include <string_view>

namespace evalfleet::redis {

/// The slot, 0 to 16383, that a cluster keeps a key in: CRC16 of the key, or of its hash tag, the
/// part between the first '{' and the next '}' if that is not empty.
[[nodiscard]] std::uint16_t key_slot(std::string_view key) noexcept;

}  // namespace evalfleet::redis
