#include "cli/json_difference.hpp"

#include <fmt/format.h>

namespace evalfleet::cli {

namespace {

using Differences = std::vector<std::string>;

std::string join(const std::string& path, std::string_view key) {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void note(Differences& out, std::string what) {
    if (out.size() < kMaxDifferences) out.push_back(std::move(what));
}

void compare(json::Value stored, json::Value recomputed, const std::string& path, Differences& out);

void compare_objects(json::Value stored, json::Value recomputed, const std::string& path,
                     Differences& out) {
    const json::Object before = stored.as_object().value();
    const json::Object after = recomputed.as_object().value();
    for (const auto [key, value] : before) {
        const auto other = recomputed.find(key);
        if (other) {
            compare(value, *other, join(path, key), out);
        } else {
            note(out, fmt::format("{}: stored, but not recomputed", join(path, key)));
        }
    }
    for (const auto [key, value] : after) {
        if (!stored.find(key)) {
            note(out, fmt::format("{}: recomputed, but not stored", join(path, key)));
        }
    }
}

void compare_arrays(json::Value stored, json::Value recomputed, const std::string& path,
                    Differences& out) {
    const json::Array before = stored.as_array().value();
    const json::Array after = recomputed.as_array().value();
    auto other = after.begin();
    std::size_t index = 0;
    for (const json::Value value : before) {
        if (other == after.end()) break;
        compare(value, *other, fmt::format("{}[{}]", path, index), out);
        ++other;
        ++index;
    }
    if (before.size() != after.size()) {
        note(out,
             fmt::format("{}: stored {} items, recomputed {}", path, before.size(), after.size()));
    }
}

void compare(json::Value stored, json::Value recomputed, const std::string& path,
             Differences& out) {
    if (stored.is_object() && recomputed.is_object()) {
        return compare_objects(stored, recomputed, path, out);
    }
    if (stored.is_array() && recomputed.is_array()) {
        return compare_arrays(stored, recomputed, path, out);
    }
    const std::string before = stored.describe();
    const std::string after = recomputed.describe();
    if (before != after)
        note(out, fmt::format("{}: stored {}, recomputed {}", path, before, after));
}

}  // namespace

std::vector<std::string> json_differences(json::Value stored, json::Value recomputed) {
    Differences out;
    compare(stored, recomputed, "", out);
    return out;
}

}  // namespace evalfleet::cli
