// What a trial costs: whole fleets (redis-server, coordinator, worker) on this machine against a
// simulated provider that answers at once, beside what wrk makes of the same provider; and against
// one that takes 200 ms, beside what that allows.
//
//     bench_fleet                                  every load, three rounds: some ten minutes
//     bench_fleet --rounds 5 --bin OLD --bin NEW zero      two builds in turns under one load
//
// Prints a table to standard error and one JSON object; medians of the rounds. Processor time is
// what to compare: the rate depends on what else the machine does.
#include "common/config/command_line.hpp"
#include "tests/bench/fleet/fleet_load.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

namespace {

using namespace evalfleet;

struct Options {
    std::vector<std::string> loads;
    std::vector<std::string> bins;
    std::size_t rounds = 3;
    std::size_t trials = 20'000;
    bool no_syscalls = false;
};

bench::Load latency_load(std::size_t in_flight) {
    return {.name = "200ms-" + std::to_string(in_flight),
            .trials = in_flight * 6,
            .in_flight = in_flight,
            .latency_ms = 200,
            .wrk = false};
}

std::vector<bench::Load> all_loads(std::size_t trials) {
    return {{.name = "zero", .trials = trials},
            {.name = "zero-stream", .trials = trials, .stream = true, .wrk = false},
            {.name = "zero-2-workers", .trials = trials, .workers = 2, .wrk = false},
            latency_load(64),
            latency_load(1'000),
            latency_load(5'000),
            latency_load(10'000)};
}

std::vector<bench::Load> choose(const Options& options) {
    std::vector<bench::Load> chosen;
    const std::vector<bench::Load> all = all_loads(options.trials);
    if (options.loads.empty()) return all;
    for (const std::string& name : options.loads) {
        const std::size_t before = chosen.size();
        for (const bench::Load& load : all)
            if (load.name == name) chosen.push_back(load);
        if (chosen.size() == before) throw std::runtime_error("no such load: " + name);
    }
    return chosen;
}

std::string name_of(const Options& options, std::size_t build) {
    return options.bins.size() < 2 ? "" : std::string(1, static_cast<char>('A' + build));
}

void say_what_is_missing(const Options& options) {
    if (!bench::has_program("wrk"))
        fmt::print(stderr, "wrk is not installed: nothing to compare the rate with\n");
    if (!options.no_syscalls && !bench::has_program("strace"))
        fmt::print(stderr, "strace is not installed: system calls are not counted\n");
}

int run(Options options) {
    if (options.bins.empty()) options.bins.emplace_back(EVALFLEET_BIN_DIR);
    const std::vector<bench::Load> loads = choose(options);
    say_what_is_missing(options);
    std::vector<bench::Row> rows;
    for (const bench::Load& load : loads) {
        std::vector<std::vector<bench::Figures>> rounds(options.bins.size());
        for (std::size_t round = 0; round < options.rounds; ++round) {
            for (std::size_t build = 0; build < options.bins.size(); ++build) {
                rounds[build].push_back(bench::blocking_measure(options.bins[build], load));
                const bench::Row row{name_of(options, build), load.name, rounds[build].back()};
                fmt::print(stderr, "round {}\n{}", round + 1, bench::as_table({row}));
            }
        }
        for (std::size_t build = 0; build < options.bins.size(); ++build) {
            if (!options.no_syscalls && load.latency_ms == 0)
                rounds[build].push_back(bench::blocking_count_syscalls(options.bins[build], load));
            rows.push_back({name_of(options, build), load.name, median_of(rounds[build])});
        }
    }
    fmt::print(stderr, "medians\n{}", bench::as_table(rows));
    fmt::print("{}", bench::as_json(rows));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    config::CommandLine line("bench_fleet", "what a trial costs");
    line.argument(
        "LOAD", options.loads,
        "zero, zero-stream, zero-2-workers, 200ms-64, -1000, -5000, -10000; without it all");
    line.option("bin", options.bins, "a folder of programs; several times: builds take turns")
        .value_name("DIR")
        .only_flag();
    line.option("rounds", options.rounds, "how often each load runs; medians are shown")
        .value_name("N")
        .range(config::between(std::size_t{1}, std::size_t{100}))
        .only_flag();
    line.option("trials", options.trials, "of the loads at zero delay")
        .value_name("N")
        .range(config::between(std::size_t{100}, std::size_t{10'000'000}))
        .only_flag();
    line.flag("no-syscalls", options.no_syscalls, "do not count system calls").only_flag();
    line.action([&options] {
        try {
            return run(options);
        } catch (const std::exception& failure) {
            fmt::print(stderr, "bench_fleet: {}\n", failure.what());
            return 3;
        }
    });
    return line.main(argc, argv);
}
