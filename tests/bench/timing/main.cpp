// How honest are measured latencies? A whole fleet (redis-server, coordinator, one worker) makes
// calls of 200 ms to a simulated provider, so many at once, and each record's latency is compared
// with the provider's own log of what it did. Everything runs on this machine.
//
//     bench_timing [IN_FLIGHT...]       by default 64 256 1000 5000
//
// Prints one JSON object; ends with 1 if the 99th percentile at 1000 calls is above 1 ms.
#include "common/files/atomic_file.hpp"
#include "common/json/writer.hpp"
#include "tests/bench/timing/ledger.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace evalfleet;

constexpr double kMaxP99Ms = 1;
constexpr std::size_t kHeldTo = 1000;  // calls in flight at which the limit holds

std::string bin(const std::string& name) {
    return std::string(EVALFLEET_BIN_DIR) + "/" + name;
}

/// Each call of a slot several times over, so that most go over connections that stand.
std::size_t samples_for(std::size_t in_flight) {
    return std::max<std::size_t>(in_flight * 4, 1500);
}

void write_dataset(const std::filesystem::path& path, std::size_t samples) {
    std::ofstream out(path);
    for (std::size_t i = 0; i < samples; ++i)
        out << fmt::format(R"({{"id": "q{0}", "task": "Question number {0}?"}})", i) << '\n';
}

void write_run_file(const std::filesystem::path& path, const std::string& port) {
    std::ofstream out(path);
    out << fmt::format(R"(version: 1
name: timing
dataset: {{path: data.jsonl}}
model: {{provider: simulated, name: timed-model, version: "1"}}
judge: {{provider: simulated, name: timed-judge, version: "1"}}
providers:
  simulated: {{type: openai, base_url: "http://127.0.0.1:{}/v1"}}
)",
                       port);
}

std::string await_port(const std::filesystem::path& path) {
    for (int i = 0; i < 600; ++i) {
        std::ifstream in(path);
        if (std::string port; in >> port) return port;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw std::runtime_error("the simulated provider does not start");
}

bench::TimingErrors measure(std::size_t in_flight) {
    const testing::TemporaryFolder folder;
    testing::Process provider(
        {bin("evalfleet"), "simulate", "--port", "0", "--port-file", folder / "port",
         "--latency-ms", "200", "--latency-sigma", "0.2", "--log", folder / "provider.jsonl"},
        folder / "provider.log");
    write_dataset(folder / "data.jsonl", samples_for(in_flight));
    write_run_file(folder / "run.yaml", await_port(folder / "port"));
    testing::Process run(
        {bin("evalfleet"), "run", folder / "run.yaml", "--out", folder / "out", "--workers", "1",
         "--concurrency", std::to_string(in_flight), "--no-progress"},
        folder / "run.log");
    if (const int code = run.wait(); code > 1) {
        throw std::runtime_error(fmt::format("the run ended with {}: {}", code, run.output()));
    }
    provider.signal(SIGTERM);
    provider.wait();
    return bench::compare(folder / "out/records.jsonl", folder / "provider.jsonl");
}

/// True if the limit holds.
bool report(json::Writer& writer, std::size_t in_flight, const bench::TimingErrors& result) {
    const double p99 = bench::percentile(result.errors_ms, 0.99);
    const bool good = in_flight != kHeldTo || p99 <= kMaxP99Ms;
    writer.begin_object().member("in_flight", in_flight);
    writer.member("calls", result.errors_ms.size()).member("unmatched", result.unmatched);
    writer.key("error_ms").begin_object();
    writer.member("p50", bench::percentile(result.errors_ms, 0.5)).member("p99", p99);
    writer.member("max", bench::percentile(result.errors_ms, 1)).end_object();
    writer.key("bound_ms").begin_object();
    writer.member("p50", bench::percentile(result.bounds_ms, 0.5));
    writer.member("p99", bench::percentile(result.bounds_ms, 0.99)).end_object();
    if (in_flight == kHeldTo) writer.member("limit_p99_ms", kMaxP99Ms);
    writer.member("passed", good).end_object();
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        std::vector<std::size_t> levels;
        for (int i = 1; i < argc; ++i)
            levels.push_back(std::strtoul(argv[i], nullptr, 10));
        if (levels.empty()) levels = {64, 256, 1000, 5000};
        bool all_good = true;
        std::string out;
        json::Writer writer(out, json::Layout::pretty);
        writer.begin_object().key("timing").begin_array();
        for (const std::size_t level : levels)
            all_good = report(writer, level, measure(level)) && all_good;
        writer.end_array().end_object();
        std::printf("%s\n", out.c_str());
        return all_good ? 0 : 1;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "bench_timing: %s\n", failure.what());
        return 3;
    }
}
