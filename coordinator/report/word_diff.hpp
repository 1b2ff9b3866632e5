#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::report {

struct DiffPiece {
    enum class Kind { same, gone, added };
    Kind kind = Kind::same;
    std::string text;
    bool operator==(const DiffPiece&) const = default;
};

/// What differs between two texts, by words; neighbours of a kind are joined. Texts of more than so
/// many words that differ are shown as replaced in whole. Pure.
inline constexpr std::size_t kMostDiffWords = 1000;
[[nodiscard]] std::vector<DiffPiece> word_diff(std::string_view before, std::string_view after);

}  // namespace evalfleet::report
