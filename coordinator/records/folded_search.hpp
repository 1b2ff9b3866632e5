#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace evalfleet::records {

/// Finds a text in others whatever the case of its ASCII letters, in linear time for all but
/// contrived texts. Immutable. Pure.
class FoldedSearch {
  public:
    explicit FoldedSearch(std::string_view needle);

    /// True of an empty needle.
    [[nodiscard]] bool is_in(std::string_view text) const noexcept;

    [[nodiscard]] bool empty() const noexcept { return needle_.empty(); }

  private:
    std::string needle_;                    // in lower case
    std::array<std::size_t, 256> skips_{};  // by the last byte of a window (Horspool)
};

}  // namespace evalfleet::records
