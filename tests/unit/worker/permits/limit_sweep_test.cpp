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

/// Calls at once that make the most of a provider.
double calls_of(const SweepCase& one) {
    return one.bottleneck == Bottleneck::rate ? one.size * one.mean_ms() / 1e3 : one.size;
}

/// Every size, every number of callers; each with draws of its own.
std::vector<SweepCase> cases_of(Bottleneck bottleneck, Variation variation, double service_ms) {
    std::vector<SweepCase> cases;
    for (const double size : kSizes) {
        const double calls = calls_of({bottleneck, size, service_ms, variation});
        const double least = bottleneck == Bottleneck::rate ? 2 : calls + 1;
        for (std::size_t callers = 0; callers < std::size(kCallers); ++callers) {
            const double demand = std::max(least, std::ceil(kCallers[callers] * calls));
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

/// Limits that refuse, of which nothing is known but the refusals. A few cases are a little outside
/// (mostly limits of one to three calls a second, and answers of very different length); none far.
class RefusalSweep : public ::testing::TestWithParam<std::tuple<Bottleneck, Variation, double>> {};

TEST_P(RefusalSweep, KeepsNearTheOptimum) {
    const auto [bottleneck, variation, service_ms] = GetParam();
    const double most_outside = bottleneck == Bottleneck::cap ? 0.1 : 0.2;
    double cases = 0, outside = 0;
    std::string which;
    for (const SweepCase& each : cases_of(bottleneck, variation, service_ms)) {
        const SweepResult result = Sweep(each).run();
        EXPECT_GE(result.used, 0.45) << each.name() << ": " << result.text();
        EXPECT_LE(result.refused, 0.15) << each.name() << ": " << result.text();
        cases += 1;
        if (result.is_good()) continue;
        outside += 1;
        which += each.name() + ": " + result.text() + "\n";
    }
    RecordProperty("outside", std::to_string(outside) + " of " + std::to_string(cases));
    EXPECT_LE(outside, most_outside * cases) << which;
}

INSTANTIATE_TEST_SUITE_P(LimitController, RefusalSweep,
                         ::testing::Combine(::testing::Values(Bottleneck::cap, Bottleneck::rate),
                                            ::testing::Values(Variation::none, Variation::lognormal,
                                                              Variation::tokens),
                                            ::testing::Values(30, 100, 300, 1'000, 2'000)));

}  // namespace
}  // namespace evalfleet::worker
