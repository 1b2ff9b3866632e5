#include "common/runfile/duplicate_ids.hpp"

#include <algorithm>
#include <functional>

namespace evalfleet::runfile {

void DuplicateIds::add(std::string_view id) {
    hashes_.push_back(std::hash<std::string_view>{}(id));
}

void DuplicateIds::add_none() {
    // Different for each line and, but for bad luck, from every id's hash.
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
    hashes_.push_back((hashes_.size() + 1) * kOdd);
}

std::vector<std::size_t> DuplicateIds::suspects(std::size_t max) const {
    std::vector<std::uint64_t> sorted = hashes_;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::uint64_t> repeated;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        if (sorted[i] == sorted[i - 1]) repeated.push_back(sorted[i]);
    }
    std::vector<std::size_t> indices;
    if (repeated.empty()) return indices;
    for (std::size_t i = 0; i < hashes_.size() && indices.size() < max; ++i) {
        if (std::binary_search(repeated.begin(), repeated.end(), hashes_[i])) indices.push_back(i);
    }
    return indices;
}

}  // namespace evalfleet::runfile
