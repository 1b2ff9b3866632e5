#include "tests/bench/flow/fleet_run.hpp"

#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/temporary_folder.hpp"

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace evalfleet::bench {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::Process;

namespace {

constexpr const char* kBadWorker = "worker-with-a-fault";
constexpr const char* kClosedPort = "9";

std::string bin(const std::string& name) {
    return std::string(EVALFLEET_BIN_DIR) + "/" + name;
}

std::string await_port(const fs::path& path) {
    for (int i = 0; i < 600; ++i) {
        std::ifstream in(path);
        if (std::string port; in >> port) return port;
        std::this_thread::sleep_for(50ms);
    }
    throw std::runtime_error(path.filename().string() + " was not written");
}

void write(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
}

bool contains(const fs::path& path, std::string_view text) {
    std::ifstream file(path);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    return whole.find(text) != std::string::npos;
}

void end_softly(Process& process) {
    process.signal(SIGTERM);
    if (!process.wait_for(20s)) process.kill();
}

/// One run: its folder, its providers, its fleet.
class FleetRun {
  public:
    FleetRun(const Scenario& scenario, bool with_faults)
        : scenario_(scenario),
          bad_worker_(with_faults ? scenario.bad_worker : BadWorker::none),
          has_own_fleet_(scenario.bad_worker != BadWorker::none) {
        write_dataset();
        start_provider("sim", with_faults ? scenario.faulty : scenario.plain);
        if (scenario.judge_is_apart) {
            start_provider("judge", with_faults ? scenario.faulty_judge : scenario.plain);
        }
    }

    Evidence run() {
        if (has_own_fleet_) start_fleet();
        write_run_file();
        Evidence evidence;
        const auto begin = std::chrono::steady_clock::now();
        Process run(command(), folder_ / "run.log");
        if (!run.wait_for(scenario_.patience)) end_softly(run);
        const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
        evidence.wall_s = wall.count();
        for (Process& worker : workers_)
            end_softly(worker);
        for (Process& provider : providers_)
            end_softly(provider);
        for (const std::string& name : provider_names_)
            read_calls(folder_ / (name + ".jsonl"), evidence.calls);
        evidence.trials = read_trials(run_folder() / "records.jsonl");
        evidence.names_bad_worker = names_bad_worker();
        return evidence;
    }

  private:
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }

    void write_dataset() const {
        std::ofstream out(folder_ / "data.jsonl");
        for (std::size_t i = 0; i < scenario_.samples; ++i) {
            out << fmt::format(R"({{"id": "q{0}", "task": "What is on shelf number {0}?", )"
                               R"("reference_answer": "Shelf {0} holds {0} books"}})",
                               i)
                << '\n';
        }
    }

    void start_provider(const std::string& name, const Arguments& arguments) {
        std::vector<std::string> argv{
            bin("evalfleet"),      "simulate",  "--port-file",      path(name + ".port"), "--log",
            path(name + ".jsonl"), "--dataset", path("data.jsonl"), "--correctness",      "1"};
        argv.insert(argv.end(), arguments.begin(), arguments.end());
        providers_.emplace_back(argv, folder_ / (name + ".log"));
        provider_names_.push_back(name);
    }

    /// As a providers file has it; `port` instead of the real one, if given.
    [[nodiscard]] std::string providers_text(const std::string& port = "") const {
        std::string text = "providers:\n";
        for (const std::string& name : provider_names_) {
            text += fmt::format("  {}: {{type: openai, base_url: \"http://127.0.0.1:{}/v1\"}}\n",
                                name, port.empty() ? await_port(path(name + ".port")) : port);
        }
        return text;
    }

    void write_run_file() const {
        const auto timeout = std::chrono::milliseconds(scenario_.call_timeout).count();
        write(folder_ / "run.yaml",
              fmt::format("version: 1\nname: flow\ndataset: {{path: data.jsonl}}\n"
                          "model: {{provider: sim, name: m, version: \"1\"}}\n"
                          "judge: {{provider: {}, name: j, version: \"1\"}}\n"
                          "limits: {{timeout_ms: {}, attempt_timeout_ms: {}}}\n{}",
                          scenario_.judge_is_apart ? "judge" : "sim", timeout, timeout,
                          has_own_fleet_ ? "" : providers_text()));
    }

    void start_fleet() {
        write(folder_ / "providers.yaml", providers_text());
        redis_.emplace();
        coordinator_.emplace(
            std::vector<std::string>{
                bin("evalfleet-coordinator"), "--redis", redis_->url(), "--store", path("store"),
                "--listen", "127.0.0.1:0", "--port-file", path("coordinator.port"),
                "--dataset-root", folder_.path().string(), "--providers", path("providers.yaml")},
            folder_ / "coordinator.log");
        for (std::size_t i = 1; i < scenario_.workers; ++i)
            start_worker("worker-" + std::to_string(i), "providers.yaml");
        if (bad_worker_ == BadWorker::none) {
            start_worker("worker-" + std::to_string(scenario_.workers), "providers.yaml");
            return;
        }
        const std::string bad = bad_worker_ == BadWorker::no_network
                                    ? providers_text(kClosedPort)
                                    : "providers: {another: {type: openai, base_url: "
                                      "\"http://127.0.0.1:9/v1\"}}\n";
        write(folder_ / "bad-providers.yaml", bad);
        start_worker(kBadWorker, "bad-providers.yaml");
    }

    void start_worker(const std::string& name, const std::string& providers) {
        const std::vector<std::string> argv{bin("evalfleet-worker"),
                                            "--redis",
                                            redis_->url(),
                                            "--providers",
                                            path(providers),
                                            "--concurrency",
                                            std::to_string(scenario_.concurrency),
                                            "--name",
                                            name};
        workers_.emplace_back(argv, folder_ / (name + ".log"));
    }

    [[nodiscard]] std::vector<std::string> command() const {
        std::vector<std::string> argv{bin("evalfleet"), "run", path("run.yaml"), "--no-progress"};
        if (has_own_fleet_) {
            const std::string port = await_port(path("coordinator.port"));
            argv.insert(argv.end(), {"--coordinator-url", "http://127.0.0.1:" + port});
        } else {
            argv.insert(argv.end(),
                        {"--out", path("out"), "--workers", std::to_string(scenario_.workers),
                         "--concurrency", std::to_string(scenario_.concurrency)});
        }
        return argv;
    }

    [[nodiscard]] fs::path run_folder() const {
        if (!has_own_fleet_) return folder_ / "out";
        for (const auto& entry : fs::directory_iterator(folder_ / "store/runs"))
            return entry.path();
        return folder_ / "store";
    }

    /// In a warning of the coordinator's, or in any file of the run but the records.
    [[nodiscard]] bool names_bad_worker() const {
        if (bad_worker_ == BadWorker::none) return false;
        std::ifstream log(folder_ / "coordinator.log");
        for (std::string line; std::getline(log, line);) {
            const bool is_warning = line.find(R"("level":"info")") == std::string::npos;
            if (is_warning && line.find(kBadWorker) != std::string::npos) return true;
        }
        for (const auto& entry : fs::directory_iterator(run_folder())) {
            const bool is_text =
                entry.is_regular_file() && entry.path().filename() != "records.jsonl";
            if (is_text && contains(entry.path(), kBadWorker)) return true;
        }
        return false;
    }

    const Scenario& scenario_;
    const BadWorker bad_worker_;
    const bool has_own_fleet_;  // and not that of `evalfleet run`
    testing::TemporaryFolder folder_;
    std::vector<std::string> provider_names_;
    std::vector<Process> providers_;
    std::optional<testing::RedisServer> redis_;
    std::optional<Process> coordinator_;
    std::vector<Process> workers_;
};

}  // namespace

Evidence blocking_run(const Scenario& scenario, bool with_faults) {
    return FleetRun(scenario, with_faults).run();
}

}  // namespace evalfleet::bench
