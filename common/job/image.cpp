#include "common/job/image.hpp"

#include "common/job/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <utility>

namespace evalfleet::job {

namespace {

constexpr std::string_view kAllowed =
    "a base64 data URL of a picture (data:image/png;base64,...), or a path relative to the dataset";
constexpr std::size_t kMaxPathBytes = 1024;

struct Magic {
    std::string_view begin;
    std::string_view media_type;
};

using namespace std::string_view_literals;

constexpr std::array kMagics{
    Magic{"\x89PNG\r\n\x1A\n"sv, "image/png"},
    Magic{"\xFF\xD8\xFF"sv, "image/jpeg"},
    Magic{"GIF87a"sv, "image/gif"},
    Magic{"GIF89a"sv, "image/gif"},
};

Error fault(std::string message) {
    return {ErrorKind::invalid, std::move(message)};
}

bool has_scheme(std::string_view url) {
    const auto colon = url.find(':');
    return colon != std::string_view::npos && url.find('/') > colon;
}

Result<Image> read_data_url(std::string_view url) {
    const auto comma = url.find(',');
    if (comma == std::string_view::npos || !url.substr(0, comma).ends_with(";base64"))
        return fault(fmt::format("found a data URL without base64, allowed: {}", kAllowed));
    const std::string_view digits = url.substr(comma + 1);
    if (digits.size() / 4 * 3 > kMaxImageBytes + 3)
        return fault(fmt::format("found a picture of {} bytes, allowed: at most {}",
                                 digits.size() / 4 * 3, kMaxImageBytes));
    const auto bytes = from_base64(digits);
    if (!bytes) return bytes.error();
    return make_image(*bytes);
}

std::string shown_size(std::size_t bytes) {
    constexpr std::size_t kKilo = 1024;
    if (bytes < kKilo) return fmt::format("{} bytes", bytes);
    return fmt::format("{} KB", (bytes + kKilo / 2) / kKilo);
}

}  // namespace

std::string_view sniff_image(std::string_view bytes) noexcept {
    for (const Magic& magic : kMagics)
        if (bytes.starts_with(magic.begin)) return magic.media_type;
    if (bytes.starts_with("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP")
        return "image/webp";
    return {};
}

Result<Image> make_image(std::string_view bytes) {
    const std::string_view type = sniff_image(bytes);
    if (type.empty())
        return fault("found what is no picture by its first bytes, allowed: PNG, JPEG, GIF, WebP");
    if (bytes.size() > kMaxImageBytes)
        return fault(fmt::format("found a picture of {} bytes, allowed: at most {}", bytes.size(),
                                 kMaxImageBytes));
    return Image{.media_type = std::string(type), .base64 = to_base64(bytes)};
}

Result<Image> read_image_url(std::string_view url) {
    if (url.starts_with("data:")) return read_data_url(url);
    if (has_scheme(url))
        return fault(
            fmt::format("found an address, whose content may change, allowed: {}", kAllowed));
    const bool is_sane =
        !url.empty() && url.size() <= kMaxPathBytes && url.find('\0') == std::string_view::npos;
    if (!is_sane) return fault(fmt::format("found no path, allowed: {}", kAllowed));
    return Image{.path = std::string(url)};
}

std::string image_url(const Image& image) {
    if (image.base64.empty()) return image.path;
    return "data:" + image.media_type + ";base64," + image.base64;
}

std::string describe(const Image& image) {
    if (image.base64.empty()) return "[image " + image.path + "]";
    constexpr std::size_t kShownDigits = 16;
    const auto bytes = from_base64(image.base64);
    if (!bytes) return "[image]";
    Sha256 hash;
    hash.add(*bytes);
    return fmt::format("[{}, {}, sha256 {}]", image.media_type, shown_size(bytes->size()),
                       hash.hex().substr(0, kShownDigits));
}

std::string to_base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

Result<std::string> from_base64(std::string_view text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::string_view digits = text.substr(0, text.find_last_not_of('=') + 1);
    const std::size_t padding = text.size() - digits.size();
    if (text.empty() || text.size() % 4 != 0 || padding > 2 ||
        digits.find_first_not_of(kDigits) != std::string_view::npos)
        return fault("found what is no base64, allowed: padded base64 without white space");
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) return fault("found what is no base64");
    bytes.resize(static_cast<std::size_t>(size) - padding);
    return bytes;
}

}  // namespace evalfleet::job
