// Eight workers against a simulated provider that enforces requests a minute in a rolling window:
//
//     bench_limits [RPM [WINDOW_S [WINDOWS [KILLED [own|shared]]]]]
//
// prints JSON and ends with 1 if a request was refused after the first window or less than 95 % of
// the limit was used. The defaults are 600 requests in 60 s, two windows, two workers killed after
// half of the first, model and judge on one key.

#include "tests/support/limited_fleet.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using evalfleet::testing::ArrivalLog;
using evalfleet::testing::LimitedFleet;

struct Plan {
    LimitedFleet::Options options;
    std::size_t windows = 2;
    std::size_t killed = 2;
};

unsigned long number(int argc, char** argv, int at, unsigned long otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
}

Plan read_plan(int argc, char** argv) {
    Plan plan;
    plan.options.rpm = number(argc, argv, 1, 600);
    plan.options.window = std::chrono::seconds(number(argc, argv, 2, 60));
    plan.options.margin = std::chrono::milliseconds(plan.options.window) / 40;
    plan.windows = number(argc, argv, 3, 2);
    plan.killed = number(argc, argv, 4, 2);
    plan.options.judge_shares_key = argc <= 5 || std::string_view(argv[5]) == "shared";
    plan.options.jobs = plan.options.rpm * (plan.windows + 1);
    return plan;
}

bool report(const Plan& plan, const ArrivalLog& log) {
    const auto& options = plan.options;
    const auto window = std::chrono::milliseconds(options.window);
    const std::size_t refused = log.count_refused(window);
    const double allowed = static_cast<double>(options.rpm * plan.windows);
    const double used = static_cast<double>(log.count_accepted(window * plan.windows)) / allowed;
    const double sustained = log.sustained_share(options.rpm, window);
    const bool good = refused == 0 && used >= 0.95 && sustained >= 0.95;
    fmt::print(
        "{{\"workers\": {}, \"killed\": {}, \"rpm\": {}, \"window_s\": {}, \"windows\": {}, "
        "\"judge_shares_key\": {}, \"requests\": {}, \"refused\": {}, "
        "\"refused_after_first_window\": {}, \"most_in_any_window\": {}, \"used\": {:.4f}, "
        "\"sustained\": {:.4f}, \"good\": {}}}\n",
        options.workers, plan.killed, options.rpm, options.window.count(), plan.windows,
        options.judge_shares_key, log.size(), log.count_refused(std::chrono::milliseconds(0)),
        refused, log.most_within(window), used, sustained, good);
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    const Plan plan = read_plan(argc, argv);
    const auto window = std::chrono::milliseconds(plan.options.window);
    LimitedFleet fleet(plan.options);
    if (!fleet.await(window / 2)) return 2;
    for (std::size_t i = 0; i < plan.killed; ++i)
        fleet.kill_worker(i);
    if (!fleet.await(window * plan.windows - window / 2)) return 2;
    return report(plan, fleet.arrivals()) ? 0 : 1;
}
