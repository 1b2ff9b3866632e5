// Does a fleet carry a large load, and does what it takes stay the same? Real processes on this
// machine, a simulated provider, and every second a look at what each part holds in memory.
//
//     bench_load [NAME[:SHARE]...]       by default in-flight million workers
//
//     in-flight   10,000 calls at once in one worker for ten minutes, of some 30 s each
//     million     a run of 10^6 trials to its verdict
//     workers     200 worker processes at one Redis for five minutes
//
// SHARE, above 0 to 1, makes it so much shorter, to try it. Prints a readable line for each to
// standard error and one JSON object; ends with 1 if memory grew, a trial failed, or what was to be
// carried was not.
#include "common/json/writer.hpp"
#include "tests/bench/load/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

using namespace evalfleet;
using bench::Carried;
using bench::Load;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kInFlight = 0.95;  // of what the slots of all workers allow

const std::vector<Load>& loads() {
    static const std::vector<Load> loads{
        {.name = "in-flight",
         .workers = 1,
         .concurrency = 10'000,
         .service = seconds(30),
         .samples = 100'000,
         .repeats = 10,
         .warm_up = seconds(120),
         .held = seconds(600),
         .fills_slots = true},
        {.name = "million",
         .workers = 2,
         .concurrency = 256,
         .service = milliseconds(5),
         .samples = 100'000,
         .repeats = 10,
         .warm_up = seconds(30),
         .patience = std::chrono::hours(2)},
        {.name = "workers",
         .workers = 200,
         .concurrency = 4,
         .service = seconds(2),
         .samples = 100'000,
         .repeats = 10,
         .warm_up = seconds(60),
         .held = seconds(300)},
    };
    return loads;
}

// "name" or "name:share"
Load read_load(std::string_view text) {
    const auto colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto found = std::find_if(loads().begin(), loads().end(),
                                    [&](const Load& load) { return load.name == name; });
    if (found == loads().end()) throw std::runtime_error("no such load: " + std::string(text));
    Load load = *found;
    if (colon == std::string_view::npos) return load;
    const double share = std::strtod(std::string(text.substr(colon + 1)).c_str(), nullptr);
    if (!(share > 0) || share > 1)
        throw std::runtime_error("the share must be above 0 and at most 1: " + std::string(text));
    if (load.held)
        load.held = seconds(std::lround(static_cast<double>(load.held->count()) * share));
    else
        load.samples =
            static_cast<std::uint64_t>(std::llround(static_cast<double>(load.samples) * share));
    return load;
}

bool is_carried(const Load& load, const Carried& carried) {
    const double slots = static_cast<double>(load.workers * load.concurrency);
    const bool is_full = !load.fills_slots || carried.in_flight.early() >= slots * kInFlight;
    const bool is_done = load.held || carried.state == "done";
    const bool is_flat = std::all_of(carried.memory.begin(), carried.memory.end(),
                                     [](const auto& each) { return each.second.is_flat(); });
    return is_full && is_done && is_flat && carried.errors == 0 &&
           carried.workers_seen == load.workers;
}

void write(json::Writer& writer, const Load& load, const Carried& carried) {
    writer.begin_object().member("name", load.name).member("workers", carried.workers_seen);
    writer.member("seconds", carried.seconds).member("trials", carried.trials);
    writer.member("trials_per_s", static_cast<double>(carried.trials) / carried.seconds);
    writer.member("errors", carried.errors).member("state", carried.state);
    writer.key("in_flight").begin_object().member("least", carried.least_in_flight);
    writer.member("early", carried.in_flight.early()).member("late", carried.in_flight.late());
    writer.end_object().key("memory_mib").begin_object();
    for (const auto& [part, curve] : carried.memory) {
        writer.key(part).begin_object().member("early", curve.early()).member("late", curve.late());
        writer.member("most", curve.most()).member("flat", curve.is_flat()).end_object();
    }
    writer.end_object().member("missed_looks", carried.missed_looks);
    if (!load.held) writer.member("finishing_mib", carried.most_while_finishing_mib);
    writer.member("passed", is_carried(load, carried)).end_object();
}

void tell(const Load& load, const Carried& carried) {
    std::string memory;
    for (const auto& [part, curve] : carried.memory)
        memory += fmt::format(", {} {:.0f} -> {:.0f} MiB", part, curve.early(), curve.late());
    std::fputs(fmt::format("{:<10} {:>8} trials in {:.0f} s ({:.0f}/s), {} errors, {:.0f} calls in "
                           "flight{}: {}\n",
                           load.name, carried.trials, carried.seconds,
                           static_cast<double>(carried.trials) / carried.seconds, carried.errors,
                           carried.in_flight.late(), memory,
                           is_carried(load, carried) ? "passed" : "FAILED")
                   .c_str(),
               stderr);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        std::vector<Load> wanted;
        for (int i = 1; i < argc; ++i)
            wanted.push_back(read_load(argv[i]));
        if (wanted.empty()) wanted = loads();
        bool all_good = true;
        std::string out;
        json::Writer writer(out, json::Layout::pretty);
        writer.begin_object().key("load").begin_array();
        for (const Load& load : wanted) {
            const Carried carried = bench::blocking_carry(load);
            write(writer, load, carried);
            tell(load, carried);
            all_good = is_carried(load, carried) && all_good;
        }
        writer.end_array().end_object();
        std::printf("%s\n", out.c_str());
        return all_good ? 0 : 1;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "bench_load: %s\n", failure.what());
        return 3;
    }
}
