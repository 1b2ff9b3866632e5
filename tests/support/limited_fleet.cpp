#include "tests/support/limited_fleet.hpp"

#include "common/async/run_all.hpp"
#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/queue/functions_text.hpp"
#include "common/redis/client.hpp"
#include "common/redis/url.hpp"
#include "tests/support/run_coroutine.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <stdexcept>

namespace evalfleet::testing {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;

std::string bin(const std::string& name) {
    return EVALFLEET_BIN_DIR "/" + name;
}

std::string provider(const std::string& port, std::uint64_t rpm, const std::string& key_id) {
    return R"({"type":"openai","base_url":"http://127.0.0.1:)" + port +
           R"(/v1","api_key_env":"LIMITED_KEY","api_key_id":")" + key_id + R"(","rpm":)" +
           std::to_string(rpm) + "}";
}

asio::awaitable<void> fill(redis::Client& client, redis::FunctionLibrary& functions,
                           std::uint64_t jobs, async::TimePoint deadline) {
    queue::RunQueue run(client, functions, queue::Keys(), "limited", 1);
    queue::RunTerms terms;
    terms.spec = R"({"version":1,"name":"n","dataset":{"path":"d"},
        "model":{"provider":"main","name":"m","version":"1"},
        "judge":{"provider":"judge","name":"j","version":"1"}})";
    (co_await run.own(std::move(terms), deadline)).value();
    for (std::uint64_t from = 0; from < jobs; from += 500) {
        std::vector<queue::NewJob> some;
        for (std::uint64_t i = from; i < std::min(jobs, from + 500); ++i)
            some.push_back({i, R"({"task":"question )" + std::to_string(i) + R"("})"});
        (co_await run.enqueue(std::move(some), jobs, deadline)).value();
    }
}

}  // namespace

ArrivalLog ArrivalLog::blocking_read(const std::filesystem::path& file) {
    ArrivalLog log;
    std::ifstream lines(file);
    json::Parser parser;
    for (std::string line; std::getline(lines, line);) {
        const auto entry = parser.parse(line);
        if (!entry) break;  // the line that is being written
        log.arrivals_.push_back({entry->get<std::int64_t>("arrival_ns").value(),
                                 static_cast<int>(entry->get<std::int64_t>("status").value())});
    }
    std::sort(log.arrivals_.begin(), log.arrivals_.end(),
              [](const Arrival& a, const Arrival& b) { return a.at_ns < b.at_ns; });
    return log;
}

std::size_t ArrivalLog::count_refused(milliseconds after) const {
    return static_cast<std::size_t>(
        std::count_if(arrivals_.begin(), arrivals_.end(), [&](const Arrival& each) {
            return each.status == 429 &&
                   each.at_ns >= arrivals_.front().at_ns + after.count() * kNsPerMs;
        }));
}

std::size_t ArrivalLog::count_accepted(milliseconds until) const {
    return static_cast<std::size_t>(
        std::count_if(arrivals_.begin(), arrivals_.end(), [&](const Arrival& each) {
            return each.status != 429 &&
                   each.at_ns < arrivals_.front().at_ns + until.count() * kNsPerMs;
        }));
}

std::size_t ArrivalLog::most_within(milliseconds window) const {
    std::size_t most = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
        while (arrivals_[first].at_ns + window.count() * kNsPerMs <= arrivals_[i].at_ns)
            ++first;
        most = std::max(most, i - first + 1);
    }
    return most;
}

double ArrivalLog::sustained_share(std::size_t limit, milliseconds window) const {
    if (arrivals_.size() <= limit) return 0;
    double sum = 0;
    for (std::size_t i = 0; i + limit < arrivals_.size(); ++i) {
        const auto took = static_cast<double>(arrivals_[i + limit].at_ns - arrivals_[i].at_ns);
        sum += static_cast<double>(window.count() * kNsPerMs) / took;
    }
    return sum / static_cast<double>(arrivals_.size() - limit);
}

LimitedFleet::LimitedFleet(Options options) : options_(std::move(options)) {
    ::setenv("LIMITED_KEY", "sk-limited", 1);
    simulators_.push_back(start_simulator("limited", options_.rpm));
    if (!options_.judge_shares_key) simulators_.push_back(start_simulator("free", 0));
    write_providers();
    enqueue();
    for (std::size_t i = 0; i < options_.workers; ++i) {
        workers_.emplace_back(
            std::vector<std::string>{
                bin("evalfleet-worker"), "--redis", redis_.url(), "--providers",
                path("providers.yaml"), "--name", "w" + std::to_string(i), "--concurrency", "32",
                "--lease", std::to_string(options_.lease.count()) + "ms", "--drain-timeout", "1s",
                "--rate-window", std::to_string(options_.window.count()) + "s", "--rate-margin",
                std::to_string(options_.margin.count()) + "ms"},
            folder_ / ("worker" + std::to_string(i) + ".log"));
    }
}

Process LimitedFleet::start_simulator(const std::string& name, std::uint64_t rpm) const {
    return {{bin("evalfleet"), "simulate", "--port", "0", "--port-file", path(name + ".port"),
             "--latency-ms", options_.latency_ms, "--rpm", std::to_string(rpm), "--limit-window",
             std::to_string(options_.window.count()) + "s", "--log", path(name + ".jsonl")},
            folder_ / (name + ".log")};
}

std::string LimitedFleet::await_port(const std::string& name) const {
    for (int i = 0; i < 1200; ++i) {
        std::ifstream file(folder_ / (name + ".port"));
        if (std::string line; std::getline(file, line)) return line;
        ::usleep(50'000);
    }
    throw std::runtime_error("the simulator did not start");
}

void LimitedFleet::write_providers() const {
    const std::string main = await_port("limited");
    const std::string judge = options_.judge_shares_key ? provider(main, options_.rpm, "shared")
                                                        : provider(await_port("free"), 0, "free");
    const std::string all = R"({"providers":{"main":)" + provider(main, options_.rpm, "shared") +
                            R"(,"judge":)" + judge + "}}";
    files::blocking_write_atomically(folder_ / "providers.yaml", all).value();
}

void LimitedFleet::talk(const Talk& what) {
    asio::io_context context(1);
    redis::Client client(context.get_executor(), clock_, redis::parse_url(redis_.url()).value());
    redis::FunctionLibrary functions(
        client, redis::parse_library(std::string(queue::functions_text())).value());
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(what(client, functions));
    roles.push_back(client.run());
    auto join = [](std::vector<asio::awaitable<void>> all) -> asio::awaitable<void> {
        co_await async::run_all(std::move(all));
    };
    run(context, join(std::move(roles)));
}

void LimitedFleet::enqueue() {
    const async::TimePoint deadline = clock_.now() + std::chrono::seconds(60);
    const Talk what = [&](redis::Client& client, redis::FunctionLibrary& functions) {
        return fill(client, functions, options_.jobs, deadline);
    };
    talk(what);
}

std::vector<queue::LimitStats> LimitedFleet::limits() {
    struct Question {
        static asio::awaitable<void> ask(redis::FunctionLibrary& functions,
                                         async::TimePoint deadline,
                                         std::vector<queue::LimitStats>& out) {
            queue::PermitQueue permits(functions, queue::Keys(), "observer");
            out = (co_await permits.stats(deadline)).value();
        }
    };
    std::vector<queue::LimitStats> all;
    const async::TimePoint deadline = clock_.now() + std::chrono::seconds(60);
    const Talk what = [&](redis::Client&, redis::FunctionLibrary& functions) {
        return Question::ask(functions, deadline, all);
    };
    talk(what);
    return all;
}

void LimitedFleet::end_workers() {
    for (const Process& worker : workers_)
        if (worker.pid() > 0) worker.signal(SIGTERM);
    for (Process& worker : workers_)
        if (worker.pid() > 0) (void)worker.wait();
}

ArrivalLog LimitedFleet::arrivals() const {
    return ArrivalLog::blocking_read(folder_ / "limited.jsonl");
}

bool LimitedFleet::await(milliseconds since_first_request) const {
    int waited = 0;
    while (arrivals().size() == 0 && ++waited < 1200)
        ::usleep(50'000);
    if (arrivals().size() == 0) return false;
    ::usleep(static_cast<useconds_t>(since_first_request.count()) * 1000);
    return true;
}

}  // namespace evalfleet::testing
