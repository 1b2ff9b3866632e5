// Does the fleet's own pacing spoil a measurement? Whole fleets (redis-server, coordinator,
// workers) against simulated providers that throttle, queue, brown out and fail. Each scenario runs
// beside the same samples on the same fleet without faults.
//
//     bench_flow [--rounds N] [--json] [SCENARIO...]      all of them by default: about half an
//     hour bench_flow --list
//
// Prints a table; ends with 1 if a scenario misses its target. With several rounds the scenarios
// take turns, and the medians are shown and judged.
#include "common/config/command_line.hpp"
#include "tests/bench/flow/fleet_run.hpp"
#include "tests/bench/flow/report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

namespace {

using namespace evalfleet;

struct Options {
    std::vector<std::string> scenarios;
    std::size_t rounds = 1;
    bool json = false;
    bool list = false;
};

std::vector<const bench::Scenario*> choose(const std::vector<std::string>& names) {
    std::vector<const bench::Scenario*> chosen;
    for (const bench::Scenario& scenario : bench::all_scenarios()) {
        if (names.empty()) chosen.push_back(&scenario);
    }
    for (const std::string& name : names) {
        const std::size_t before = chosen.size();
        for (const bench::Scenario& scenario : bench::all_scenarios()) {
            if (scenario.name == name) chosen.push_back(&scenario);
        }
        if (chosen.size() == before) throw std::runtime_error("no such scenario: " + name);
    }
    return chosen;
}

void list() {
    for (const bench::Scenario& scenario : bench::all_scenarios()) {
        fmt::print("{:<19} {}: {}\n", scenario.name, scenario.what, bench::target_of(scenario));
    }
}

struct Pair {
    bench::Measured fault_free;
    bench::Measured faulty;
};

Pair measure(const bench::Scenario& scenario) {
    bench::Scenario harmless = scenario;
    harmless.capacity.reset();
    harmless.outage.reset();
    harmless.has_hangs = false;
    Pair pair;
    pair.fault_free = bench::measure(harmless, bench::blocking_run(scenario, false));
    pair.fault_free[bench::Metric::named].reset();
    pair.faulty = bench::measure(scenario, bench::blocking_run(scenario, true));
    const auto rate = pair.fault_free[bench::Metric::rate];
    const auto found = pair.faulty[bench::Metric::rate];
    if (rate && found && *rate > 0) pair.faulty[bench::Metric::ratio] = *found / *rate;
    return pair;
}

int run(const Options& options) {
    if (options.list) return list(), 0;
    const auto chosen = choose(options.scenarios);
    std::vector<std::vector<bench::Measured>> fault_free(chosen.size()), faulty(chosen.size());
    for (std::size_t round = 0; round < options.rounds; ++round) {
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const Pair pair = measure(*chosen[i]);
            fault_free[i].push_back(pair.fault_free);
            faulty[i].push_back(pair.faulty);
            const bench::Row row{*chosen[i], pair.fault_free, pair.faulty};
            fmt::print(stderr, "round {}\n{}", round + 1, bench::as_table({row}));
        }
    }
    std::vector<bench::Row> rows;
    bool all_passed = true;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        rows.push_back({*chosen[i], bench::median_of(fault_free[i]), bench::median_of(faulty[i])});
        all_passed = rows.back().is_passed() && all_passed;
    }
    fmt::print("{}", options.json ? bench::as_json(rows) : bench::as_table(rows));
    return all_passed ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    config::CommandLine line("bench_flow", "the fleet against providers that behave badly");
    line.argument("SCENARIO", options.scenarios, "which ones; without it all");
    line.option("rounds", options.rounds, "how often each runs; medians are shown")
        .value_name("N")
        .range(config::between(std::size_t{1}, std::size_t{100}))
        .only_flag();
    line.flag("json", options.json, "print JSON instead of a table").only_flag();
    line.flag("list", options.list, "print the scenarios and their targets").only_flag();
    line.action([&options] {
        try {
            return run(options);
        } catch (const std::exception& failure) {
            fmt::print(stderr, "bench_flow: {}\n", failure.what());
            return 3;
        }
    });
    return line.main(argc, argv);
}
