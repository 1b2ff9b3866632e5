#include "common/job/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace evalfleet::job {

namespace {

constexpr std::size_t kMaxComparedBytes = 64;

/// How many characters have to be added, removed or changed to get from one to the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view misspelt,
                                             std::span<const std::string_view> allowed) {
    if (misspelt.size() > kMaxComparedBytes) return std::nullopt;
    std::optional<std::string_view> nearest;
    // Further away than half of its letters a name is no longer a misspelling.
    std::size_t limit = std::max<std::size_t>(misspelt.size() / 2, 1);
    for (const std::string_view name : allowed) {
        const std::size_t distance = edit_distance(misspelt, name);
        if (distance > limit || (nearest && distance == limit)) continue;
        nearest = name;
        limit = distance;
    }
    return nearest;
}

}  // namespace evalfleet::job
