#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace evalfleet::runs {

/// An array of small values, most of which are `T{}`: memory is taken by pages of `kPage` values,
/// when the first one of a page is set. One that nobody touched costs 8 bytes,
/// so that a run may have 10^8 trials and cost what is done of it. Pure.
template <class T>
class PagedArray {
  public:
    static constexpr std::uint64_t kPage = 1024;

    explicit PagedArray(std::uint64_t size) : size_(size), pages_((size + kPage - 1) / kPage) {}

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

    /// `T{}` also beyond the end.
    [[nodiscard]] T get(std::uint64_t index) const noexcept {
        if (index >= size_ || !pages_[index / kPage]) return T{};
        return (*pages_[index / kPage])[index % kPage];
    }

    /// `index` must be within the array.
    void set(std::uint64_t index, T value) {
        auto& page = pages_.at(index / kPage);
        if (!page && value == T{}) return;
        if (!page) page = std::make_unique<Page>();
        (*page)[index % kPage] = value;
    }

    /// The first from `from` on that is not `T{}`.
    [[nodiscard]] std::optional<std::uint64_t> next_set(std::uint64_t from) const noexcept {
        return next(
            from, [](const T& value) { return value != T{}; }, false);
    }

    /// The first from `from` on of which `is_wanted(value)` says so. All values of a page that
    /// nobody touched are alike: `is_wanted(T{})`, given beforehand, answers for them.
    template <class IsWanted>
    [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t from, IsWanted is_wanted,
                                                    bool wants_untouched) const noexcept {
        while (from < size_) {
            const std::uint64_t end = std::min(size_, (from / kPage + 1) * kPage);
            const auto& page = pages_[from / kPage];
            if (!page && wants_untouched) return from;
            for (; page && from < end; ++from)
                if (is_wanted((*page)[from % kPage])) return from;
            from = end;
        }
        return std::nullopt;
    }

    [[nodiscard]] std::uint64_t count_pages() const noexcept {
        return static_cast<std::uint64_t>(
            std::count_if(pages_.begin(), pages_.end(), [](const auto& page) { return !!page; }));
    }

  private:
    using Page = std::array<T, kPage>;

    std::uint64_t size_;
    std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace evalfleet::runs
