#pragma once

#include <cstdint>
#include <string_view>

namespace evalfleet::store {

/// CRC-32C (Castagnoli), by the processor's own instruction where it has one.
[[nodiscard]] std::uint32_t crc32c(std::string_view bytes) noexcept;

/// The same without that instruction.
[[nodiscard]] std::uint32_t portable_crc32c(std::string_view bytes) noexcept;

}  // namespace evalfleet::store
