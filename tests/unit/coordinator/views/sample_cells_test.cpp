#include "coordinator/views/sample_cells.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::views {
namespace {

using ::testing::ElementsAre;

SampleCell cell(std::uint32_t sample, std::uint32_t trials, std::uint32_t passed, float score) {
    return {sample, trials, passed, score};
}

std::vector<std::uint32_t> samples_of(const std::vector<SamplePair>& pairs) {
    std::vector<std::uint32_t> samples;
    for (const SamplePair& pair : pairs)
        samples.push_back(pair.base.sample_index);
    return samples;
}

TEST(SamplePairs, JoinsWhatBothHaveTheLargestDifferenceFirst) {
    const std::vector<SampleCell> base{cell(0, 1, 1, 1), cell(1, 1, 1, 0.5F), cell(3, 1, 0, 0)};
    const std::vector<SampleCell> candidate{cell(1, 1, 0, 0), cell(2, 1, 1, 1), cell(3, 1, 1, 1)};
    const auto pairs = pair_samples(base, candidate, {});
    EXPECT_THAT(samples_of(pairs), ElementsAre(3, 1));
    EXPECT_EQ(pairs[0].difference(), 1);
    EXPECT_EQ(pairs[1].difference(), -0.5);
    EXPECT_THAT(samples_of(pair_samples(base, candidate, {.min_difference = 0.6})), ElementsAre(3));
}

TEST(SamplePairs, AFlipIsAnotherMajority) {
    const std::vector<SampleCell> base{cell(0, 3, 2, 0.5F), cell(1, 3, 2, 0.5F)};
    const std::vector<SampleCell> candidate{cell(0, 3, 1, 0.5F), cell(1, 3, 3, 0.5F)};
    EXPECT_THAT(samples_of(pair_samples(base, candidate, {.only_flips = true})), ElementsAre(0));
}

TEST(SamplePairs, KnowsNoDifferenceWithoutAScore) {
    const float none = records::TrialEntry::kUnknown;
    const auto pairs = pair_samples({cell(0, 1, 0, none)}, {cell(0, 1, 1, 1)}, {});
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].difference(), std::nullopt);
}

TEST(Matrix, HasARowForEverySampleOfAnyRun) {
    const std::vector<std::vector<SampleCell>> columns{{cell(0, 1, 1, 1), cell(1, 1, 1, 1)},
                                                       {cell(1, 1, 0, 0), cell(2, 1, 1, 1)}};
    const auto rows = matrix_rows(columns, false);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].cells[0].trials, 1U);
    EXPECT_EQ(rows[0].cells[1].trials, 0U) << "the second run has no trial of it";
    const auto differing = matrix_rows(columns, true);
    ASSERT_EQ(differing.size(), 1U);
    EXPECT_EQ(differing[0].sample_index, 1U);
}

}  // namespace
}  // namespace evalfleet::views
