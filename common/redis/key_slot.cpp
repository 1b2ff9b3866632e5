#include "common/redis/key_slot.hpp"

namespace evalfleet::redis {

namespace {

std::string_view tagged_part(std::string_view key) noexcept {
    const std::size_t open = key.find('{');
    if (open == std::string_view::npos) return key;
    const std::size_t close = key.find('}', open + 1);
    if (close == std::string_view::npos || close == open + 1) return key;
    return key.substr(open + 1, close - open - 1);
}

// CRC-16/XMODEM, bit by bit: it is asked once a connect.
std::uint16_t crc16(std::string_view bytes) noexcept {
    constexpr std::uint32_t kPolynomial = 0x1021;
    std::uint32_t crc = 0;
    for (const char byte : bytes) {
        crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(byte)) << 8;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 0x8000) != 0 ? (crc << 1) ^ kPolynomial : crc << 1;
    }
    return static_cast<std::uint16_t>(crc & 0xffff);
}

}  // namespace

std::uint16_t key_slot(std::string_view key) noexcept {
    return static_cast<std::uint16_t>(crc16(tagged_part(key)) % 16384);
}

}  // namespace evalfleet::redis
