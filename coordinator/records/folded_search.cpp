#include "coordinator/records/folded_search.hpp"

namespace evalfleet::records {

namespace {

unsigned char fold(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte + 32) : byte;
}

}  // namespace

FoldedSearch::FoldedSearch(std::string_view needle) {
    for (const char c : needle)
        needle_.push_back(static_cast<char>(fold(c)));
    skips_.fill(needle_.size());
    for (std::size_t i = 0; i + 1 < needle_.size(); ++i)
        skips_[static_cast<unsigned char>(needle_[i])] = needle_.size() - 1 - i;
}

bool FoldedSearch::is_in(std::string_view text) const noexcept {
    const std::size_t size = needle_.size();
    if (size == 0) return true;
    for (std::size_t at = 0; at + size <= text.size();) {
        const unsigned char last = fold(text[at + size - 1]);
        std::size_t i = size;
        while (i > 0 && fold(text[at + i - 1]) == static_cast<unsigned char>(needle_[i - 1]))
            --i;
        if (i == 0) return true;
        at += skips_[last];
    }
    return false;
}

}  // namespace evalfleet::records
