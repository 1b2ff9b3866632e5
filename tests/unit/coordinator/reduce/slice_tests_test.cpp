#include "coordinator/reduce/slice_tests.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace evalfleet::reduce {
namespace {

using job::SliceFinding;

// One trial a sample, repeated; a trial passes with score 1, or fails with 0.
class SliceTesterTest : public ::testing::Test {
  protected:
    void add(std::uint32_t samples, std::uint32_t passes, std::uint32_t repeats = 1) {
        for (std::uint32_t i = 0; i < samples; ++i, ++next_) {
            for (std::uint32_t repeat = 1; repeat <= repeats; ++repeat) {
                TrialRow row;
                row.sample_index = next_;
                row.repeat = repeat;
                row.accuracy = 2;
                row.rubric_passed = i < passes ? 1 : 0;
                row.sample_score = i < passes ? 1 : 0;
                rows_.push_back(row);
            }
        }
    }

    // The rows from `begin` on, so many.
    [[nodiscard]] Population part(std::size_t begin, std::size_t count) {
        all_.resize(rows_.size());
        std::iota(all_.begin(), all_.end(), 0U);
        return {rows_, std::span(all_).subspan(begin, count)};
    }
    [[nodiscard]] Population all() { return part(0, rows_.size()); }

    [[nodiscard]] job::SliceTest test_first(std::size_t rows) {
        job::SliceTest test = SliceTester(all(), {2, 42}).test(part(0, rows));
        job::SliceTest* const only = &test;
        tests_ = correct_slice_tests(std::span(&only, 1));
        return test;
    }

    std::vector<TrialRow> rows_;
    std::vector<std::uint32_t> all_;
    std::uint32_t next_ = 0;
    std::uint64_t tests_ = 0;
};

TEST_F(SliceTesterTest, FindsASliceThatFailsMore) {
    add(25, 5);
    add(100, 90);
    const job::SliceTest test = test_first(25);
    EXPECT_EQ(test.finding(), SliceFinding::lower);
    EXPECT_NEAR(test.rubric_pass_rate.difference.value(), 0.2 - 0.9, 1e-12);
    EXPECT_LT(test.rubric_pass_rate.p_value_bh.value(), 0.001);
    EXPECT_EQ(tests_, 2U) << "score and pass rate";
}

TEST_F(SliceTesterTest, FindsNothingWhereChanceExplainsIt) {
    add(25, 20);
    add(100, 90);
    EXPECT_EQ(test_first(25).finding(), SliceFinding::nothing_found);
}

TEST_F(SliceTesterTest, CountsASampleOnceHoweverOftenItIsRepeated) {
    add(25, 20, 10);
    add(100, 90, 10);
    const job::SliceTest test = test_first(250);
    EXPECT_EQ(test.samples, 25U);
    EXPECT_EQ(test.finding(), SliceFinding::nothing_found);
    // Clopper and Pearson of 20 in 25, not of 200 in 250.
    EXPECT_NEAR(test.rubric_pass_rate_ci95->lower, 0.593, 0.01);
    EXPECT_NEAR(test.rubric_pass_rate_ci95->upper, 0.932, 0.01);
    EXPECT_GT(test.aggregate_score_ci95->upper - test.aggregate_score_ci95->lower, 0.3);
}

TEST_F(SliceTesterTest, SaysNothingOfFewerThanTwentySamples) {
    add(19, 0);
    add(100, 100);
    const job::SliceTest test = test_first(19);
    EXPECT_EQ(test.finding(), SliceFinding::not_tested);
    EXPECT_EQ(test.reason, "19 samples, fewer than 20");
    EXPECT_EQ(test.rubric_pass_rate.p_value, std::nullopt);
    EXPECT_TRUE(test.rubric_pass_rate_ci95) << "its interval is still shown";
    EXPECT_EQ(tests_, 0U);
}

TEST_F(SliceTesterTest, SaysNothingWithoutARest) {
    add(30, 15);
    EXPECT_EQ(test_first(30).reason, "it has every sample of the run");
    add(10, 0);
    EXPECT_EQ(test_first(30).reason, "10 in the rest, fewer than 20");
}

TEST_F(SliceTesterTest, GivesScoresThatAreAllAlikeAnIntervalWithAWidth) {
    add(9, 9);
    add(100, 90);
    for (std::size_t i = 0; i < 9; ++i)
        rows_[i].sample_score = 1;
    const statistics::Interval interval = test_first(9).aggregate_score_ci95.value();
    EXPECT_NEAR(interval.lower, 0.66, 0.05) << "as 9 of 9 by Clopper and Pearson";
    EXPECT_EQ(interval.upper, 1) << "no score is above";
}

TEST_F(SliceTesterTest, DoesNotBlameASliceForWhatInfrastructureLost) {
    add(40, 36);
    add(100, 90);
    for (std::size_t i = 0; i < 20; ++i) {
        rows_[i].lost = 1;
        rows_[i].rubric_passed = 0;
        rows_[i].sample_score = 0;
    }
    EXPECT_EQ(test_first(40).finding(), SliceFinding::nothing_found);
    for (std::size_t i = 0; i < 21; ++i)
        rows_[i].lost = 1;
    EXPECT_EQ(test_first(40).finding(), SliceFinding::not_tested) << "19 were measured";
    EXPECT_EQ(test_first(40).reason, "fewer than 20 samples measured");
}

TEST_F(SliceTesterTest, IsOfTwoMindsWhereScoreAndPassRateDisagree) {
    job::SliceTest test;
    test.aggregate_score = {0.1, 0.001, 0.01};
    EXPECT_EQ(test.finding(), SliceFinding::higher);
    test.rubric_pass_rate = {-0.1, 0.001, 0.01};
    EXPECT_EQ(test.finding(), SliceFinding::mixed);
}

TEST_F(SliceTesterTest, HoldsRunsOverTheSameSamplesAgainstEachOtherSampleBySample) {
    add(60, 40);
    std::vector<TrialRow> better = rows_;
    std::vector<TrialRow> same = rows_;
    for (std::size_t i = 40; i < 52; ++i)
        better[i].rubric_passed = 1;  // 12 samples won, none lost: hardly 0.2 of the rate
    RunSliceTester tester({6, 42});
    tester.add_run(all());
    tester.add_run(Population(better, all_));
    tester.add_run(Population(same, all_));
    job::SliceTest test = tester.test(std::array<std::size_t, 1>{1}, Population(better, all_));
    job::SliceTest* const only = &test;
    correct_slice_tests(std::span(&only, 1));
    EXPECT_NEAR(test.rubric_pass_rate.difference.value(), 0.2, 1e-12);
    EXPECT_LT(test.rubric_pass_rate.p_value.value(), 0.01);
    EXPECT_EQ(test.aggregate_score.p_value, 1.0) << "the scores are the same";
    EXPECT_EQ(tester.test(std::array<std::size_t, 3>{0, 1, 2}, all()).reason,
              "it has every run of the group");
}

}  // namespace
}  // namespace evalfleet::reduce
