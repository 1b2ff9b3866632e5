#pragma once

#include "common/result/result.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace evalfleet::archive {

/// Where runs are put: below a folder, or below a prefix of a bucket.
struct Target {
    std::filesystem::path folder{};  ///< empty: a bucket
    std::string bucket{};
    std::string prefix{};  ///< without slashes at its ends; may be empty

    [[nodiscard]] bool is_bucket() const noexcept { return folder.empty(); }
    /// As people write it, with more behind it.
    [[nodiscard]] std::string name(std::string_view more = {}) const;
};

/// `s3://bucket/prefix`, or the path of a folder. `invalid` says what is allowed. Pure.
[[nodiscard]] Result<Target> parse_target(std::string_view text);

}  // namespace evalfleet::archive
