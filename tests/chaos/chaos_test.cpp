#include "cli/fleet/coordinator_client.hpp"
#include "common/async/run_all.hpp"
#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/redis/client.hpp"
#include "common/redis/url.hpp"
#include "tests/support/process.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/run_coroutine.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>

namespace evalfleet {
namespace {

namespace fs = std::filesystem;
using testing::Process;

constexpr std::size_t kSamples = 62;

std::string bin(const std::string& name) {
    return EVALFLEET_BIN_DIR "/" + name;
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A fleet whose every part can be killed, stopped or robbed of its memory, and goes on.
class Fleet {
  private:
    template <class Call>
    auto with_coordinator(Call call) {
        boost::asio::io_context context(1);
        http::Client http(context.get_executor(), clock_, {});
        fleet::CoordinatorClient client(http, clock_, http::Url::parse(url_).value());
        return testing::run(context, call(client));
    }

  public:
    explicit Fleet(std::vector<std::string> coordinator_options = {})
        : coordinator_options_(std::move(coordinator_options)) {
        simulator_.emplace(
            std::vector<std::string>{bin("evalfleet"), "simulate", "--port", "0", "--port-file",
                                     path("simulator.port"), "--dataset", dataset(), "--latency-ms",
                                     "25", "--latency-sigma", "0.4"},
            folder_ / "simulator.log");
        const std::string port = await_file("simulator.port");
        write("providers.yaml",
              "providers: {sim: {type: openai, base_url: \"http://127.0.0.1:" + port + "/v1\"}}\n");
        start_coordinator();
        for (int i = 0; i < 3; ++i)
            workers_.push_back(start_worker());
    }

    void submit(int repeats) {
        const std::string spec =
            R"({"version":1,"name":"chaos","dataset":{"path":")" + dataset() +
            R"("},"model":{"provider":"sim","name":"m","version":"1"},)"
            R"("judge":{"provider":"sim","name":"j","version":"1"},"repeats":)" +
            std::to_string(repeats) + "}";
        for (int i = 0; i < 300; ++i) {
            auto ids = with_coordinator(
                [&](fleet::CoordinatorClient& client) { return client.submit(spec); });
            if (ids) {
                run_id_ = ids->front();
                return;
            }
            usleep(20'000);
        }
        throw std::runtime_error("the run could not be submitted");
    }

    std::optional<fleet::RunProgress> progress() {
        auto progress = with_coordinator(
            [&](fleet::CoordinatorClient& client) { return client.progress(run_id_); });
        if (!progress) return std::nullopt;
        return *progress;
    }

    // Until so many trials are done, or the run is over; false if that takes too long.
    bool await_done(std::uint64_t done, int seconds = 60) {
        for (int i = 0; i < seconds * 20; ++i) {
            const auto now = progress();
            if (now && (now->done >= done || now->is_over())) return true;
            usleep(50'000);
        }
        return false;
    }

    bool await_end(int seconds) {
        for (int i = 0; i < seconds * 20; ++i) {
            const auto now = progress();
            if (now && now->is_over()) return true;
            usleep(50'000);
        }
        return false;
    }

    void kill_worker(std::size_t number) {
        workers_[number].kill();
        workers_[number] = start_worker();
    }
    void kill_coordinator() {
        coordinator_->kill();
        start_coordinator();
    }
    void kill_redis() { redis_.restart(); }
    void flush_redis() { redis_command("FLUSHALL"); }
    void stop_worker(std::size_t number) const { workers_[number].signal(SIGSTOP); }
    void continue_worker(std::size_t number) const { workers_[number].signal(SIGCONT); }

    // What Redis has on disk now, to be put back later.
    void remember_redis() {
        fs::remove_all(folder_ / "snapshot");
        fs::copy(redis_.folder() / "appendonlydir", folder_ / "snapshot", kCopy);
    }
    void roll_redis_back() {
        redis_.kill();
        fs::remove_all(redis_.folder() / "appendonlydir");
        fs::copy(folder_ / "snapshot", redis_.folder() / "appendonlydir", kCopy);
        redis_.restart();
    }
    [[nodiscard]] bool remembers_redis() const { return fs::exists(folder_ / "snapshot"); }

    fs::path run_folder() { return progress().value().folder; }
    [[nodiscard]] std::string coordinator_log() const { return coordinator_->output(); }

    int verify() {
        return Process({bin("evalfleet"), "verify", run_folder().string()}, folder_ / "verify.log")
            .wait();
    }

  private:
    static constexpr auto kCopy =
        fs::copy_options::recursive | fs::copy_options::overwrite_existing;

    static std::string dataset() { return EVALFLEET_TEST_DATA_DIR "/../docs/examples/qa.jsonl"; }
    [[nodiscard]] std::string path(std::string_view name) const {
        return (folder_ / name).string();
    }

    void write(const std::string& name, const std::string& content) {
        files::blocking_write_atomically(folder_ / name, content).value();
    }

    std::string await_file(const std::string& name) {
        for (int i = 0; i < 1000; ++i) {
            std::ifstream file(folder_ / name);
            if (std::string line; std::getline(file, line)) return line;
            usleep(20'000);
        }
        throw std::runtime_error(name + " was not written");
    }

    void start_coordinator() {
        fs::remove(folder_ / "coordinator.port");
        std::vector<std::string> argv{bin("evalfleet-coordinator"),
                                      "--redis",
                                      redis_.url(),
                                      "--store",
                                      path("store"),
                                      "--listen",
                                      "127.0.0.1:0",
                                      "--port-file",
                                      path("coordinator.port"),
                                      "--audit-interval",
                                      "1s"};
        argv.insert(argv.end(), coordinator_options_.begin(), coordinator_options_.end());
        coordinator_.reset();
        coordinator_.emplace(argv, folder_ / "coordinator.log");
        url_ = "http://127.0.0.1:" + await_file("coordinator.port");
    }

    // A short lease, so that jobs of the dead are soon taken up.
    Process start_worker() {
        return Process({bin("evalfleet-worker"), "--redis", redis_.url(), "--providers",
                        path("providers.yaml"), "--concurrency", "4", "--lease", "2s", "--name",
                        "w" + std::to_string(++started_workers_)},
                       folder_ / "worker.log");
    }

    void redis_command(const std::string& command) {
        boost::asio::io_context context(1);
        async::SystemClock clock;
        redis::Client client(context.get_executor(), clock, redis::parse_url(redis_.url()).value());
        struct Send {
            static boost::asio::awaitable<void> send(redis::Client& client, std::string command,
                                                     async::TimePoint deadline) {
                (co_await client.execute(redis::Command(command), deadline)).value();
            }
        };
        std::vector<boost::asio::awaitable<void>> roles;
        roles.push_back(Send::send(client, command, clock.now() + std::chrono::seconds(10)));
        roles.push_back(client.run());
        testing::run(context, async::run_all(std::move(roles)));
    }

    testing::TemporaryFolder folder_;
    testing::RedisServer redis_{
        {.arguments = {"--appendonly", "yes", "--appendfsync", "everysec"}}};
    async::SystemClock clock_;
    std::vector<std::string> coordinator_options_;
    std::optional<Process> simulator_;
    std::optional<Process> coordinator_;
    std::vector<Process> workers_;
    int started_workers_ = 0;
    std::string url_;
    std::string run_id_;
};

// How often each trial is in the records.
std::map<std::pair<std::int64_t, std::int64_t>, int> read_ledger(const fs::path& folder) {
    std::map<std::pair<std::int64_t, std::int64_t>, int> counts;
    std::ifstream file(folder / "records.jsonl");
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        const auto record = parser.parse(line).value();
        ++counts[{record.get<std::int64_t>("sample_index").value(),
                  record.get<std::int64_t>("repeat").value()}];
    }
    return counts;
}

std::size_t count_repeats(const fs::path& folder) {
    std::size_t repeats = 0;
    for (const auto& [trial, count] : read_ledger(folder))
        repeats += count > 1 ? 1 : 0;
    return repeats;
}

// One fault, drawn. Returns its name.
std::string strike(Fleet& fleet, std::mt19937& random) {
    const std::size_t worker = random() % 3;
    switch (random() % 6) {
        case 0:
            fleet.kill_worker(worker);
            return "kill worker";
        case 1:
            fleet.kill_coordinator();
            return "kill coordinator";
        case 2:
            fleet.kill_redis();
            return "kill redis";
        case 3:
            fleet.flush_redis();
            return "flush redis";
        case 4:
            if (fleet.remembers_redis()) {
                fleet.roll_redis_back();
                return "roll redis back";
            }
            fleet.remember_redis();
            return "remember redis";
        default:
            fleet.stop_worker(worker);
            sleep(3);  // longer than its lease
            fleet.continue_worker(worker);
            return "stop worker";
    }
}

TEST(Chaos, EveryTrialIsRecordedExactlyOnceWhateverIsKilled) {
    const auto faults = from_environment("EVALFLEET_CHAOS_FAULTS", 10);
    std::mt19937 random(static_cast<unsigned>(from_environment("EVALFLEET_CHAOS_SEED", 1)));
    const int repeats = static_cast<int>(12 + faults * 2);
    Fleet fleet;
    fleet.submit(repeats);
    std::string story;
    for (std::uint64_t i = 0; i < faults; ++i) {
        const auto now = fleet.progress();
        ASSERT_TRUE(fleet.await_done((now ? now->done : 0) + 40))
            << story << fleet.coordinator_log();
        story += strike(fleet, random) + "\n";
    }
    ASSERT_TRUE(fleet.await_end(120)) << story << fleet.coordinator_log();
    ASSERT_EQ(fleet.progress()->state, "done") << story << fleet.progress()->note.value_or("");
    const auto ledger = read_ledger(fleet.run_folder());
    EXPECT_EQ(ledger.size(), kSamples * static_cast<std::size_t>(repeats)) << story;
    EXPECT_EQ(count_repeats(fleet.run_folder()), 0U) << story;
    EXPECT_EQ(fleet.verify(), 0) << story;
}

// The controls: what the test above relies on must be able to fail.

TEST(ChaosControl, WithoutTheAuditALossOfDataStallsTheRun) {
    Fleet fleet({"--test-hook", "audit"});
    fleet.submit(20);
    ASSERT_TRUE(fleet.await_done(100));
    fleet.flush_redis();
    EXPECT_FALSE(fleet.await_end(8)) << "it ended although its jobs were lost";
}

TEST(ChaosControl, WithoutDroppingRepeatsALostLeaseIsCountedTwice) {
    Fleet fleet({"--test-hook", "dedup"});
    fleet.submit(10);
    ASSERT_TRUE(fleet.await_done(60));
    for (std::size_t worker = 0; worker < 2; ++worker)
        fleet.stop_worker(worker);
    sleep(4);  // their jobs are done by the third meanwhile
    for (std::size_t worker = 0; worker < 2; ++worker)
        fleet.continue_worker(worker);
    ASSERT_TRUE(fleet.await_end(60));
    const auto end = fleet.progress();
    const bool noticed = end->state == "failed" || count_repeats(end->folder) > 0;
    EXPECT_TRUE(noticed) << "no trial was counted twice";
}

}  // namespace
}  // namespace evalfleet
