#include "tests/support/fleet.hpp"

#include "common/async/run_all.hpp"
#include "common/files/atomic_file.hpp"
#include "common/json/document.hpp"
#include "common/redis/client.hpp"
#include "common/redis/url.hpp"
#include "tests/support/leftovers.hpp"

#include <unistd.h>

#include <fstream>
#include <stdexcept>

namespace evalfleet::testing {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr auto kCopy = fs::copy_options::recursive | fs::copy_options::overwrite_existing;

std::string bin(const std::string& name) {
    return EVALFLEET_BIN_DIR "/" + name;
}
asio::awaitable<void> send(redis::Client& client, redis::Command command, async::TimePoint deadline,
                           redis::Reply& reply) {
    reply = (co_await client.execute(std::move(command), deadline)).value();
}

}  // namespace

std::string Fleet::dataset() {
    return EVALFLEET_TEST_DATA_DIR "/../docs/examples/qa.jsonl";
}

Fleet::Fleet(Options options) : options_(std::move(options)) {
    start_simulator();
    if (options_.can_be_cut_off) reconnect();
    start_coordinator();
    await_store();
    for (std::size_t i = 0; i < options_.workers; ++i)
        add_worker();
}

// A coordinator answers before it has read its store; until then it refuses what would change it.
void Fleet::await_store() {
    (void)await_true(
        [&] {
            const Answer answer = ask("GET", "/readyz");
            return answer.status != 0 &&
                   answer.body.find("store is being read") == std::string::npos;
        },
        std::chrono::steady_clock::now() + std::chrono::seconds(60));
}

RedisServer::Options Fleet::redis_options(const Options& options) {
    RedisServer::Options redis{.arguments = {"--appendonly", "yes", "--appendfsync", "everysec"},
                               .has_stepping_clock = options.stepping_clock};
    redis.arguments.insert(redis.arguments.end(), options.redis.begin(), options.redis.end());
    return redis;
}

std::string Fleet::redis_url(const std::string& user) const {
    if (user.empty()) return redis_.url();
    return "unix://" + user + "@" + redis_.socket_path().string();
}

void Fleet::start_simulator() {
    fs::remove(folder_ / "simulator.port");
    simulator_.reset();
    std::vector<std::string> argv{bin("evalfleet"),  "simulate",
                                  "--port",          "0",
                                  "--port-file",     path("simulator.port"),
                                  "--log",           path("calls.jsonl"),
                                  "--dataset",       dataset(),
                                  "--latency-ms",    options_.latency_ms,
                                  "--latency-sigma", "0.4"};
    argv.insert(argv.end(), options_.simulator.begin(), options_.simulator.end());
    simulator_.emplace(std::move(argv), folder_ / "simulator.log");
    write_providers(options_.provider_path);
}

void Fleet::change_latency(const std::string& milliseconds) {
    options_.latency_ms = milliseconds;
    start_simulator();
    restart_workers();
}

void Fleet::submit(int repeats, const std::string& more) {
    const std::string spec = R"({"version":1,"name":"test","dataset":{"path":")" + dataset() +
                             R"("},"model":{"provider":"sim","name":"m","version":"1"},)"
                             R"("judge":{"provider":"sim","name":"j","version":"1"},"repeats":)" +
                             std::to_string(repeats) + more + "}";
    const auto answer =
        with_coordinator([&](fleet::CoordinatorClient& client) { return client.submit(spec); });
    if (!answer) throw std::runtime_error("not submitted: " + answer.error().message);
    if (answer->refusal)
        throw std::runtime_error("not submitted: " +
                                 remote::to_error(*answer->refusal, "submitter").message);
    run_id_ = answer->run_ids.front();
}

std::optional<fleet::RunProgress> Fleet::progress() {
    auto progress = with_coordinator(
        [&](fleet::CoordinatorClient& client) { return client.progress(run_id_); });
    if (!progress) return std::nullopt;
    return *progress;
}

bool Fleet::await_done(std::uint64_t done, int seconds) {
    return await([done](const auto& now) { return now.done >= done || now.is_over(); }, seconds);
}

bool Fleet::await_end(int seconds) {
    return await([](const auto& now) { return now.is_over(); }, seconds);
}

bool Fleet::steer(const std::string& what) {
    const auto steered = with_coordinator(
        [&](fleet::CoordinatorClient& client) { return client.steer(run_id_, what); });
    return steered.has_value();
}

void Fleet::add_worker() {
    workers_.push_back(start_worker());
}

void Fleet::kill_worker(std::size_t number) {
    workers_[number].kill();
    workers_[number] = start_worker();
}

void Fleet::kill_coordinator() {
    coordinator_->kill();
    start_coordinator();
}

void Fleet::kill_coordinator(const std::function<void()>& meanwhile) {
    coordinator_->kill();
    meanwhile();
    start_coordinator();
}

void Fleet::break_disk(const std::string& call, int error, const std::string& part) {
    const std::string orders = call + " " + std::to_string(error) + " " + part + "\n";
    files::blocking_write_atomically(folder_ / "disk", orders).value();
}

void Fleet::mend_disk() {
    fs::remove(folder_ / "disk");
}

std::vector<std::string> Fleet::find_leftovers() {
    std::vector<std::string> found;
    (void)await_true(
        [&] {
            found = testing::find_leftovers(store());
            for (std::string& key : find_redis_keys())
                found.push_back(std::move(key));
            return found.empty();
        },
        std::chrono::steady_clock::now() + std::chrono::seconds(30));
    return found;
}

std::vector<std::string> Fleet::find_redis_keys() {
    const std::set<std::string> open = testing::find_open_runs(store());
    std::vector<std::string> found;
    const redis::Reply keys = tell_redis(redis::Command("KEYS", "ef:*"));
    const redis::Reply runs = tell_redis(redis::Command("SMEMBERS", "ef:{main}:runs"));
    for (const redis::Reply& item : keys.items()) {
        const std::string& key = item.text();
        const RunKey parsed = testing::parse_run_key(key);
        if (parsed.kind.empty() || open.contains(parsed.run_id)) continue;
        if (parsed.kind != "run")
            found.push_back(key + ": of a run that is over");
        else if (tell_redis(redis::Command("PTTL", key)).as_integer() == -1)
            found.push_back(key + ": stays for ever");
    }
    for (const redis::Reply& item : runs.items())
        if (!open.contains(item.text()))
            found.push_back(item.text() + ": is over, and Redis lists it");
    return found;
}

std::string Fleet::redis_field(const std::string& name) {
    const redis::Reply field = tell_redis(redis::Command("HGET", "ef:{main}:run:" + run_id_, name));
    return field.is_nil() ? "" : field.text();
}

void Fleet::plant_run(const std::string& run_id) {
    tell_redis(redis::Command("HSET", "ef:{main}:run:" + run_id, "state", "run", "epoch", "1"));
}

void Fleet::cut_off() {
    tell_redis(redis::Command("ACL", "SETUSER", "coordinator", "off"));
    tell_redis(redis::Command("CLIENT", "KILL", "USER", "coordinator"));
}

void Fleet::reconnect() {
    tell_redis(
        redis::Command("ACL", "SETUSER", "coordinator", "on", ">secret", "~*", "&*", "+@all"));
}

void Fleet::kill_redis() {
    redis_.restart();
}

void Fleet::flush_redis() {
    tell_redis(redis::Command("FLUSHALL"));
}

void Fleet::limit_redis_memory(const std::string& max) {
    tell_redis(redis::Command("CONFIG", "SET", "maxmemory", max));
}

void Fleet::let_redis_evict() {
    tell_redis(redis::Command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"));
}

std::uint64_t Fleet::count_results() {
    const redis::Command count("XLEN", "ef:{main}:res:" + run_id_);
    return static_cast<std::uint64_t>(tell_redis(count).as_integer());
}

std::uint64_t Fleet::used_redis_memory() {
    constexpr std::string_view kName = "used_memory:";
    const std::string info = tell_redis(redis::Command("INFO", "memory")).text();
    return std::stoull(info.substr(info.find(kName) + kName.size()));
}

redis::Reply Fleet::tell_redis(redis::Command command) {
    redis::Reply reply;
    asio::io_context context(1);
    async::SystemClock clock;
    redis::Client client(context.get_executor(), clock, redis::parse_url(redis_.url()).value());
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(
        send(client, std::move(command), clock.now() + std::chrono::seconds(10), reply));
    roles.push_back(client.run());
    run(context, async::run_all(std::move(roles)));
    return reply;
}

void Fleet::remember_redis() {
    fs::remove_all(folder_ / "snapshot");
    fs::copy(redis_.folder() / "appendonlydir", folder_ / "snapshot", kCopy);
}

void Fleet::roll_redis_back() {
    redis_.kill();
    fs::remove_all(redis_.folder() / "appendonlydir");
    fs::copy(folder_ / "snapshot", redis_.folder() / "appendonlydir", kCopy);
    redis_.restart();
}

int Fleet::verify() {
    return Process({bin("evalfleet"), "verify", run_folder().string()}, folder_ / "verify.log")
        .wait();
}

Fleet::Ledger Fleet::read_ledger() {
    Ledger counts;
    std::ifstream file(run_folder() / "records.jsonl");
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        const auto record = parser.parse(line).value();
        ++counts[{record.get<std::int64_t>("sample_index").value(),
                  record.get<std::int64_t>("repeat").value()}];
    }
    return counts;
}

std::set<std::string> Fleet::read_request_ids() {
    std::set<std::string> ids;
    std::ifstream file(run_folder() / "records.jsonl");
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        const auto record = parser.parse(line).value();
        if (const auto id = record.get<std::string>("provider_request_id")) ids.insert(*id);
    }
    return ids;
}

std::uint64_t Fleet::figure(std::string_view name) {
    const auto queues = json::Document::parse(ask("GET", "/api/v1/queues").body);
    if (!queues) return 0;
    const auto number = queues->root().get<std::int64_t>(name);
    return number ? static_cast<std::uint64_t>(*number) : 0;
}

std::vector<Fleet::SeenCall> Fleet::read_calls() const {
    std::vector<SeenCall> calls;
    std::ifstream file(folder_ / "calls.jsonl");
    json::Parser parser;
    for (std::string line; std::getline(file, line);) {
        const auto entry = parser.parse(line);
        if (!entry) break;  // the line that is being written
        if (entry->get<std::string>("kind").value() != "model") continue;
        const std::chrono::nanoseconds arrival(entry->get<std::int64_t>("arrival_ns").value());
        calls.push_back({entry->get<std::string>("key").value(),
                         std::chrono::steady_clock::time_point(arrival),
                         entry->get<std::string>("request_id").value()});
    }
    return calls;
}

void Fleet::pause() {
    usleep(50'000);
}

std::string Fleet::await_file(const std::string& name) {
    for (int i = 0; i < 1200; ++i) {
        std::ifstream file(folder_ / name);
        if (std::string line; std::getline(file, line)) return line;
        pause();
    }
    throw std::runtime_error(name + " was not written");
}

std::vector<std::string> Fleet::coordinator_argv(const std::string& port_file) const {
    std::vector<std::string> argv{
        bin("evalfleet-coordinator"),
        "--redis",
        options_.can_be_cut_off ? redis_url("coordinator:secret") : redis_url(),
        "--store",
        path("store"),
        "--listen",
        "127.0.0.1:0",
        "--port-file",
        path(port_file),
        "--dataset-root",
        EVALFLEET_TEST_DATA_DIR "/../docs/examples",
        "--providers",
        path("providers.yaml"),
        "--audit-interval",
        "1s"};
    argv.insert(argv.end(), options_.coordinator.begin(), options_.coordinator.end());
    argv[2] = route("coordinator-redis", argv[2]);
    if (options_.faulty_disk) {
        argv.insert(
            argv.begin(),
            {"/usr/bin/env", "LD_PRELOAD=" EVALFLEET_BIN_DIR "/tests/evalfleet_disk_preload.so",
             "FAULTY_DISK=" + path("disk"), "ASAN_OPTIONS=verify_asan_link_order=0"});
    }
    return argv;
}

void Fleet::start_coordinator() {
    fs::remove(folder_ / "coordinator.port");
    coordinator_.reset();
    coordinator_.emplace(coordinator_argv("coordinator.port"), folder_ / "coordinator.log");
    url_ = "http://127.0.0.1:" + await_file("coordinator.port");
    (void)route("client-api", url_);
}

void Fleet::add_standby(const std::vector<std::string>& more) {
    std::vector<std::string> argv = coordinator_argv("standby.port");
    argv.insert(argv.end(), more.begin(), more.end());
    standby_.emplace(argv, folder_ / "standby.log");
    standby_url_ = "http://127.0.0.1:" + await_file("standby.port");
}

int Fleet::run_coordinator(const std::vector<std::string>& more) {
    std::vector<std::string> argv = coordinator_argv("other.port");
    argv.insert(argv.end(), more.begin(), more.end());
    return Process(argv, folder_ / "other.log").wait();
}

void Fleet::ask_standby() {
    former_ = std::move(coordinator_);
    coordinator_ = std::move(standby_);
    standby_.reset();
    url_ = standby_url_;
}

void Fleet::write_providers(const std::string& path) {
    const std::string limit = options_.max_concurrent == 0
                                  ? ""
                                  : ", max_concurrent: " + std::to_string(options_.max_concurrent);
    const std::string url =
        route("worker-provider", "http://127.0.0.1:" + await_file("simulator.port"));
    const std::string providers =
        "providers: {sim: {type: openai, base_url: \"" + url + path + "\"" + limit + "}}\n";
    files::blocking_write_atomically(folder_ / "providers.yaml", providers).value();
}

void Fleet::restart_workers() {
    for (std::size_t i = 0; i < workers_.size(); ++i)
        kill_worker(i);
}

void Fleet::restart_workers(std::vector<std::string> worker) {
    options_.worker = std::move(worker);
    restart_workers();
}

Fleet::Answer Fleet::ask(const std::string& method, const std::string& path,
                         const std::string& body, const std::string& idempotency_key) {
    return ask_at(url_, {method, path, body, idempotency_key});
}

Fleet::Caller& Fleet::caller() {
    thread_local Caller caller;
    return caller;
}

Fleet::Answer Fleet::ask_at(const std::string& url, Question question) {
    Caller& with = caller();
    http::Request request;
    request.method = question.method;
    request.url = http::Url::parse(url).value().with_path_appended(question.path);
    request.body = std::move(question.body);
    request.headers.set("Content-Type", "application/json");
    if (!question.idempotency_key.empty())
        request.headers.set("Idempotency-Key", question.idempotency_key);
    http::CallLimits limits;
    limits.total_deadline = with.clock.now() + question.patience;
    auto response = run(with.context, with.http.send(std::move(request), limits));
    if (!response) return {};
    return {response->status, std::move(response->body)};
}

std::string Fleet::ask_for(const std::string& path, const std::string& member) {
    const auto document = json::Document::parse(ask("GET", path).body);
    if (!document) return "";
    const auto text = document->root().get<std::string>(member);
    return text ? *text : "";
}

// The lease is short as a rule, so that the jobs of the dead are soon taken up.
Process Fleet::start_worker() {
    std::vector<std::string> argv{bin("evalfleet-worker"),
                                  "--redis",
                                  route("worker-redis", redis_url()),
                                  "--providers",
                                  path("providers.yaml"),
                                  "--concurrency",
                                  std::to_string(options_.concurrency),
                                  "--name",
                                  "w" + std::to_string(++started_workers_)};
    if (!options_.lease.empty()) argv.insert(argv.end(), {"--lease", options_.lease});
    argv.insert(argv.end(), options_.worker.begin(), options_.worker.end());
    return Process(argv, folder_ / "worker.log");
}

}  // namespace evalfleet::testing
