#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evalfleet::redaction {

/// A text with its escapes resolved, and the way back. Resolved are those of JSON and C strings
/// (`\u0040`, `\/`, `\x40`, `\100`, `\n`), of URLs and forms (`%40`, `+`), of HTML (`&#64;`,
/// `&amp;`) and mail (`=40`), the colours of terminals, and what looks like ASCII and is not:
/// no-break spaces and hyphens, full-width letters, digits of other scripts, zero-width marks.
class Decoding {
  public:
    /// False if there was nothing to resolve. Linear.
    [[nodiscard]] bool decode(std::string_view text);

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

    /// Where in the original the byte at `i` of `text()` comes from; its end for the end.
    [[nodiscard]] std::size_t origin(std::size_t i) const;

  private:
    std::string text_;
    /// From this offset of text_ on, until the next one, this much has to be added.
    std::vector<std::pair<std::size_t, std::size_t>> shifts_;
};

/// What a run of base64, base64url or hex digits holds, if that is text, in UTF-8 or UTF-16; else
/// empty. Padding may be there or not.
[[nodiscard]] std::string decode_run(std::string_view run);

}  // namespace evalfleet::redaction
