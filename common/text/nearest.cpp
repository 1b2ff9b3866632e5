#include "common/text/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace evalfleet::text {
namespace {

constexpr std::size_t kMaxLength = 64;

/// How many letters have to be added, removed, changed or swapped with their neighbour to get from
/// one to the other. With three rows of memory.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> before(to.size() + 1);
    std::vector<std::size_t> last(to.size() + 1);
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        before.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t changed = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
            const bool is_swapped =
                i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}

template <class Name>
std::optional<std::string_view> find_nearest(std::string_view typed, std::span<const Name> known) {
    if (typed.empty() || typed.size() > kMaxLength) return std::nullopt;
    std::optional<std::string_view> best;
    // Further away than a third of its letters a name is no longer a misspelling.
    std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
    for (const std::string_view name : known) {
        if (name.size() > kMaxLength) continue;
        const std::size_t distance = edit_distance(typed, name);
        if (distance >= best_distance) continue;
        best = name;
        best_distance = distance;
    }
    return best;
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view typed,
                                        std::span<const std::string_view> known) {
    return find_nearest(typed, known);
}
std::optional<std::string_view> nearest(std::string_view typed,
                                        std::span<const std::string> known) {
    return find_nearest(typed, known);
}

}  // namespace evalfleet::text
