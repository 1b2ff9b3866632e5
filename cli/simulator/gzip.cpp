#include "cli/simulator/gzip.hpp"

#include <boost/crc.hpp>

#include <algorithm>
#include <cstdint>

namespace evalfleet::simulator {

namespace {

void append_number(std::string& out, std::uint32_t number, int bytes) {
    for (int i = 0; i < bytes; ++i)
        out += static_cast<char>((number >> (8 * i)) & 0xFF);
}

}  // namespace

std::string gzip(std::string_view text) {
    constexpr std::size_t kMaxBlock = 65'535;
    boost::crc_32_type checksum;
    checksum.process_bytes(text.data(), text.size());
    const auto size = static_cast<std::uint32_t>(text.size());

    // RFC 1952: magic, deflate, no flags, no time, no extra flags, an unknown system.
    std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    do {
        const std::string_view block = text.substr(0, std::min(kMaxBlock, text.size()));
        text.remove_prefix(block.size());
        out += text.empty() ? '\x01' : '\x00';  // RFC 1951: stored, and whether it is the last
        const auto length = static_cast<std::uint32_t>(block.size());
        append_number(out, length, 2);
        append_number(out, ~length, 2);
        out += block;
    } while (!text.empty());
    append_number(out, checksum.checksum(), 4);
    append_number(out, size, 4);
    return out;
}

}  // namespace evalfleet::simulator
