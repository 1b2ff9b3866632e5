#include "coordinator/runs/paged_array.hpp"

#include <gtest/gtest.h>

namespace evalfleet::runs {
namespace {

TEST(PagedArray, TakesMemoryForWhatIsSetOnly) {
    PagedArray<std::uint64_t> array(100 * PagedArray<std::uint64_t>::kPage);
    EXPECT_EQ(array.count_pages(), 0U);
    array.set(5, 0);
    EXPECT_EQ(array.get(5), 0U);
    EXPECT_EQ(array.count_pages(), 0U) << "that is what it was";
    array.set(5, 7);
    array.set(6, 8);
    EXPECT_EQ(array.count_pages(), 1U);
    array.set(array.size() - 1, 9);
    EXPECT_EQ(array.count_pages(), 2U);
    EXPECT_EQ(array.get(5), 7U);
    EXPECT_EQ(array.get(array.size() - 1), 9U);
    EXPECT_EQ(array.get(array.size() - 2), 0U);
}

TEST(PagedArray, HasNothingBeyondItsEnd) {
    PagedArray<std::uint64_t> array(10);
    EXPECT_EQ(array.get(10), 0U);
    EXPECT_EQ(array.get(~std::uint64_t{0}), 0U);
    EXPECT_THROW(array.set(PagedArray<std::uint64_t>::kPage, 1), std::out_of_range);
    EXPECT_EQ(PagedArray<std::uint64_t>(0).next_set(0), std::nullopt);
}

TEST(PagedArray, FindsWhatIsSetAcrossPages) {
    constexpr std::uint64_t kPage = PagedArray<std::uint64_t>::kPage;
    PagedArray<std::uint64_t> array(10 * kPage + 3);
    for (const std::uint64_t index : {std::uint64_t{0}, kPage - 1, 7 * kPage, 10 * kPage + 2})
        array.set(index, 1);
    EXPECT_EQ(array.next_set(0), 0U);
    EXPECT_EQ(array.next_set(1), kPage - 1);
    EXPECT_EQ(array.next_set(kPage), 7 * kPage);
    EXPECT_EQ(array.next_set(7 * kPage + 1), 10 * kPage + 2);
    EXPECT_EQ(array.next_set(10 * kPage + 3), std::nullopt);
}

TEST(PagedArray, FindsTheFirstThatNobodyTouched) {
    constexpr std::uint64_t kPage = PagedArray<std::uint64_t>::kPage;
    PagedArray<std::uint64_t> array(2 * kPage);
    const auto is_zero = [](std::uint64_t value) { return value == 0; };
    EXPECT_EQ(array.next(3, is_zero, true), 3U);
    for (std::uint64_t index = 0; index < kPage; ++index)
        array.set(index, 1);
    EXPECT_EQ(array.next(3, is_zero, true), kPage);
    array.set(17, 0);
    EXPECT_EQ(array.next(3, is_zero, true), 17U);
}

}  // namespace
}  // namespace evalfleet::runs
