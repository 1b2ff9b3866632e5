#include "common/statistics/bootstrap.hpp"

#include "common/statistics/vector_unit.hpp"
#include "tests/unit/common/statistics/naive_bootstrap.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace evalfleet::statistics {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Clusters = NaiveBootstrap::Clusters;

struct Flat {
    explicit Flat(const Clusters& clusters) {
        for (const auto& cluster : clusters) {
            begin.push_back(static_cast<std::uint32_t>(values.size()));
            values.insert(values.end(), cluster.begin(), cluster.end());
        }
        begin.push_back(static_cast<std::uint32_t>(values.size()));
    }
    std::vector<double> values;
    std::vector<std::uint32_t> begin;
};

void expect_as_naive(const Clusters& clusters, std::uint32_t replicates, std::uint64_t seed,
                     unsigned threads = 1) {
    const Flat flat(clusters);
    ClusterBootstrap bootstrap(flat.begin);
    const auto value = [&](std::size_t row) { return flat.values[row]; };
    bootstrap.add_mean(value);
    bootstrap.add_percentile(value, 0.95);
    bootstrap.add_percentile(value, 0.5);
    const auto got = bootstrap.run({replicates, seed, threads});
    const NaiveBootstrap naive(clusters, replicates, seed);
    EXPECT_EQ(got[0], naive.mean());
    EXPECT_EQ(got[1], naive.percentile(0.95));
    EXPECT_EQ(got[2], naive.percentile(0.5));
}

class RandomClusters {
  public:
    explicit RandomClusters(unsigned seed) : random_(seed) {}

    Clusters make() {
        const std::size_t samples = pick(1, 90);
        const std::size_t repeats = pick(1, 5);
        const int shape = static_cast<int>(pick(0, 5));
        const double absent = pick(0, 2) == 0 ? 0.6 : 0.05;
        Clusters clusters(samples);
        for (auto& cluster : clusters) {
            const std::size_t rows = pick(0, 3) == 0 ? pick(0, repeats) : repeats;
            for (std::size_t i = 0; i < rows; ++i) {
                cluster.push_back(uniform() < absent ? kNone : value(shape));
            }
        }
        return clusters;
    }

    std::size_t pick(std::size_t least, std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(least, most)(random_);
    }

  private:
    double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

    double value(int shape) {
        switch (shape) {
            case 0:
                return static_cast<double>(pick(0, 2));  // scores
            case 1:
                return std::round(uniform() * 9e6) / 1000;  // milliseconds
            case 2:
                return std::ldexp(uniform() - 0.5, int(pick(0, 120)) - 60);  // wild
            case 3:
                return 1234.567;  // all the same
            case 4:
                return pick(0, 1) == 0 ? 0.1 : 0.3;  // many ties
            default:
                return pick(0, 9) == 0 ? 1e15 : uniform();  // rare giants
        }
    }

    std::mt19937_64 random_;
};

TEST(ClusterBootstrap, EqualsTheNaiveOneBitByBitOnRandomData) {
    RandomClusters random(7);
    for (int round = 0; round < 120; ++round) {
        SCOPED_TRACE(round);
        const Clusters clusters = random.make();
        expect_as_naive(clusters, static_cast<std::uint32_t>(random.pick(1, 150)),
                        random.pick(0, ~std::size_t{0}), 1 + static_cast<unsigned>(round % 4));
    }
}

TEST(ClusterBootstrap, EqualsTheNaiveOneOnThousandsOfSamples) {
    std::mt19937_64 random(3);
    std::lognormal_distribution<double> latency(7, 1);
    Clusters clusters(5003);
    for (auto& cluster : clusters) {
        cluster = {latency(random), latency(random)};
    }
    expect_as_naive(clusters, 100, 42, 2);
}

TEST(ClusterBootstrap, GivesTheSameWithAndWithoutVectorInstructions) {
    RandomClusters random(11);
    for (int round = 0; round < 20; ++round) {
        const Flat flat(random.make());
        const auto run = [&] {
            ClusterBootstrap bootstrap(flat.begin);
            bootstrap.add_mean([&](std::size_t row) { return flat.values[row]; });
            bootstrap.add_percentile([&](std::size_t row) { return flat.values[row]; }, 0.95);
            return bootstrap.run({300, 5, 1});
        };
        const auto fast = run();
        set_portable(true);
        const auto portable = run();
        set_portable(false);
        EXPECT_EQ(fast, portable);
    }
}

TEST(ClusterBootstrap, DifferenceOfPercentilesUsesTheSameDraws) {
    std::mt19937_64 random(4);
    std::lognormal_distribution<double> latency(7, 1);
    Clusters clusters(400);
    for (auto& cluster : clusters) {
        cluster = {latency(random)};
    }
    const Flat flat(clusters);
    const auto value = [&](std::size_t row) { return flat.values[row]; };
    ClusterBootstrap bootstrap(flat.begin);
    bootstrap.add_percentile_difference([&](std::size_t row) { return value(row) + 256; }, value,
                                        0.95);
    const auto interval = bootstrap.run({200, 1, 2})[0];
    EXPECT_NEAR(interval->lower, 256, 1e-6);
    EXPECT_NEAR(interval->upper, 256, 1e-6);
}

TEST(ClusterBootstrap, HasNoIntervalWithoutClustersValuesOrReplicates) {
    const std::vector<std::uint32_t> nothing{0};
    ClusterBootstrap empty(nothing);
    empty.add_mean([](std::size_t) { return 1.0; });
    empty.add_percentile([](std::size_t) { return 1.0; }, 0.95);
    EXPECT_EQ(empty.run({10, 1, 1}), (std::vector<std::optional<Interval>>(2)));

    const std::vector<std::uint32_t> two{0, 1, 2};
    ClusterBootstrap absent(two);
    absent.add_mean([](std::size_t) { return kNone; });
    absent.add_percentile([](std::size_t) { return kNone; }, 0.95);
    EXPECT_EQ(absent.run({10, 1, 1}), (std::vector<std::optional<Interval>>(2)));

    ClusterBootstrap present(two);
    present.add_mean([](std::size_t) { return 1.5; });
    EXPECT_EQ(present.run({0, 1, 1}), (std::vector<std::optional<Interval>>(1)));
}

TEST(ClusterBootstrap, CoversTheTrueMeanAbout95TimesInAHundred) {
    std::mt19937_64 random(2026);
    std::normal_distribution<double> noise(0, 1);
    constexpr int kRounds = 600;
    int covered = 0;
    for (int round = 0; round < kRounds; ++round) {
        Clusters clusters(60);
        for (auto& cluster : clusters) {
            const double common = noise(random);
            cluster = {10 + common + 0.3 * noise(random), 10 + common + 0.3 * noise(random)};
        }
        const Flat flat(clusters);
        ClusterBootstrap bootstrap(flat.begin);
        bootstrap.add_mean([&](std::size_t row) { return flat.values[row]; });
        const auto interval = bootstrap.run({400, static_cast<std::uint64_t>(round), 1})[0];
        covered += interval->lower <= 10 && 10 <= interval->upper ? 1 : 0;
    }
    // A percentile interval of 60 clusters is known to be a little short of 95 %.
    EXPECT_GE(covered, kRounds * 91 / 100);
    EXPECT_LE(covered, kRounds * 98 / 100);
}

}  // namespace
}  // namespace evalfleet::statistics
