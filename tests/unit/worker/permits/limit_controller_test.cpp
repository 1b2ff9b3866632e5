#include "worker/permits/limit_controller.hpp"

#include "tests/unit/worker/permits/simulated_provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evalfleet::worker {
namespace {

using ::testing::Contains;
using testing::FleetFigures;
using testing::FleetModel;
using ::testing::HasSubstr;
using testing::ProviderModel;
using testing::SimulatedFleet;

/// At most a fifth, or one call, from the optimum.
void expect_around(const FleetFigures& figures, double optimum) {
    const double most = std::max(1.0, 0.2 * optimum);
    EXPECT_GE(figures.lowest_limit, optimum - most);
    EXPECT_LE(figures.highest_limit, optimum + most);
}

/// What a server with so many slots does in a second.
double rate_of(const ProviderModel& provider) {
    double mean_ms = provider.service_ms * std::exp(provider.sigma * provider.sigma / 2);
    if (provider.token_spread > 1)
        mean_ms *= (provider.token_spread - 1) / std::log(provider.token_spread);
    return provider.slots * 1e3 / mean_ms;
}

constexpr ProviderModel kSerial{.service_ms = 2'000, .slots = 1, .timeout_ms = 20'000};

TEST(LimitController, FindsThatAServerWorksOnOneCallAtATime) {
    SimulatedFleet fleet(kSerial);
    FleetFigures all = fleet.run(240);
    EXPECT_EQ(all.timed_out, 0);
    EXPECT_GE(all.per_second(), 0.9 * rate_of(kSerial));
    EXPECT_LE(all.median_ms(), 1.5 * kSerial.service_ms);
    all = fleet.run(300);
    EXPECT_EQ(all.timed_out, 0);
    EXPECT_GE(all.per_second(), 0.9 * rate_of(kSerial));
    EXPECT_LE(all.median_ms(), 1.5 * kSerial.service_ms);
    expect_around(all, 1);
}

TEST(LimitController, WhichAFleetThatNeverLearnsDoesNot) {
    SimulatedFleet fleet(kSerial, {.learns = false});
    const FleetFigures all = fleet.run(240);
    EXPECT_GT(all.timed_out, 20);
    EXPECT_GT(all.median_ms(), 1.5 * kSerial.service_ms);
}

class Slots : public ::testing::TestWithParam<double> {};

TEST_P(Slots, AreFoundAndKeptTo) {
    const ProviderModel provider{.service_ms = 2'000, .slots = GetParam(), .timeout_ms = 20'000};
    SimulatedFleet fleet(provider);
    EXPECT_EQ(fleet.run(120).timed_out, 0);
    const FleetFigures settled = fleet.run(400);
    EXPECT_EQ(settled.timed_out, 0);
    EXPECT_GE(settled.per_second(), 0.9 * rate_of(provider));
    EXPECT_LE(settled.median_ms(), 1.5 * provider.service_ms);
    expect_around(settled, provider.slots);
}

INSTANTIATE_TEST_SUITE_P(LimitController, Slots, ::testing::Values(2, 3, 5, 8));

/// Servers of every size, and a fleet that calls less at once than twice what they work on: then no
/// call waits for the limit any more when the search has passed it.
class Flood : public ::testing::TestWithParam<double> {};

TEST_P(Flood, IsKeptFromAServerThatQueues) {
    for (const double service_ms : {30.0, 200.0, 2'000.0}) {
        for (const double sigma : {0.0, 0.3}) {
            const ProviderModel provider{
                .service_ms = service_ms, .sigma = sigma, .slots = GetParam()};
            SimulatedFleet fleet(provider, {.demand = 2.5 * GetParam()});
            (void)fleet.run(120);
            const FleetFigures settled = fleet.run(200);
            EXPECT_LE(settled.median_ms(), 1.5 * service_ms) << service_ms << " " << sigma;
            EXPECT_GE(settled.per_second(), 0.9 * rate_of(provider)) << service_ms << " " << sigma;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(LimitController, Flood, ::testing::Values(40, 50, 64, 80, 100));

/// Service times of real models vary: a few calls by chance must not decide for long. Every seed is
/// another chance.
class Chance : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Chance, DoesNotDecideWhereServiceTimesVary) {
    const ProviderModel provider{.service_ms = 200, .sigma = 0.3, .slots = 50};
    SimulatedFleet fleet(provider, {.seed = GetParam()});
    (void)fleet.run(60);
    const FleetFigures settled = fleet.run(120);
    EXPECT_GE(settled.per_second(), 0.9 * rate_of(provider));
    EXPECT_LE(settled.median_ms(), 1.5 * provider.service_ms);
    EXPECT_LE(std::abs(fleet.controller().calls() / provider.slots - 1), 0.2);
}

TEST_P(Chance, DoesNotHoldBackAProviderThatServesAllSideBySide) {
    const ProviderModel provider{.service_ms = 1'000, .sigma = 0.5};
    SimulatedFleet fleet(provider, {.demand = 32, .seed = GetParam()});
    (void)fleet.run(120);
    const double fixed_optimum = rate_of({.service_ms = 1'000, .sigma = 0.5, .slots = 32});
    EXPECT_GE(fleet.run(120).per_second(), 0.9 * fixed_optimum);
}

TEST_P(Chance, DoesNotCutForLongAnswers) {
    for (const bool tells_tokens : {true, false}) {
        ProviderModel provider{.service_ms = 100, .token_spread = 20};
        provider.tells_tokens = tells_tokens;
        SimulatedFleet fleet(provider, {.demand = 32, .seed = GetParam()});
        (void)fleet.run(60);
        const FleetFigures settled = fleet.run(120);
        provider.slots = 32;
        EXPECT_GE(settled.per_second(), 0.9 * rate_of(provider)) << tells_tokens;
    }
}

INSTANTIATE_TEST_SUITE_P(LimitController, Chance, ::testing::Range<std::uint64_t>(1, 5));

TEST(LimitController, DoesNotOscillateOnceItHasSettled) {
    const ProviderModel provider{.service_ms = 200, .sigma = 0.3, .slots = 50};
    SimulatedFleet fleet(provider);
    (void)fleet.run(120);
    const FleetFigures settled = fleet.run(300);
    expect_around(settled, 50);
    EXPECT_GE(settled.per_second(), 0.9 * rate_of(provider));
}

TEST(LimitController, FindsSlotsWhereAnswersDifferInLength) {
    const ProviderModel provider{.service_ms = 500, .token_spread = 20, .slots = 8};
    SimulatedFleet fleet(provider);
    (void)fleet.run(320);  // a hundred service times
    const FleetFigures settled = fleet.run(600);
    expect_around(settled, 8);
    EXPECT_GE(settled.per_second(), 0.9 * rate_of(provider));
}

TEST(LimitController, DoesNotCutForAFewRefusalsAtRandom) {
    SimulatedFleet fleet({.service_ms = 100, .random_429 = 0.05}, {.demand = 64});
    (void)fleet.run(5);
    const FleetFigures settled = fleet.run(30);
    EXPECT_GE(settled.lowest_limit, 64);
    EXPECT_EQ(fleet.controller().rate(), 0);
}

TEST(LimitController, SoonFindsThatRefusalsHaveNothingToDoWithTheLoad) {
    for (const double share : {0.08, 0.1, 0.15, 0.2, 0.3}) {
        SCOPED_TRACE(share);
        SimulatedFleet fleet({.service_ms = 30, .random_429 = share}, {.demand = 128});
        (void)fleet.run(10);
        EXPECT_THAT(fleet.reasons(), Contains(HasSubstr("are refused at any load")));
        const FleetFigures settled = fleet.run(60);
        EXPECT_GE(settled.lowest_limit, 128);
        EXPECT_EQ(fleet.controller().rate(), 0);
    }
}

TEST(LimitController, IsNotHeldBackForLongByRefusalsAtRandom) {
    for (const double share : {0.03, 0.05, 0.1, 0.2}) {
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            const ProviderModel provider{.service_ms = 200, .sigma = 0.3, .random_429 = share};
            SimulatedFleet fleet(provider, {.demand = 128, .seed = seed});
            (void)fleet.run(90);
            EXPECT_GE(fleet.run(120).per_second(), 0.85 * (1 - share) * 128 / 0.209)
                << share << ", seed " << seed;
        }
    }
}

TEST(LimitController, FindsALimitAmongRefusalsAtRandom) {
    SimulatedFleet fleet({.service_ms = 200, .cap = 16, .random_429 = 0.1}, {.demand = 64});
    (void)fleet.run(15);
    const FleetFigures settled = fleet.run(60);
    EXPECT_GE(settled.per_second(), 0.9 * 0.9 * 80);
    EXPECT_LE(settled.highest_limit, 24);
}

TEST(LimitController, FindsHowManyCallsAtOnceAreNotRefused) {
    const ProviderModel provider{.service_ms = 100, .cap = 32};
    SimulatedFleet fleet(provider);
    (void)fleet.run(40);
    const FleetFigures settled = fleet.run(100);
    EXPECT_GE(settled.per_second(), 0.9 * 320);
    EXPECT_LE(settled.refused_share(), 0.05);
    expect_around(settled, 32);
}

TEST(LimitController, WhichAFleetThatNeverLearnsIsRefusedFor) {
    SimulatedFleet fleet({.service_ms = 100, .cap = 32}, {.learns = false});
    EXPECT_GT(fleet.run(20).refused_share(), 0.05);
}

/// Requests a minute, and how long a call takes.
class LimitAMinute : public ::testing::TestWithParam<std::tuple<double, double>> {};

TEST_P(LimitAMinute, IsFoundWithinTwoMinutes) {
    const auto [per_minute, service_ms] = GetParam();
    for (const bool tells_wait : {false, true}) {
        ProviderModel provider{.service_ms = service_ms, .sigma = 0.3, .per_minute = per_minute};
        provider.tells_wait = tells_wait;
        SimulatedFleet fleet(provider);
        (void)fleet.run(120);
        const FleetFigures settled = fleet.run(240);
        EXPECT_GE(settled.per_second(), 0.9 * per_minute / 60) << tells_wait;
        // A probe of a call a second costs several of sixty.
        EXPECT_LE(settled.refused_share(), per_minute > 60 ? 0.05 : 0.08) << tells_wait;
    }
}

INSTANTIATE_TEST_SUITE_P(LimitController, LimitAMinute,
                         ::testing::Combine(::testing::Values(60, 600, 3'000),
                                            ::testing::Values(30, 200, 2'000)));

TEST(LimitController, FindsALimitASecond) {
    SimulatedFleet fleet({.service_ms = 30, .per_second = 10});
    (void)fleet.run(60);
    const FleetFigures settled = fleet.run(120);
    EXPECT_GE(settled.per_second(), 9);
    EXPECT_LE(settled.refused_share(), 0.05);
}

TEST(LimitController, IsBackSoonAfterAnOutage) {
    const ProviderModel provider{.service_ms = 200, .outage_from = 30'000, .outage_until = 90'000};
    SimulatedFleet fleet(provider, {.demand = 64});
    (void)fleet.run(20);
    const double before = fleet.run(10).per_second();
    const FleetFigures outage = fleet.run(60);
    EXPECT_LE(outage.answered, 64) << "those that were under way";
    EXPECT_LT(outage.refused, 500) << "a call now and then, to see";
    (void)fleet.run(10);
    EXPECT_GE(fleet.run(10).per_second(), 0.9 * before);
}

TEST(LimitController, DoesNotCutForCallsThatAreNeverAnswered) {
    SimulatedFleet fleet({.service_ms = 100, .timeout_ms = 3'000, .never = 0.01}, {.demand = 64});
    (void)fleet.run(10);
    const FleetFigures settled = fleet.run(60);
    EXPECT_GE(settled.lowest_limit, 64);
    EXPECT_GT(settled.timed_out, 0);
}

TEST(LimitController, BeginsWithWhatIsConfiguredAndNeverExceedsIt) {
    const FleetModel configured{.key = {.name = "k", .max_concurrent = 24}};
    EXPECT_EQ(LimitController::start(configured.key).calls(), 24);
    SimulatedFleet fleet({.service_ms = 100}, configured);
    const FleetFigures all = fleet.run(120);
    EXPECT_EQ(all.most_running, 24);
    EXPECT_LE(all.highest_limit, 24);
    EXPECT_GE(all.per_second(), 0.95 * 240);
}

TEST(LimitController, LearnsBelowWhatIsConfigured) {
    const ProviderModel provider{.service_ms = 500, .slots = 4};
    SimulatedFleet fleet(provider, {.key = {.name = "k", .max_concurrent = 24}});
    (void)fleet.run(300);
    const FleetFigures settled = fleet.run(300);
    EXPECT_LE(settled.median_ms(), 1.5 * provider.service_ms);
    EXPECT_GE(settled.per_second(), 0.9 * rate_of(provider));
}

TEST(LimitController, BeginsWithASecondOfTheConfiguredRequests) {
    EXPECT_EQ(LimitController::start({.name = "k", .rpm = 600}).calls(), 10);
    EXPECT_EQ(LimitController::start({.name = "k", .rpm = 10}).calls(), 1);
    EXPECT_EQ(LimitController::start({.name = "k"}).calls(), 1);
    EXPECT_EQ(LimitController::start({.name = "k", .rpm = 600, .max_concurrent = 3}).calls(), 3);
}

TEST(LimitController, SurvivesTheWayThroughText) {
    SimulatedFleet fleet({.service_ms = 100, .cap = 32});
    (void)fleet.run(20);
    const LimitController& controller = fleet.controller();
    EXPECT_EQ(LimitController::parse(controller.text(), {.name = "k"}), controller);
}

TEST(LimitController, RefusesAStateThatMakesNoSense) {
    const queue::LimitKey key{.name = "k"};
    const std::string good = LimitController::start(key).text();
    ASSERT_TRUE(LimitController::parse(good, key));
    const std::string rest = good.substr(good.find(',') + 1);
    for (const std::string& text :
         {std::string(), std::string("garbage"), std::string("1,2,3"), good + ",1", good + ",",
          "," + good, good.substr(0, good.size() - 2), "nan," + rest, "inf," + rest, "-1," + rest,
          "1e999," + rest})
        EXPECT_FALSE(LimitController::parse(text, key)) << text;
    EXPECT_FALSE(LimitController::parse(good, {.name = "k", .max_concurrent = 8}))
        << "it was made for other limits";
}

TEST(LimitController, GoesOnFromTheLimitOfWorkersWhoseStateItCannotRead) {
    const queue::LimitKey key{.name = "k"};
    EXPECT_EQ(LimitController::of({.version = 7, .state = "1,2,3", .calls = 40}, key).calls(), 40);
    EXPECT_EQ(LimitController::of({.version = 7, .state = "1,2,3", .calls = -1}, key).calls(), 1);
    EXPECT_EQ(LimitController::of({}, key), LimitController::start(key));
    const queue::LimitKey given{.name = "k", .max_concurrent = 24};
    EXPECT_EQ(LimitController::of({.version = 7, .state = "1,2,3", .calls = 40}, given).calls(),
              24);
    const std::string other = LimitController::start(given).text();
    EXPECT_EQ(LimitController::of({.version = 7, .state = other, .calls = 24}, key).calls(), 1)
        << "it was made for other limits";
}

TEST(LimitController, StandsAnyNumbersThatPass) {
    const queue::LimitKey key{.name = "k"};
    const std::string good = LimitController::start(key).text();
    std::mt19937_64 random(1);
    for (int i = 0; i < 2'000; ++i) {
        // One number after the other is replaced.
        std::string text;
        const std::size_t victim = random() % 200;
        std::size_t at = 0;
        for (std::size_t begin = 0; begin < good.size(); ++at) {
            const std::size_t end = std::min(good.size(), good.find(',', begin));
            if (at > 0) text += ',';
            const double strange[] = {-1e300, -1, 0, 0.5, 4, 1e5, 1e300};
            text += at == victim ? std::to_string(strange[random() % 7])
                                 : good.substr(begin, end - begin);
            begin = end + 1;
        }
        auto controller = LimitController::parse(text, key);
        if (!controller) continue;
        LimitTick tick;
        tick.sums.answered = 30;
        tick.sums.throttled = static_cast<double>(random() % 30);
        tick.sums.waited = 30;
        for (int call = 0; call < 30; ++call)
            tick.sums.service[0].add(100, 10);
        tick.elapsed_ms = 1'000;
        tick.running = 5;
        for (int step = 1; step < 20; ++step) {
            tick.now = ServerTime(step * 1'000);
            (void)controller->step(tick);
            ASSERT_GE(controller->calls(), 1) << text;
            ASSERT_LE(controller->calls(), ThrottleCeiling::kMost) << text;
            ASSERT_GE(controller->rate(), 0) << text;
        }
    }
}

}  // namespace
}  // namespace evalfleet::worker
