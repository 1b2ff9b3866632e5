#pragma once

#include "tests/unit/worker/permits/simulated_provider.hpp"

#include <fmt/format.h>

namespace evalfleet::worker::testing {

/// What keeps calls from being served all at once.
enum class Bottleneck {
    slots,  ///< calls beyond them queue
    cap,    ///< calls at once beyond it are refused
    rate,   ///< calls a second beyond it are refused
};

/// How service times differ from call to call.
enum class Variation {
    none,
    lognormal,  ///< sigma 0.3
    tokens,     ///< in proportion to the answer's length, 20x from shortest to longest
};

/// One provider, one fleet.
struct SweepCase {
    Bottleneck bottleneck = Bottleneck::slots;
    double size = 1;  ///< slots, cap, or calls a second
    double service_ms = 30;
    Variation variation = Variation::none;
    double demand = 2;  ///< calls that the fleet would make at once
    std::uint64_t seed = 1;

    [[nodiscard]] double mean_ms() const {
        if (variation == Variation::lognormal) return service_ms * std::exp(0.045);
        if (variation == Variation::tokens) return service_ms * 19 / std::log(20) / std::sqrt(20);
        return service_ms;
    }
    [[nodiscard]] std::string name() const {
        static constexpr const char* kBottlenecks[] = {"slots", "cap", "rate"};
        static constexpr const char* kVariations[] = {"fixed", "lognormal", "tokens"};
        return fmt::format("{} {} x {} ms {}, {} callers, seed {}",
                           kBottlenecks[static_cast<int>(bottleneck)], size, service_ms,
                           kVariations[static_cast<int>(variation)], demand, seed);
    }
};

/// What came of it, after the warm-up.
struct SweepResult {
    double lowest = 0;  ///< calls at once (or a second) that the limit let the fleet make
    double highest = 0;
    double used = 0;     ///< share of what the provider can do
    double latency = 0;  ///< median, in terms of the service time's median
    double refused = 0;  ///< share of calls
    bool is_low = false;
    bool is_high = false;
    bool is_idle = false;
    bool is_slow = false;
    bool is_refused = false;

    [[nodiscard]] bool is_good() const {
        return !is_low && !is_high && !is_idle && !is_slow && !is_refused;
    }
    [[nodiscard]] std::string text() const {
        return fmt::format(
            "limit {:.4g} to {:.4g}, used {:.2f}, latency {:.2f}, refused {:.3f}:{}{}{}{}{}",
            lowest, highest, used, latency, refused, is_low ? " low" : "", is_high ? " high" : "",
            is_idle ? " idle" : "", is_slow ? " slow" : "", is_refused ? " refused" : "");
    }
};

class Sweep {
  public:
    explicit Sweep(const SweepCase& one) : case_(one) {}

    [[nodiscard]] SweepResult run() const {
        FleetModel fleet;
        fleet.demand = case_.demand;
        fleet.seed = case_.seed;
        SimulatedFleet simulated(provider(), fleet);
        (void)simulated.run(warm_up());
        return judge(simulated.run(measured()));
    }
    /// Two minutes, or for slow calls and slow rates so many calls.
    [[nodiscard]] double warm_up() const {
        return std::max({120.0, 200 * mean_ms() / 1e3, kTellingCalls / capacity()});
    }
    [[nodiscard]] double measured() const {
        return std::max({60.0, 100 * mean_ms() / 1e3, kFewestCalls / capacity()});
    }

  private:
    static constexpr double kTellingCalls = 300;
    static constexpr double kFewestCalls = 500;  // fewer say little about a median

    [[nodiscard]] ProviderModel provider() const {
        ProviderModel model;
        model.service_ms = case_.service_ms;
        if (case_.variation == Variation::lognormal) model.sigma = 0.3;
        if (case_.variation == Variation::tokens) {
            model.token_spread = 20;
            model.service_ms /= std::sqrt(20);  // so that the median is the same
        }
        if (case_.bottleneck == Bottleneck::slots) model.slots = case_.size;
        if (case_.bottleneck == Bottleneck::cap) model.cap = case_.size;
        if (case_.bottleneck == Bottleneck::rate) model.per_second = case_.size;
        return model;
    }
    [[nodiscard]] double mean_ms() const { return case_.mean_ms(); }
    [[nodiscard]] double capacity() const {
        if (case_.bottleneck == Bottleneck::rate) return case_.size;
        return case_.size * 1e3 / mean_ms();
    }
    [[nodiscard]] SweepResult judge(const FleetFigures& figures) const {
        SweepResult result;
        const bool is_rate = case_.bottleneck == Bottleneck::rate;
        result.lowest = is_rate ? figures.lowest_rate : figures.lowest_limit;
        result.highest = is_rate ? figures.highest_rate : figures.highest_limit;
        // More than all callers make means nothing.
        const double demand = is_rate ? case_.demand * 1e3 / mean_ms() : case_.demand;
        result.lowest = std::min(demand, result.lowest);
        result.highest = std::min(demand, result.highest);
        result.used = case_.bottleneck == Bottleneck::slots
                          ? figures.busy_ms / (case_.size * figures.seconds * 1e3)
                          : figures.per_second() / capacity();
        result.latency = figures.median_ms() / case_.service_ms;
        result.refused = figures.refused_share();
        // A provider that refuses so few calls that it is tolerated has no limit learnt.
        const bool is_learnt = case_.bottleneck == Bottleneck::slots || result.highest < demand;
        // A limit is whole calls.
        const double one = is_rate ? 1e3 / mean_ms() : 1;
        const double least = std::floor(case_.size / one) * one - one;
        const double most = std::ceil(case_.size / one) * one + one;
        result.is_low = is_learnt && result.lowest < std::min(0.8 * case_.size, least) - 1e-9;
        result.is_high = is_learnt && result.highest > std::max(1.2 * case_.size, most) + 1e-9;
        result.is_idle = result.used < 0.9;
        result.is_slow = result.latency > 1.5;
        result.is_refused = result.refused > 0.05;
        return result;
    }

    SweepCase case_;
};

}  // namespace evalfleet::worker::testing
