#include "coordinator/store/log_frame.hpp"

#include "coordinator/store/crc32c.hpp"

#include <boost/endian/conversion.hpp>

#include <stdexcept>

namespace evalfleet::store {

namespace {

constexpr std::size_t kPrefixBytes = 8;  // size and checksum
constexpr std::size_t kHeadBytes = 9;    // kind and number

// No run has as many trials, no log as many epochs.
constexpr std::uint64_t kMaxNumber = std::uint64_t{1} << 48;

template <class Number>
void put(std::string& out, Number number) {
    unsigned char raw[sizeof(Number)];
    boost::endian::endian_store<Number, sizeof(Number), boost::endian::order::little>(raw, number);
    for (const unsigned char byte : raw)
        out.push_back(static_cast<char>(byte));
}

template <class Number>
Number get(std::string_view bytes) {
    unsigned char raw[sizeof(Number)];
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        raw[i] = static_cast<unsigned char>(bytes[i]);
    return boost::endian::endian_load<Number, sizeof(Number), boost::endian::order::little>(raw);
}

bool is_known(std::uint8_t kind) {
    return kind >= 1 && kind <= 3;
}

}  // namespace

void append_frame(std::string& out, const Entry& entry) {
    if (entry.bytes.size() > kMaxEntryBytes) throw std::logic_error("log entry too large");
    const std::size_t begin = out.size();
    put(out, static_cast<std::uint32_t>(kHeadBytes + entry.bytes.size()));
    put(out, std::uint32_t{0});
    out.push_back(static_cast<char>(entry.kind));
    put(out, entry.number);
    out.append(entry.bytes);

    std::string checksum;
    put(checksum, crc32c(std::string_view(out).substr(begin + kPrefixBytes)));
    out.replace(begin + 4, 4, checksum);
}

std::optional<std::size_t> frame_size(std::string_view first_four) {
    const auto size = get<std::uint32_t>(first_four);
    if (size < kHeadBytes || size > kHeadBytes + kMaxEntryBytes) return std::nullopt;
    return kPrefixBytes + size;
}

bool may_begin_frame(std::string_view head) {
    const auto size = frame_size(head);
    const auto kind = static_cast<std::uint8_t>(head[kPrefixBytes]);
    if (!size || !is_known(kind)) return false;
    if (get<std::uint64_t>(head.substr(kPrefixBytes + 1)) >= kMaxNumber) return false;
    return static_cast<EntryKind>(kind) == EntryKind::record || *size == kFrameOverhead;
}

std::optional<Frame> read_frame(std::string_view bytes) {
    if (bytes.size() < kFrameOverhead) return std::nullopt;
    const auto size = frame_size(bytes);
    if (!size || bytes.size() < *size) return std::nullopt;
    const std::string_view content = bytes.substr(kPrefixBytes, *size - kPrefixBytes);
    if (crc32c(content) != get<std::uint32_t>(bytes.substr(4))) return std::nullopt;
    const auto kind = static_cast<std::uint8_t>(content[0]);
    if (!is_known(kind)) return std::nullopt;
    return Frame{{static_cast<EntryKind>(kind), get<std::uint64_t>(content.substr(1)),
                  content.substr(kHeadBytes)},
                 *size};
}

}  // namespace evalfleet::store
