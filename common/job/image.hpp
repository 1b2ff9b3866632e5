#pragma once

#include "common/job/message.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

/// Pictures in chats: which there are, how large they may be, and what is shown of them. Pure.
namespace evalfleet::job {

/// Of one picture, before it is written as base64. Providers take no larger ones.
inline constexpr std::size_t kMaxImageBytes = 5 * 1024 * 1024;

/// For the estimate of a prompt's tokens: providers count some hundred to some thousand for one.
inline constexpr std::size_t kImageTokens = 1000;

/// The type of a picture by its first bytes: PNG, JPEG, GIF or WebP. Empty: none of them.
[[nodiscard]] std::string_view sniff_image(std::string_view bytes) noexcept;

/// A picture of these bytes. `invalid`: no picture that we know, or too large.
[[nodiscard]] Result<Image> make_image(std::string_view bytes);

/// Reads `url` of an `image_url`: `data:image/png;base64,...`, or a path relative to the dataset.
/// `invalid`: anything else, such as an address.
[[nodiscard]] Result<Image> read_image_url(std::string_view url);

/// `data:image/png;base64,...`, or the path of one that is not embedded.
[[nodiscard]] std::string image_url(const Image& image);

/// What stands for it wherever people read: `[image/png, 34 KB, sha256 0123456789abcdef]`.
[[nodiscard]] std::string describe(const Image& image);

[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Strict: RFC 4648, padded, without white space. `invalid` otherwise.
[[nodiscard]] Result<std::string> from_base64(std::string_view text);

}  // namespace evalfleet::job
