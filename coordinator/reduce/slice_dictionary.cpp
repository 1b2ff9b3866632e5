#include "coordinator/reduce/slice_dictionary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace evalfleet::reduce {
namespace {

// Every part with its length in front, which keeps ("a", "bc") and ("ab", "c") apart.
void build_key(std::string& key, std::string_view task_type,
               std::span<const SliceDictionary::Tag> tags) {
    std::size_t bytes = sizeof(std::size_t) + task_type.size();
    for (const auto& [name, value] : tags) {
        bytes += 2 * sizeof(std::size_t) + name.size() + value.size();
    }
    key.resize(bytes);
    char* at = key.data();
    const auto put = [&at](std::string_view part) {
        const std::size_t size = part.size();
        std::memcpy(at, &size, sizeof size);
        at = std::copy(part.begin(), part.end(), at + sizeof size);
    };
    put(task_type);
    for (const auto& [name, value] : tags) {
        put(name);
        put(value);
    }
}

}  // namespace

Status add(job::TokenTotals& to, const job::TokenTotals& from) {
    const bool overflow =
        __builtin_add_overflow(to.input, from.input, &to.input) ||
        __builtin_add_overflow(to.output, from.output, &to.output) ||
        __builtin_add_overflow(to.total, from.total, &to.total) ||
        __builtin_add_overflow(to.cache_read, from.cache_read, &to.cache_read) ||
        __builtin_add_overflow(to.cache_write, from.cache_write, &to.cache_write) ||
        __builtin_add_overflow(to.cache_savings, from.cache_savings, &to.cache_savings);
    if (overflow) return Error{ErrorKind::too_large, "the sum of tokens leaves 64 bits"};
    return {};
}

Result<std::uint32_t> SliceDictionary::intern(std::string_view task_type,
                                              std::span<const Tag> tags) {
    build_key(key_, task_type, tags);
    if (const auto known = numbers_.find(std::string_view(key_)); known != numbers_.end()) {
        return known->second;
    }
    if (sets_.size() == kMostSets) {
        return Error{ErrorKind::too_large,
                     fmt::format("tags: more than {} different combinations of task type and tags",
                                 kMostSets)};
    }
    SliceSet set;
    set.task_type = task_type;
    for (const Tag& tag : tags) {
        set.tags.emplace_back(tag.key, tag.value);
    }
    const auto number = static_cast<std::uint32_t>(sets_.size());
    sets_.push_back(std::move(set));
    numbers_.emplace(key_, number);
    return number;
}

Status SliceDictionary::add_tokens(std::uint32_t set, const job::TokenTotals& tokens) {
    return add(sets_[set].tokens, tokens);
}

Result<std::vector<std::uint32_t>> SliceDictionary::merge(const SliceDictionary& other) {
    std::vector<std::uint32_t> renumbered;
    renumbered.reserve(other.sets_.size());
    std::vector<Tag> tags;
    for (const SliceSet& set : other.sets_) {
        tags.clear();
        for (const auto& [key, value] : set.tags) {
            tags.push_back({key, value});
        }
        const auto number = intern(set.task_type, tags);
        if (!number) return number.error();
        if (const auto added = add_tokens(*number, set.tokens); !added) return added.error();
        renumbered.push_back(*number);
    }
    return renumbered;
}

}  // namespace evalfleet::reduce
