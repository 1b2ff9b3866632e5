#include "common/json/duplicate_keys.hpp"

#include "common/json/escape.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::json {
namespace {

constexpr std::size_t kFewKeys = 16;

/// The key that stands twice, if any. Few keys are compared with each other, which needs no memory;
/// many are sorted, so that a hostile object cannot cost quadratic time.
std::optional<std::string_view> duplicate_in(const Object& object) {
    std::array<std::string_view, kFewKeys> few;
    std::size_t count = 0;
    for (const auto [key, value] : object) {
        if (count == kFewKeys) break;
        const auto end = few.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::find(few.begin(), end, key) != end) return key;
        few[count++] = key;
    }
    if (count < kFewKeys) return std::nullopt;
    std::vector<std::string_view> keys;
    for (const auto [key, value] : object)
        keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto twin = std::adjacent_find(keys.begin(), keys.end());
    if (twin == keys.end()) return std::nullopt;
    return *twin;
}

}  // namespace

// Recursion is bounded by the depth limit of the parse that made the tree.
Status check_unique_keys(Value root) {
    if (root.is_array()) {
        for (const Value element : *root.as_array()) {
            if (auto unique = check_unique_keys(element); !unique) return unique;
        }
    } else if (root.is_object()) {
        const Object object = *root.as_object();
        if (const auto twin = duplicate_in(object)) {
            std::string message = "the key \"";
            append_escaped(message, twin->substr(0, 100));
            return root.error(message + "\" stands twice");
        }
        for (const auto [key, value] : object) {
            if (auto unique = check_unique_keys(value); !unique) return unique;
        }
    }
    return {};
}

}  // namespace evalfleet::json
