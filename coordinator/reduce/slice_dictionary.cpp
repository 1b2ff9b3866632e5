#include "coordinator/reduce/slice_dictionary.hpp"

#include <fmt/format.h>

namespace evalfleet::reduce {
namespace {

// The length in front keeps ("a", "bc") and ("ab", "c") apart.
void append_part(std::string& key, std::string_view part) {
    const std::size_t size = part.size();
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key.append(part);
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
    key_.clear();
    append_part(key_, task_type);
    for (const Tag& tag : tags) {
        append_part(key_, tag.key);
        append_part(key_, tag.value);
    }
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
