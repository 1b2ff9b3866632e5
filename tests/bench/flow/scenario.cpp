#include "tests/bench/flow/scenario.hpp"

#include <fmt/format.h>

namespace evalfleet::bench {

namespace {

using namespace std::chrono_literals;

Check least(Metric metric, double value) {
    return {metric, Check::Bound::at_least, value};
}

Check most(Metric metric, double value) {
    return {metric, Check::Bound::at_most, value};
}

Check none(Metric metric) {
    return most(metric, 0);
}

const Arguments kPlain{"--latency-ms", "200"};

Arguments with(Arguments arguments, const Arguments& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

Scenario random_faults(const char* name, const char* what, const Arguments& faults, double ratio) {
    return {.name = name,
            .what = what,
            .target = {least(Metric::ratio, ratio), none(Metric::failed)},
            .samples = 3200,
            .plain = kPlain,
            .faulty = with(kPlain, faults),
            .judge_is_apart = true,
            .faulty_judge = kPlain};
}

Scenario slots(const char* name, std::size_t count, std::size_t samples) {
    const Arguments plain{"--latency-ms", "2000"};
    return {.name = name,
            .what = fmt::format("{} at a time, 2 s each, unbounded queue, no 429", count),
            .target = {none(Metric::failed), none(Metric::false_timeouts),
                       most(Metric::latency, 1.5), least(Metric::used, 0.9)},
            .samples = samples,
            .plain = plain,
            .faulty = with(plain, {"--slots", std::to_string(count)}),
            .call_timeout = 20s,
            .patience = 600s,
            .capacity = Capacity{Capacity::Kind::slots, static_cast<double>(count)}};
}

/// Answers of 20 to 400 tokens, 127 in the mean; verdicts have about 45.
Scenario long_answers(const char* name, const char* what, std::size_t samples,
                      const Arguments& more, Capacity capacity) {
    return {.name = name,
            .what = what,
            .target = {least(Metric::used, 0.9), none(Metric::failed)},
            .samples = samples,
            .plain = {"--latency-ms", "860"},
            .faulty = with({"--ms-per-token", "10", "--answer-tokens", "20:400"}, more),
            .capacity = capacity,
            .warm_up = 20s};
}

Scenario outage(const char* name, const char* what, const char* kind) {
    return {.name = name,
            .what = what,
            .target = {none(Metric::failed), most(Metric::recovery, 10)},
            .samples = 6400,
            .plain = kPlain,
            .faulty = with(kPlain, {"--outage", fmt::format("20:60:{}", kind)}),
            .outage = Scenario::Outage{20, 60}};
}

Scenario bad_worker(const char* name, const char* what, BadWorker kind) {
    return {.name = name,
            .what = what,
            .target = {none(Metric::failed), none(Metric::lost), least(Metric::named, 1)},
            .samples = 1600,
            .concurrency = 16,
            .plain = kPlain,
            .faulty = kPlain,
            .workers = 4,
            .bad_worker = kind,
            .patience = 120s};
}

std::vector<Scenario> make_scenarios() {
    const std::vector<Check> limit_is_used{least(Metric::used, 0.9), most(Metric::refused, 0.05),
                                           none(Metric::failed)};
    std::vector<Check> judge_only = limit_is_used, shared = limit_is_used;
    judge_only.push_back(most(Metric::latency, 1.5));
    shared.push_back(least(Metric::pace, 0.8));
    return {
        random_faults("random-429", "5 % of model calls answer 429 once, no Retry-After",
                      {"--fault-429", "0.05", "--fault-times", "1", "--retry-after", "none"}, 0.9),
        random_faults("random-500", "10 % of model calls answer 500 twice",
                      {"--fault-500", "0.10", "--fault-times", "2"}, 0.85),
        {.name = "hidden-rpm",
         .what = "hidden limit of 600 requests a minute, seen after 2 minutes",
         .target = limit_is_used,
         .samples = 1300,
         .plain = kPlain,
         .faulty = with(kPlain, {"--rpm", "600", "--hide-limits"}),
         .patience = 600s,
         .capacity = Capacity{Capacity::Kind::per_minute, 600},
         .warm_up = 120s},
        {.name = "hidden-concurrency",
         .what = "hidden limit of 32 calls at once, 429 above",
         .target = limit_is_used,
         .samples = 3200,
         .concurrency = 16,
         .plain = kPlain,
         .faulty = with(kPlain, {"--max-concurrent", "32", "--hide-limits"}),
         .capacity = Capacity{Capacity::Kind::at_once, 32}},
        slots("serial-1", 1, 40),
        slots("serial-8", 8, 400),
        long_answers("tokens", "time in proportion to output tokens, 20x spread, seen after 20 s",
                     2400, {}, {Capacity::Kind::at_once, 64}),
        long_answers("tokens-16", "the same with 16 slots and a queue", 800, {"--slots", "16"},
                     {Capacity::Kind::slots, 16}),
        outage("outage-503", "60 s of 503", "503"),
        outage("outage-refused", "60 s of refused connections", "refuse"),
        {.name = "never-answers",
         .what = "1 % never answer",
         .target = {none(Metric::failed), none(Metric::false_timeouts)},
         .samples = 1600,
         .plain = kPlain,
         .faulty = with(kPlain, {"--fault-hang", "0.01", "--fault-times", "0", "--hang", "3600"}),
         .judge_is_apart = true,
         .faulty_judge = kPlain,
         .call_timeout = 5s,
         .has_hangs = true},
        {.name = "judge-throttled",
         .what = "judge limited to 8 calls at once, model not",
         .target = judge_only,
         .samples = 1600,
         .plain = kPlain,
         .faulty = kPlain,
         .judge_is_apart = true,
         .faulty_judge = with(kPlain, {"--max-concurrent", "8", "--hide-limits"}),
         .capacity = Capacity{Capacity::Kind::at_once, 8, true}},
        {.name = "shared-key",
         .what = "judge and model share 16 calls at once",
         .target = shared,
         .samples = 1600,
         .plain = kPlain,
         .faulty = with(kPlain, {"--max-concurrent", "16", "--hide-limits"}),
         .capacity = Capacity{Capacity::Kind::at_once, 16}},
        bad_worker("no-provider", "one of four workers without the provider",
                   BadWorker::no_provider),
        bad_worker("no-network", "one of four workers whose requests all fail",
                   BadWorker::no_network),
    };
}

}  // namespace

std::span<const Scenario> all_scenarios() {
    static const std::vector<Scenario> scenarios = make_scenarios();
    return scenarios;
}

}  // namespace evalfleet::bench
