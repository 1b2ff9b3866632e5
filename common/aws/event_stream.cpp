#include "common/aws/event_stream.hpp"

#include <array>
#include <cstdint>

namespace evalfleet::aws {

namespace {

constexpr std::size_t kPreludeBytes = 12;  // two lengths and their check sum
constexpr std::size_t kSumBytes = 4;
constexpr std::size_t kMaxHeaders = 128;
constexpr std::uint8_t kText = 7;

constexpr std::array<std::uint32_t, 256> make_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit)
            value = (value & 1U) != 0 ? 0xEDB88320U ^ (value >> 1U) : value >> 1U;
        table[i] = value;
    }
    return table;
}

std::uint32_t read_number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value = value << 8U | static_cast<std::uint8_t>(bytes[at + i]);
    return value;
}

void add_number(std::string& out, std::size_t value, std::size_t size) {
    for (std::size_t i = size; i-- > 0;)
        out += static_cast<char>(value >> (8U * i) & 0xFFU);
}

Error malformed(const char* what) {
    return {ErrorKind::invalid, std::string("the event stream has ") + what};
}

/// How many bytes a header's value has behind its type; of texts and bytes, their length first.
std::optional<std::size_t> size_of_type(std::uint8_t type) {
    constexpr std::array<std::size_t, 6> kSizes{0, 0, 1, 2, 4, 8};
    if (type < kSizes.size()) return kSizes[type];
    if (type == 8) return 8;   // a moment
    if (type == 9) return 16;  // a UUID
    return std::nullopt;
}

Status read_headers(std::string_view bytes, Frame& frame) {
    while (!bytes.empty()) {
        const std::size_t name_size = read_number(bytes, 0, 1);
        if (bytes.size() < 2 + name_size || frame.headers.size() == kMaxHeaders)
            return malformed("headers that are no headers");
        std::string name(bytes.substr(1, name_size));
        const auto type = static_cast<std::uint8_t>(bytes[1 + name_size]);
        bytes.remove_prefix(2 + name_size);
        std::size_t size = 0;
        if (const auto fixed = size_of_type(type)) {
            size = *fixed;
        } else if (type != 6 && type != kText) {
            return malformed("a header of an unknown type");
        } else {
            if (bytes.size() < 2) return malformed("headers that are cut off");
            size = read_number(bytes, 0, 2);
            bytes.remove_prefix(2);
        }
        if (bytes.size() < size) return malformed("headers that are cut off");
        if (type == kText) frame.headers.emplace_back(std::move(name), bytes.substr(0, size));
        bytes.remove_prefix(size);
    }
    return {};
}

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
    static constexpr auto kTable = make_table();
    std::uint32_t sum = 0xFFFFFFFFU;
    for (const char c : bytes)
        sum = kTable[(sum ^ static_cast<std::uint8_t>(c)) & 0xFFU] ^ (sum >> 8U);
    return ~sum;
}

std::string_view Frame::header(std::string_view name) const {
    for (const auto& [known, value] : headers) {
        if (known == name) return value;
    }
    return {};
}

void FrameParser::feed(std::string_view bytes) {
    if (at_ > 0) buffer_.erase(0, at_);
    at_ = 0;
    buffer_ += bytes;
}

Result<std::optional<Frame>> FrameParser::next() {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    if (rest.size() < kPreludeBytes) return std::optional<Frame>();
    const std::size_t total = read_number(rest, 0, 4);
    const std::size_t headers = read_number(rest, 4, 4);
    if (crc32(rest.substr(0, 8)) != read_number(rest, 8, 4))
        return malformed("a wrong check sum of lengths");
    if (total > kMaxFrameBytes) return Error{ErrorKind::too_large, "a frame is too long"};
    if (total < kPreludeBytes + kSumBytes || headers > total - kPreludeBytes - kSumBytes)
        return malformed("lengths that do not fit");
    if (rest.size() < total) return std::optional<Frame>();
    if (crc32(rest.substr(0, total - kSumBytes)) != read_number(rest, total - kSumBytes, 4))
        return malformed("a wrong check sum");
    Frame frame;
    if (Status read = read_headers(rest.substr(kPreludeBytes, headers), frame); !read)
        return read.error();
    const std::size_t begin = kPreludeBytes + headers;
    frame.payload = rest.substr(begin, total - kSumBytes - begin);
    at_ += total;
    return std::optional(std::move(frame));
}

std::string encode(const Frame& frame) {
    std::string headers;
    for (const auto& [name, value] : frame.headers) {
        add_number(headers, name.size(), 1);
        headers += name;
        add_number(headers, kText, 1);
        add_number(headers, value.size(), 2);
        headers += value;
    }
    std::string out;
    add_number(out, kPreludeBytes + headers.size() + frame.payload.size() + kSumBytes, 4);
    add_number(out, headers.size(), 4);
    add_number(out, crc32(out), 4);
    out += headers;
    out += frame.payload;
    add_number(out, crc32(out), 4);
    return out;
}

}  // namespace evalfleet::aws
