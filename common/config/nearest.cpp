#include "common/config/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace evalfleet::config {
namespace {

constexpr std::size_t kMaxLength = 64;

/// Levenshtein distance, with one row of memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known) {
    if (typed.empty() || typed.size() > kMaxLength) return std::nullopt;
    std::optional<std::string> best;
    std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string& name : known) {
        if (name.size() > kMaxLength) continue;
        const std::size_t distance = edit_distance(typed, name);
        if (distance < best_distance) {
            best = name;
            best_distance = distance;
        }
    }
    return best;
}

std::string suggestion(std::string_view typed, std::span<const std::string> known) {
    const auto name = nearest(typed, known);
    return name ? " Did you mean '" + *name + "'?" : "";
}

}  // namespace evalfleet::config
