#include "tests/unit/worker/permits/limit_sweep.hpp"

#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using testing::Bottleneck;
using testing::Sweep;
using testing::SweepCase;
using testing::SweepResult;
using testing::Variation;

constexpr double kSizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 50, 64, 100, 200};
constexpr double kCallers[] = {1.1, 1.5, 2.5, 10};  // times the size
constexpr std::uint64_t kSeeds = 2;

/// Every size, every number of callers; each with draws of its own.
std::vector<SweepCase> cases_of(Bottleneck bottleneck, Variation variation, double service_ms) {
    std::vector<SweepCase> cases;
    for (const double size : kSizes) {
        for (std::size_t callers = 0; callers < std::size(kCallers); ++callers) {
            const double demand = std::max(size + 1, std::ceil(kCallers[callers] * size));
            // Without variation draws make no difference.
            const std::uint64_t seeds = variation == Variation::none ? 1 : kSeeds;
            for (std::uint64_t seed = 1; seed <= seeds; ++seed)
                cases.push_back(
                    {bottleneck, size, service_ms, variation, demand, 10 * seed + callers});
        }
    }
    return cases;
}

/// A server that queues: whatever its size, and however long its calls take.
class QueueSweep : public ::testing::TestWithParam<std::tuple<Variation, double>> {};

TEST_P(QueueSweep, KeepsTheLimitWithinAFifthOfTheOptimum) {
    const auto [variation, service_ms] = GetParam();
    for (const SweepCase& each : cases_of(Bottleneck::slots, variation, service_ms)) {
        const SweepResult result = Sweep(each).run();
        EXPECT_TRUE(result.is_good()) << each.name() << ": " << result.text();
    }
}

INSTANTIATE_TEST_SUITE_P(LimitController, QueueSweep,
                         ::testing::Combine(::testing::Values(Variation::none, Variation::lognormal,
                                                              Variation::tokens),
                                            ::testing::Values(30, 100, 300, 1'000, 2'000)));

}  // namespace
}  // namespace evalfleet::worker
