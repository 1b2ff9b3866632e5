#include "coordinator/store/crc32c.hpp"

#include <boost/crc.hpp>

#include <cstring>

namespace evalfleet::store {

std::uint32_t portable_crc32c(std::string_view bytes) noexcept {
    boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

#if defined(__x86_64__)

namespace {

__attribute__((target("sse4.2"))) std::uint32_t quick_crc32c(std::string_view bytes) noexcept {
    std::uint64_t crc = 0xFFFFFFFF;
    for (; bytes.size() >= sizeof(std::uint64_t); bytes.remove_prefix(sizeof(std::uint64_t))) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), sizeof(word));
        crc = __builtin_ia32_crc32di(crc, word);
    }
    auto rest = static_cast<std::uint32_t>(crc);
    for (const char byte : bytes)
        rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(byte));
    return ~rest;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) noexcept {
    static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
    return has_instruction ? quick_crc32c(bytes) : portable_crc32c(bytes);
}

#else

std::uint32_t crc32c(std::string_view bytes) noexcept {
    return portable_crc32c(bytes);
}

#endif

}  // namespace evalfleet::store
