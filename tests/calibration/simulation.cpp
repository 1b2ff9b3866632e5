#include "tests/calibration/simulation.hpp"

#include "common/statistics/parallel_for.hpp"
#include "common/statistics/resampling.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numbers>

namespace evalfleet::calibration {

namespace {

constexpr std::uint64_t kSeed = 20261118;

// A misspelt number is no reason to simulate something else than was asked for.
std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') return otherwise;
    const char* const end = text + std::strlen(text);
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text, end, number);
    if (error == std::errc{} && rest == end) return number;
    fmt::print(stderr, "{}: '{}' is not a whole number\n", variable, text);
    std::exit(2);
}

std::size_t long_runs() {
    return number_from("EVALFLEET_CALIBRATION_RUNS", 0);
}

std::uint64_t seed() {
    return number_from("EVALFLEET_CALIBRATION_SEED", kSeed);
}

unsigned threads() {
    return statistics::resolve_threads(
        static_cast<unsigned>(number_from("EVALFLEET_CALIBRATION_THREADS", 0)));
}

}  // namespace

double Random::uniform() noexcept {
    const std::uint64_t bits = statistics::random_bits(key_, drawn_++) >> 11;
    return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

double Random::normal() noexcept {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::size_t simulations(std::size_t bounded) {
    const std::size_t runs = long_runs();
    return runs == 0 ? bounded : runs;
}

std::size_t count_decisions(std::size_t simulated, const std::function<bool(Random&)>& decides) {
    return count_each(simulated, [&](Random& random) { return Decisions{decides(random)}; })[0];
}

std::vector<std::size_t> count_each(std::size_t simulated,
                                    const std::function<Decisions(Random&)>& decides) {
    std::vector<Decisions> decided(simulated);
    statistics::parallel_for(threads(), simulated, [&, from = seed()](unsigned, std::size_t i) {
        Random random(statistics::replicate_key(from, i));
        decided[i] = decides(random);
    });
    std::vector<std::size_t> counts(decided.at(0).size());
    for (const Decisions& decisions : decided)
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] += decisions[i] ? 1 : 0;
    return counts;
}

double most_of(std::size_t simulated, double rate) {
    constexpr double kOnceInAThousand = 3.1;
    const auto count = static_cast<double>(simulated);
    return count * rate + kOnceInAThousand * std::sqrt(count * rate * (1 - rate)) + 1;
}

void report(const std::string& heading, const std::string& what, const std::string& promised,
            std::size_t decisions, std::size_t simulated) {
    static std::string last;
    if (long_runs() == 0) return;
    if (heading != last) {
        fmt::print("\n| {} | promised | simulated |\n|---|---|---|\n", heading);
        last = heading;
    }
    fmt::print("| {} | {} | {:.1f} % of {} |\n", what, promised,
               100.0 * static_cast<double>(decisions) / static_cast<double>(simulated), simulated);
}

}  // namespace evalfleet::calibration
