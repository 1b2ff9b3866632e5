#include "tests/integration/worker/fleet.hpp"

#include "common/files/atomic_file.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/queue/functions_text.hpp"
#include "common/redis/url.hpp"

#include <chrono>
#include <stdexcept>

namespace evalfleet::worker {

namespace asio = boost::asio;

namespace {

redis::Config quick_config(const testing::RedisServer& server) {
    redis::Config config = redis::parse_url(server.url()).value();
    config.backoff = {std::chrono::milliseconds(1), std::chrono::milliseconds(20)};
    config.longest_block = std::chrono::seconds(2);
    return config;
}

/// Members of a spec, with the first failure of a trial as its record unless they say otherwise.
std::string record_first_failure(std::string members) {
    if (members.find("give_up_after_ms") != std::string::npos) return members;
    constexpr std::string_view kLimits = "\"limits\": {";
    const std::size_t at = members.find(kLimits);
    if (at != std::string::npos)
        return members.insert(at + kLimits.size(), "\"give_up_after_ms\": 0, ");
    return members + (members.empty() ? "" : ", ") + R"("limits": {"give_up_after_ms": 0})";
}

std::string make_spec(const std::string& members) {
    return R"({"version": 1, "name": "n", "dataset": {"path": "d"},
        "model": {"provider": "main", "name": "m", "version": "v1"},
        "prompt": {"id": "p", "version": "1", "template": "{{context}}|{{task}}"},
        "judge": {"provider": "main", "name": "j", "version": "v2"}, "repeats": 3, )" +
           record_first_failure(members) + "}";
}

asio::awaitable<Result<std::size_t>> pass(asio::awaitable<Status> operation) {
    const Status done = co_await std::move(operation);
    if (!done) co_return done.error();
    co_return std::size_t{0};
}

}  // namespace

bool blocking_eventually(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

Fleet::Fleet(ModelServer::Script script, const std::string& spec_members)
    : redis_({.arguments = {"--appendonly", "yes", "--appendfsync", "always"}}),
      models_(std::move(script)),
      spec_(make_spec(spec_members)),
      client_(context_.get_executor(), clock_, quick_config(redis_)),
      blocking_(context_.get_executor(), clock_, quick_config(redis_)),
      functions_(client_, redis::parse_library(std::string(queue::functions_text())).value()),
      run_(client_, functions_, queue::Keys(), "r1", 1),
      pool_(functions_, queue::Keys()),
      permits_(functions_, queue::Keys(), "the test"),
      roster_(client_, queue::Keys()) {
    write_provider(R"("prices": {"input_usd_per_mtok": 2, "output_usd_per_mtok": 10,
                                 "cache_read_multiplier": 0.5})");
    asio::co_spawn(context_, client_.run(), [](const std::exception_ptr&) {});
    asio::co_spawn(context_, blocking_.run(), [](const std::exception_ptr&) {});
    thread_ = std::thread([this] { context_.run(); });
    own_run();
}

Fleet::~Fleet() {
    context_.stop();
    thread_.join();
}

void Fleet::write_provider(const std::string& members, const std::string& file,
                           const std::string& name, const std::string& url) const {
    const std::string providers = R"({"providers": {")" + name +
                                  R"(": {"type": "openai", "api_key_env": "TEST_KEY",
            "base_url": ")" + (url.empty() ? models_.base_url() : url) +
                                  "\"" + (members.empty() ? "" : ", " + members) + "}}}";
    files::blocking_write_atomically(folder_ / file, providers).value();
}

std::vector<std::string> Fleet::arguments(std::vector<std::string> more,
                                          const std::string& providers) const {
    std::vector<std::string> all{"--redis",      redis_.url(), "--providers",   folder_ / providers,
                                 "--log-format", "text",       "--concurrency", "8"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

std::unique_ptr<WorkerProcess> Fleet::start_worker(std::vector<std::string> more,
                                                   const std::string& providers) {
    return std::make_unique<WorkerProcess>(arguments(std::move(more), providers),
                                           std::vector{"TEST_KEY=" + std::string(kTestKey)});
}

void Fleet::own_run() {
    await(pass(run_.own({.spec = spec_, .needs = {"main"}}, soon())));
}

void Fleet::forget_spec() {
    await(client_.execute(redis::Command("HDEL", queue::Keys().run("r1"), "spec"), soon()));
}

void Fleet::enqueue(std::uint64_t index, std::string payload) {
    std::vector<queue::NewJob> jobs;
    jobs.push_back({index, std::move(payload)});
    await(run_.enqueue(std::move(jobs), 1000, soon()));
}

queue::RunResult Fleet::blocking_next_result() {
    const async::TimePoint end = soon();
    while (clock_.now() < end) {
        auto results = await(run_.results(blocking_, 1, std::chrono::milliseconds(1000), soon()));
        if (results.empty()) continue;
        await(pass(run_.acknowledge({results.front().id}, soon())));
        return std::move(results.front());
    }
    throw std::runtime_error("no result came");
}

job::TrialRecord Fleet::blocking_next_record() {
    queue::RunResult result = blocking_next_result();
    while (result.kind == queue::RunResult::Kind::note) {
        notes_.push_back(job::parse_setback(result.value).value());
        result = blocking_next_result();
    }
    if (result.kind != queue::RunResult::Kind::record) throw std::runtime_error(result.value);
    const auto document = json::Document::parse(result.value).value();
    return job::read_trial_record(document.root()).value();
}

std::size_t Fleet::count_results() {
    return await(run_.results(blocking_, 100, std::chrono::milliseconds(1), soon())).size();
}

queue::PoolStats Fleet::stats() {
    return await(pool_.stats(soon()));
}

std::vector<queue::LimitStats> Fleet::limits() {
    return await(permits_.stats(soon()));
}

std::vector<queue::WorkerSighting> Fleet::workers() {
    return await(roster_.read(soon()));
}

void Fleet::cancel_run() {
    (void)await(run_.set_state(queue::RunState::cancelled, soon()));
}

void Fleet::pause_run() {
    (void)await(run_.set_state(queue::RunState::paused, soon()));
}

async::TimePoint Fleet::soon() const {
    return clock_.now() + std::chrono::seconds(60);
}

}  // namespace evalfleet::worker
