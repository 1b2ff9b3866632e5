#include "common/statistics/resampling.hpp"

#include "common/statistics/dot_product.hpp"
#include "common/statistics/parallel_for.hpp"
#include "common/statistics/vector_unit.hpp"
#include "common/statistics/weighted_sums.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace evalfleet::statistics {
namespace {

std::vector<std::uint32_t> draw_by_draw(std::uint64_t key, std::size_t units) {
    std::vector<std::uint32_t> counts(units);
    for (std::size_t i = 0; i < units; ++i) {
        ++counts[draw(key, i, units)];
    }
    return counts;
}

TEST(Resampling, DrawsAreTheSpecifiedNumbers) {
    // mix(0) of splitmix64 is 0, so seed = -(b + 1) * step gives key 0.
    EXPECT_EQ(replicate_key(0 - 0xD1B54A32D192ED03, 0), 0U);
    // The first output of splitmix64 seeded with 0 is e220a8397b1dcdaf.
    EXPECT_EQ(draw(0, 0, 1ULL << 32), 0xe220a839U);
    EXPECT_EQ(draw(0, 1, 1ULL << 32), 0x6e789e6aU);
}

TEST(Resampling, CountingEqualsDrawingOneByOne) {
    for (const std::size_t units : {1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 1000U, 70001U}) {
        const std::uint64_t key = replicate_key(42, units);
        const auto expected = draw_by_draw(key, units);
        std::vector<std::uint32_t> counts(units, 99);
        count_draws(key, counts);
        EXPECT_EQ(counts, expected);
        for (const bool portable : {false, true}) {
            set_portable(portable);
            std::vector<std::uint8_t> bytes(units, 99);
            count_draws_modulo_256(key, bytes);
            EXPECT_EQ(std::vector<std::uint32_t>(bytes.begin(), bytes.end()), expected);
        }
        set_portable(false);
    }
}

class RandomColumns {
  public:
    std::vector<std::uint32_t> column(std::size_t units, std::uint32_t most) {
        std::vector<std::uint32_t> values(units);
        for (auto& value : values) {
            value = static_cast<std::uint32_t>(random_() % (std::uint64_t{most} + 1));
        }
        return values;
    }
    std::vector<std::uint8_t> multiplicity(std::size_t units) {
        std::vector<std::uint8_t> counts(units);
        for (auto& count : counts) {
            count = static_cast<std::uint8_t>(random_() % 4 == 0 ? 255 : random_() % 4);
        }
        return counts;
    }

  private:
    std::mt19937_64 random_{9};
};

TEST(WeightedSums, EqualPlainSumsForEveryWidthAndLength) {
    RandomColumns random;
    for (const std::size_t units : {1U, 31U, 32U, 33U, 2047U, 2048U, 2049U, 5000U}) {
        WeightedSums sums(units);
        std::vector<std::vector<std::uint32_t>> columns{std::vector<std::uint32_t>(units, 1)};
        for (const std::uint32_t most : {0U, 2U, 63U, 64U, 40000U, (1U << 30) - 1}) {
            columns.push_back(random.column(units, most));
        }
        columns.emplace_back(units, (1U << 30) - 1);
        std::vector<std::size_t> places;
        for (const auto& column : columns) {
            places.push_back(sums.add(column));
        }
        const auto counts = random.multiplicity(units);
        const std::span<const std::uint8_t> spans[] = {counts, counts};
        for (const bool portable : {false, true}) {
            set_portable(portable);
            std::vector<std::uint64_t> results(2 * sums.columns());
            sums.multiply(spans, results);
            for (std::size_t c = 0; c < columns.size(); ++c) {
                std::uint64_t expected = 0;
                for (std::size_t i = 0; i < units; ++i) {
                    expected += std::uint64_t{counts[i]} * columns[c][i];
                }
                EXPECT_EQ(results[places[c]], expected);
                EXPECT_EQ(results[sums.columns() + places[c]], expected);
            }
        }
        set_portable(false);
        const std::vector<std::uint32_t> wide(counts.begin(), counts.end());
        std::vector<std::uint64_t> narrow_results(sums.columns());
        std::vector<std::uint64_t> wide_results(sums.columns());
        sums.multiply(std::span(spans).first(1), narrow_results);
        sums.multiply(wide, wide_results);
        EXPECT_EQ(narrow_results, wide_results);
    }
}

TEST(WeightedSums, StoresEqualColumnsOnce) {
    WeightedSums sums(3);
    const std::vector<std::uint32_t> ones{1, 1, 1};
    const std::vector<std::uint32_t> other{5, 1, 9};
    EXPECT_EQ(sums.add(ones), WeightedSums::kOnes);
    EXPECT_EQ(sums.add(other), sums.add(other));
    EXPECT_EQ(sums.columns(), 2U);
}

TEST(ParallelFor, CallsEachIndexOnce) {
    for (unsigned threads = 1; threads <= 8; ++threads) {
        std::vector<std::atomic<int>> calls(100);
        parallel_for(threads, calls.size(), [&](unsigned worker, std::size_t i) {
            EXPECT_LT(worker, threads);
            ++calls[i];
        });
        for (const auto& count : calls) {
            EXPECT_EQ(count, 1);
        }
    }
}

TEST(ParallelFor, ThrowsWhatABodyThrew) {
    EXPECT_THROW(parallel_for(4, 100,
                              [](unsigned, std::size_t i) {
                                  if (i == 50) throw std::runtime_error("fifty");
                              }),
                 std::runtime_error);
}

}  // namespace
}  // namespace evalfleet::statistics
