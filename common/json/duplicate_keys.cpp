#include "common/json/duplicate_keys.hpp"

#include "common/json/escape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace evalfleet::json {
namespace {

constexpr std::size_t kFewKeys = 16;
constexpr std::size_t kTableSlots = 256;                 // a power of two
constexpr std::size_t kMostTableKeys = kTableSlots / 2;  // of a table that is quick
constexpr std::size_t kMostSteps = 8;                    // for one key; more are no chance

/// What a look at an object's keys found.
struct Look {
    bool is_over = false;  ///< all keys were looked at
    std::optional<std::string_view> twin{};
};

/// Few keys are compared with each other.
Look look_among_few(const Object& object) {
    std::array<std::string_view, kFewKeys> few;
    std::size_t count = 0;
    for (const auto [key, value] : object) {
        if (count == kFewKeys) return {};
        const auto end = few.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::find(few.begin(), end, key) != end) return {true, key};
        few[count++] = key;
    }
    return {true, std::nullopt};
}

/// Cheap, and different for names that begin or end differently, as those of a record do.
std::size_t slot_of(std::string_view key) {
    std::uint64_t head = 0, tail = 0;
    const std::size_t part = std::min(key.size(), sizeof(head));
    std::memcpy(&head, key.data(), part);
    std::memcpy(&tail, key.data() + (key.size() - part), part);
    std::uint64_t mixed = (head ^ key.size()) * 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 32) ^ tail) * 0xD6E8FEB86659FD93U;
    return static_cast<std::size_t>(mixed >> 56) % kTableSlots;
}

/// Some dozens are looked up in a table that needs no memory; not if somebody chose them so that
/// the table is of no use.
Look look_in_table(const Object& object) {
    std::array<std::string_view, kTableSlots> table{};
    std::array<bool, kTableSlots> is_used{};
    std::size_t count = 0;
    for (const auto [key, value] : object) {
        if (++count > kMostTableKeys) return {};
        std::size_t slot = slot_of(key), steps = 0;
        while (is_used[slot]) {
            if (table[slot] == key) return {true, key};
            if (++steps == kMostSteps) return {};
            slot = (slot + 1) % kTableSlots;
        }
        is_used[slot] = true;
        table[slot] = key;
    }
    return {true, std::nullopt};
}

/// Any number in a time that no choice of keys makes quadratic.
std::optional<std::string_view> look_by_sorting(const Object& object) {
    std::vector<std::string_view> keys;
    for (const auto [key, value] : object)
        keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    const auto twin = std::adjacent_find(keys.begin(), keys.end());
    if (twin == keys.end()) return std::nullopt;
    return *twin;
}

/// The key that stands twice, if any.
std::optional<std::string_view> duplicate_in(const Object& object) {
    if (const Look few = look_among_few(object); few.is_over) return few.twin;
    if (const Look some = look_in_table(object); some.is_over) return some.twin;
    return look_by_sorting(object);
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
