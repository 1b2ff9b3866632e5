#include "common/json/writer.hpp"
#include "coordinator/reduce/record_table.hpp"
#include "coordinator/reduce/reducer.hpp"
#include "tests/bench/reduce/plain_parse.hpp"
#include "tests/bench/reduce/record_generator.hpp"
#include "tests/bench/reduce/usage.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <thread>
#include <vector>

namespace evalfleet::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kParseBytesPerSecond = 1e9;
constexpr double kWholeSeconds = 20;
constexpr double kBytesPerRecord = 150;
constexpr double kOfPlainParse = 0.5;  // all that reading does, against building trees alone
constexpr int kPasses = 3;             // of which the fastest counts: others only add to it
constexpr std::uint64_t kRecordsForLimits = 1'000'000;

struct Options {
    std::vector<std::uint64_t> records{10'000, 100'000, 1'000'000};
    std::vector<std::uint32_t> repeats{1, 3};
    std::uint32_t replicates = 2000;
    unsigned threads = 0;
    fs::path folder = fs::temp_directory_path();
    bool keep = false;
};

struct Measurement {
    GeneratedRun run;
    std::uint64_t bytes = 0;
    Usage parse;
    Usage peer;       ///< simdjson, see parse_plainly
    Usage reduce;     ///< everything but the bootstrap
    Usage bootstrap;  ///< the same with it
    Usage whole;      ///< from file to summary
};

void keep_faster(Usage& best, const Usage& usage) {
    if (best.wall_seconds == 0 || usage.wall_seconds < best.wall_seconds) best = usage;
}

Measurement measure_run(const fs::path& file, const GeneratedRun& run, const Options& options) {
    Measurement result;
    result.run = run;
    result.bytes = generate_records(file, run);
    const std::array files{file};
    job::Policy policy;
    policy.bootstrap.replicates = options.replicates;
    job::Policy without = policy;
    without.bootstrap.replicates = 0;
    {
        Result<reduce::RecordTable> table = reduce::RecordTable();
        for (int pass = 0; pass < kPasses; ++pass) {
            keep_faster(result.peer, measure([&] { parse_plainly(file, options.threads); }));
            table = reduce::RecordTable();
            keep_faster(result.parse, measure([&] {
                            table = reduce::load_records(files, {.threads = options.threads});
                        }));
            if (!table) throw std::runtime_error(table.error().message);
        }
        result.reduce =
            measure([&] { static_cast<void>(reduce::reduce(*table, without, {options.threads})); });
        result.bootstrap =
            measure([&] { static_cast<void>(reduce::reduce(*table, policy, {options.threads})); });
    }
    ::malloc_trim(0);
    result.whole = measure([&] {
        const auto summary = reduce::reduce_files(files, policy, {options.threads});
        if (!summary) throw std::runtime_error(summary.error().message);
        static_cast<void>(job::to_json(*summary));
    });
    if (!options.keep) fs::remove(file);
    return result;
}

void write_usage(json::Writer& writer, const char* name, const Usage& usage,
                 const Measurement& measurement) {
    const auto records = static_cast<double>(measurement.run.records);
    writer.key(name).begin_object();
    writer.member("wall_seconds", usage.wall_seconds);
    writer.member("cpu_seconds", usage.cpu_seconds);
    writer.member("peak_resident_bytes", usage.peak_bytes);
    writer.member("peak_bytes_per_record", static_cast<double>(usage.peak_more_bytes) / records);
    writer.member("wall_nanoseconds_per_record", usage.wall_seconds * 1e9 / records);
    writer.end_object();
}

bool write_limit(json::Writer& writer, const char* name, double measured, double limit, bool most) {
    const bool kept = most ? measured <= limit : measured >= limit;
    writer.key(name).begin_object();
    writer.member("measured", measured).member(most ? "at_most" : "at_least", limit);
    writer.member("kept", kept).end_object();
    return kept;
}

bool write_measurement(json::Writer& writer, const Measurement& measurement) {
    writer.begin_object();
    writer.member("records", measurement.run.records);
    writer.member("repeats", measurement.run.repeats);
    writer.member("file_bytes", measurement.bytes);
    write_usage(writer, "parse", measurement.parse, measurement);
    write_usage(writer, "peer_simdjson_trees", measurement.peer, measurement);
    write_usage(writer, "reduce_without_bootstrap", measurement.reduce, measurement);
    write_usage(writer, "reduce_with_bootstrap", measurement.bootstrap, measurement);
    write_usage(writer, "whole", measurement.whole, measurement);
    bool kept = true;
    if (measurement.run.records >= kRecordsForLimits) {
        writer.key("limits").begin_object();
        const double speed =
            static_cast<double>(measurement.bytes) / measurement.parse.wall_seconds;
        const double memory = static_cast<double>(measurement.whole.peak_more_bytes) /
                              static_cast<double>(measurement.run.records);
        kept &= write_limit(writer, "parse_bytes_per_second", speed, kParseBytesPerSecond, false);
        kept &= write_limit(writer, "parse_speed_of_peer",
                            measurement.peer.wall_seconds / measurement.parse.wall_seconds,
                            kOfPlainParse, false);
        kept &= write_limit(writer, "whole_wall_seconds", measurement.whole.wall_seconds,
                            kWholeSeconds, true);
        kept &= write_limit(writer, "peak_bytes_per_record", memory, kBytesPerRecord, true);
        writer.end_object();
    }
    writer.end_object();
    return kept;
}

int run(const Options& options) {
    std::string out;
    json::Writer writer(out, json::Layout::pretty);
    bool kept = true;
    writer.begin_object();
    writer.member("bench", "reduce").member("replicates", options.replicates);
    writer.member("threads",
                  options.threads != 0 ? options.threads : std::thread::hardware_concurrency());
    writer.key("runs").begin_array();
    for (const std::uint32_t repeats : options.repeats) {
        for (const std::uint64_t records : options.records) {
            const fs::path file =
                options.folder / fmt::format("bench-reduce-{}-{}.jsonl", records, repeats);
            const auto measurement = measure_run(file, {records, repeats, 1}, options);
            kept &= write_measurement(writer, measurement);
        }
    }
    writer.end_array().member("limits_kept", kept).end_object();
    std::cout << out << '\n';
    return kept ? 0 : 1;
}

}  // namespace
}  // namespace evalfleet::bench

int main(int argc, char** argv) {
    evalfleet::bench::Options options;
    CLI::App app("Measures reading and reducing records of a generated run.");
    app.add_option("--records", options.records, "numbers of records to measure");
    app.add_option("--repeats", options.repeats, "repeats a sample");
    app.add_option("--replicates", options.replicates, "bootstrap replicates");
    app.add_option("--threads", options.threads, "0: as many as the machine has");
    app.add_option("--folder", options.folder, "where the generated files go");
    app.add_flag("--keep", options.keep, "leave the generated files");
    CLI11_PARSE(app, argc, argv);
    return evalfleet::bench::run(options);
}
