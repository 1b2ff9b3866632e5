#include "tests/bench/fleet/fleet_under_load.hpp"

#include "common/json/document.hpp"
#include "tests/support/coordinator_process.hpp"
#include "tests/support/redis_commander.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

namespace evalfleet::bench {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Process;

namespace {

constexpr auto kLookStep = 100ms;
constexpr auto kPatience = 20min;

/// As the private one of `evalfleet run`.
testing::RedisServer::Options redis_options() {
    testing::RedisServer::Options options;
    options.arguments = {"--appendonly",
                         "yes",
                         "--appendfsync",
                         "everysec",
                         "--hash-max-listpack-entries",
                         "16",
                         "--zset-max-listpack-entries",
                         "16"};
    return options;
}

std::uint16_t await_port(const fs::path& file) {
    for (int i = 0; i < 1200; ++i) {
        std::ifstream in(file);
        if (std::uint16_t port = 0; in >> port) return port;
        std::this_thread::sleep_for(50ms);
    }
    throw std::runtime_error(file.filename().string() + " was not written");
}

pid_t pid_of_redis(const std::string& url) {
    constexpr std::string_view kName = "process_id:";
    const std::string info =
        testing::blocking_command(url, redis::Command("INFO", "server")).text();
    return static_cast<pid_t>(std::stol(info.substr(info.find(kName) + kName.size())));
}

}  // namespace

FleetUnderLoad::FleetUnderLoad(fs::path bin, const Load& load)
    : bin_(std::move(bin)), load_(load), redis_(redis_options()) {
    redis_pid_ = pid_of_redis(redis_.url());
    write_dataset();
    start_provider();
    start_coordinator();
    for (std::size_t i = 0; i < load_.workers; ++i)
        start_worker();
    while (testing::ask(coordinator_port_, "GET", "/readyz").status != 200)
        std::this_thread::sleep_for(kLookStep);
}

void FleetUnderLoad::write_dataset() const {
    std::ofstream out(folder_ / "data.jsonl");
    for (std::size_t i = 0; i < load_.trials; ++i)
        out << fmt::format(R"({{"id": "q{0}", "task": "Question number {0}?"}})", i) << '\n';
}

void FleetUnderLoad::start_provider() {
    provider_.emplace(std::vector<std::string>{program("evalfleet"), "simulate", "--port", "0",
                                               "--port-file", path("provider.port"), "--latency-ms",
                                               std::to_string(load_.latency_ms)},
                      folder_ / "provider.log");
    provider_port_ = await_port(folder_ / "provider.port");
    std::ofstream(folder_ / "providers.yaml") << fmt::format(
        "providers:\n  sim: {{type: openai, base_url: \"http://127.0.0.1:{}/v1\", stream: {}}}\n",
        provider_port_, load_.stream);
}

void FleetUnderLoad::start_coordinator() {
    coordinator_.emplace(
        std::vector<std::string>{
            program("evalfleet-coordinator"), "--redis", redis_.url(), "--store", path("store"),
            "--listen", "127.0.0.1:0", "--port-file", path("coordinator.port"), "--dataset-root",
            folder_.path().string(), "--providers", path("providers.yaml"), "--log-format", "json"},
        folder_ / "coordinator.log");
    coordinator_port_ = await_port(folder_ / "coordinator.port");
}

void FleetUnderLoad::start_worker() {
    const std::string name = "worker-" + std::to_string(workers_.size() + 1);
    workers_.emplace_back(
        std::vector<std::string>{program("evalfleet-worker"), "--redis", redis_.url(),
                                 "--providers", path("providers.yaml"), "--concurrency",
                                 std::to_string(load_.in_flight / load_.workers), "--name", name,
                                 "--log-format", "json"},
        folder_ / (name + ".log"));
}

std::string FleetUnderLoad::run_file() const {
    return fmt::format(R"({{"version":1,"name":"load","dataset":{{"path":"{}"}},)"
                       R"("model":{{"provider":"sim","name":"m","version":"1"}},)"
                       R"("judge":{{"provider":"sim","name":"j","version":"1"}}}})",
                       path("data.jsonl"));
}

void FleetUnderLoad::work() {
    const testing::HeaderFields headers{{"Content-Type", "application/json"}};
    const auto accepted =
        testing::ask(coordinator_port_, "POST", "/api/v1/runs", run_file(), headers);
    if (accepted.status >= 300 || accepted.status == 0)
        throw std::runtime_error("the run was not taken: " + accepted.body);
    const auto answer = json::Document::parse(accepted.body).value();
    const auto id = answer.root().get<std::vector<std::string>>("run_ids").value().front();
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < kPatience) {
        std::this_thread::sleep_for(kLookStep);
        const auto now = testing::ask(coordinator_port_, "GET", "/api/v1/runs/" + id);
        const auto view = json::Document::parse(now.body).value();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        progress_.push_back({passed.count(), view.root().get<std::uint64_t>("done").value()});
        const auto state = view.root().get<std::string>("state").value();
        if (state == "done") return;
        if (state == "failed" || state == "cancelled")
            throw std::runtime_error("the run ended as " + state + ": " + now.body);
    }
    throw std::runtime_error("the run took too long");
}

double FleetUnderLoad::middle_rate() const {
    const Progress* first = nullptr;
    const Progress* last = nullptr;
    for (const Progress& moment : progress_) {
        if (first == nullptr && moment.done * 5 >= load_.trials) first = &moment;
        if (moment.done * 5 <= load_.trials * 4) last = &moment;
    }
    // So short that nothing was seen between: the whole of it.
    const bool is_short = first == nullptr || last == nullptr || last <= first;
    if (is_short) return static_cast<double>(load_.trials) / progress_.back().at_s;
    return static_cast<double>(last->done - first->done) / (last->at_s - first->at_s);
}

std::optional<double> FleetUnderLoad::blocking_wrk() const {
    if (!has_program("wrk")) return std::nullopt;
    std::ofstream(folder_ / "post.lua")
        << "wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\n"
           "wrk.body = [[{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"Question "
           "number 7?\"}],\"temperature\":0,\"max_tokens\":1024}]]\n";
    const std::string command =
        fmt::format("wrk -t1 -c{} -d4s -s '{}' http://127.0.0.1:{}/v1/chat/completions 2>&1",
                    load_.in_flight, path("post.lua"), provider_port_);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe.get()))
        output.append(buffer.data(), count);
    constexpr std::string_view kRate = "Requests/sec:";
    const auto at = output.find(kRate);
    if (at == std::string::npos) throw std::runtime_error("wrk failed: " + output);
    return std::stod(output.substr(at + kRate.size()));
}

}  // namespace evalfleet::bench
