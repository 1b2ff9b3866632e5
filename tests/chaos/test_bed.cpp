#include "tests/chaos/test_bed.hpp"

#include "common/json/document.hpp"
#include "tests/support/redis_commander.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace evalfleet::chaos {

namespace fs = std::filesystem;
using redis::Command;
using std::chrono::seconds;
using std::chrono::steady_clock;

namespace {

constexpr seconds kPatience{60};
constexpr seconds kAnswerWithin{4};
constexpr std::size_t kLargeSamples = 6;
constexpr std::size_t kLargeTask = 200'000;

std::string large_dataset() {
    std::string text;
    for (std::size_t i = 0; i < kLargeSamples; ++i)
        text += R"({"task":"question )" + std::to_string(i) + " " + std::string(kLargeTask, 'x') +
                "\"}\n";
    return text;
}

// What a run is told by its steering, beyond the limits that every run has.
std::string members_of(Steering steering) {
    if (steering == Steering::early_stop)
        return R"(,"early_stop":"gates","policy":{"gates":{"min_aggregate_score":0,)"
               R"("min_pass_rate":1,"max_faithfulness_failure_rate":1}})";
    if (steering == Steering::budget) return R"(,"generation":{"max_tokens":64})";
    return "";
}

std::string limits_of(Steering steering) {
    const std::string budget = steering == Steering::budget ? R"(,"max_total_tokens":100000)" : "";
    return R"(,"limits":{"attempt_timeout_ms":5000)" + budget + "}";
}

std::size_t count_descriptors(pid_t pid) {
    std::error_code ignored;
    const fs::directory_iterator all("/proc/" + std::to_string(pid) + "/fd", ignored);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Sanitizers keep memory that was given back, so with them it says nothing.
std::size_t resident_kib(pid_t pid) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 0;
#endif
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string word; status >> word;)
        if (word == "VmRSS:") {
            std::size_t kib = 0;
            status >> kib;
            return kib;
        }
    return 0;
}

// The keys that are of all runs together, and how their members are listed.
std::optional<Command> members_command(const std::string& key) {
    const auto is = [&](std::string_view kind) { return key == "ef:{main}:" + std::string(kind); };
    if (is("runs")) return Command("SMEMBERS", key);
    if (is("act") || is("lease") || is("dly")) return Command("ZRANGE", key, 0, -1);
    if (is("own")) return Command("HKEYS", key);
    return std::nullopt;
}

std::vector<std::string> to_texts(const redis::Reply& reply) {
    std::vector<std::string> texts;
    for (const redis::Reply& item : reply.items())
        texts.push_back(item.text());
    return texts;
}

}  // namespace

const char* to_string(Steering steering) {
    switch (steering) {
        case Steering::plain:
            return "plain";
        case Steering::paused:
            return "paused";
        case Steering::cancelled:
            return "cancelled";
        case Steering::deleted:
            return "deleted";
        case Steering::early_stop:
            return "early stop";
        case Steering::budget:
            return "budget";
    }
    return "";
}

TestBed::TestBed(TestBedOptions options) : options_(options) {
    using Redis = TestBedOptions::Redis;
    using Kind = testing::RedisPair::Kind;
    if (options_.redis != Redis::one)
        pair_.emplace(options_.redis == Redis::sentinel ? Kind::sentinel : Kind::cluster);
    if (options_.large_payloads) std::ofstream(folder_ / "large.jsonl") << large_dataset();
    fleet_ = std::make_unique<Fleet>(fleet_options());
}

Fleet::Options TestBed::fleet_options() {
    Fleet::Options fleet{.workers = kWorkers, .latency_ms = "60"};
    fleet.coordinator = {"--window-jobs", std::to_string(kWindow), "--dataset-root",
                         folder_.path().string()};
    fleet.faulty_disk = true;
    fleet.stepping_clock = true;
    fleet.route = [this](std::string_view way, const std::string& url) { return route(way, url); };
    if (options_.large_payloads) {
        fleet.simulator = {"--answer-tokens", "40000:60000"};
        fleet.coordinator.insert(fleet.coordinator.end(), {"--window-bytes", "4194304"});
    }
    return fleet;
}

// Of two Redis servers the programs must find the right one themselves: no proxy in between.
std::string TestBed::route(std::string_view way, const std::string& url) {
    if (pair_ && way.ends_with("redis")) return pair_->url();
    const auto number = std::find(kWayNames.begin(), kWayNames.end(), way) - kWayNames.begin();
    FaultProxy& proxy = links_.at(static_cast<std::size_t>(number));
    constexpr std::string_view kUnix = "unix://";
    const std::string here = "127.0.0.1:" + std::to_string(proxy.port());
    if (url.starts_with(kUnix)) {
        proxy.carry_to(url.substr(kUnix.size()));
        return "redis://" + here;
    }
    proxy.carry_to(static_cast<std::uint16_t>(std::stoul(url.substr(url.rfind(':') + 1))));
    return "http://" + here;
}

std::string TestBed::redis_url() {
    return pair_ ? pair_->url() : fleet_->redis().url();
}

std::string TestBed::api_url() {
    return "http://127.0.0.1:" + std::to_string(link(Way::client_api).port());
}

std::size_t TestBed::count_samples() const {
    return options_.large_payloads ? kLargeSamples : Fleet::kSamples;
}

// Every run has a model of its own, so that its calls can be told from those of others.
std::string TestBed::spec(Steering steering, unsigned number) const {
    const std::string dataset =
        options_.large_payloads ? (folder_ / "large.jsonl").string() : Fleet::dataset();
    const std::string tokens =
        options_.large_payloads ? R"(,"generation":{"max_tokens":100000})" : members_of(steering);
    return R"({"version":1,"name":"chaos","dataset":{"path":")" + dataset +
           R"("},"model":{"provider":"sim","name":"m)" + std::to_string(number) +
           R"(","version":"1"},"judge":{"provider":"sim","name":"j","version":"1"},"repeats":)" +
           std::to_string(kRepeats) + limits_of(steering) + tokens + "}";
}

Fleet::Answer TestBed::ask(const std::string& method, const std::string& path,
                           const std::string& body, const std::string& idempotency_key) {
    return Fleet::ask_at(api_url(), {method, path, body, idempotency_key, kAnswerWithin});
}

TestBed::Run TestBed::submit(Steering steering) {
    const unsigned number = next_number();
    const std::string body = spec(steering, number);
    Fleet::Answer answer;
    (void)Fleet::await_true(
        [&] {
            answer = ask("POST", "/api/v1/runs", body, "chaos-" + std::to_string(number));
            return answer.status == 201 || answer.status == 200 ||
                   (answer.status >= 400 && answer.status < 500);
        },
        steady_clock::now() + kPatience);
    const auto document = json::Document::parse(answer.body);
    const auto id = document ? document->root().get<std::string>("run_id")
                             : Result<std::string>(document.error());
    if (!id)
        throw std::runtime_error("not submitted: " + std::to_string(answer.status) + " " +
                                 answer.body);
    const std::scoped_lock lock(mutex_);
    known_.insert(*id);
    return {*id, steering};
}

unsigned TestBed::next_number() {
    const std::scoped_lock lock(mutex_);
    return ++submitted_;
}

Findings TestBed::unknown_runs() {
    Findings findings;
    const std::scoped_lock lock(mutex_);
    for (const auto& entry : fs::directory_iterator(fleet_->store() / "runs"))
        if (const std::string name = entry.path().filename(); !known_.contains(name))
            findings.push_back(name + ": nobody handed it in");
    return findings;
}

bool TestBed::steer(const Run& run, const std::string& what, bool once) {
    const auto deadline = steady_clock::now() + (once ? seconds(0) : kPatience);
    return Fleet::await_true(
        [&] {
            const int status = ask("POST", "/api/v1/runs/" + run.id + "/" + what).status;
            return (status >= 200 && status < 300) || status == 409;
        },
        deadline);
}

bool TestBed::remove(const Run& run) {
    return Fleet::await_true(
        [&] {
            const int status = ask("DELETE", "/api/v1/runs/" + run.id).status;
            return status == 204 || status == 404;
        },
        steady_clock::now() + kPatience);
}

std::optional<fleet::RunProgress> TestBed::progress(const Run& run) {
    fleet_->watch(run.id);
    return fleet_->progress();
}

std::uint64_t TestBed::count_done(const std::vector<Run>& runs) {
    std::uint64_t done = 0;
    for (const Run& run : runs)
        if (const auto now = progress(run)) done += now->done;
    return done;
}

bool TestBed::are_over(const std::vector<Run>& runs) {
    return std::all_of(runs.begin(), runs.end(), [&](const Run& run) {
        const auto now = progress(run);
        return now && now->is_over();
    });
}

std::string TestBed::phase(const Run& run) {
    std::ifstream file(fleet_->store() / "runs" / run.id / "work" / "phase");
    std::string word;
    file >> word;
    return word;
}

bool TestBed::is_removed(const Run& run) {
    return fleet_->ask("GET", "/api/v1/runs/" + run.id).status == 404 &&
           !fs::exists(fleet_->store() / "runs" / run.id);
}

testing::Process TestBed::start_watcher(const Run& run) {
    return testing::Process(
        {EVALFLEET_BIN_DIR "/evalfleet", "watch", run.id, "--coordinator-url", api_url()},
        folder_ / ("watch-" + run.id + ".log"));
}

RunOutcome TestBed::outcome(const Run& run) {
    const auto end = progress(run).value();
    RunOutcome outcome{.id = run.id + " (" + to_string(run.steering) + ")",
                       .state = end.state,
                       .note = end.note.value_or(""),
                       .errors = end.errors,
                       .samples = static_cast<std::int64_t>(count_samples()),
                       .repeats = kRepeats};
    outcome.is_whole = run.steering == Steering::plain || run.steering == Steering::paused;
    outcome.may_be_cancelled = run.steering == Steering::cancelled;
    outcome.ledger = fleet_->read_ledger();
    outcome.verify_exit_code = fleet_->verify();
    return outcome;
}

Calls TestBed::calls(std::size_t skip) const {
    Calls calls;
    const auto seen = fleet_->read_calls();
    for (std::size_t i = skip; i < seen.size(); ++i)
        ++calls[seen[i].key];
    return calls;
}

std::size_t TestBed::count_calls_after(steady_clock::time_point moment) const {
    const auto seen = fleet_->read_calls();
    return static_cast<std::size_t>(std::count_if(
        seen.begin(), seen.end(), [&](const auto& call) { return call.arrival > moment; }));
}

// A run has a model of its own, so that what it asks has keys of its own.
std::size_t TestBed::count_calls_of(const Run& run, steady_clock::time_point after) {
    fleet_->watch(run.id);
    const std::set<std::string> ids = fleet_->read_request_ids();
    const auto seen = fleet_->read_calls();
    std::set<std::string> keys;
    for (const auto& call : seen)
        if (ids.contains(call.request_id)) keys.insert(call.key);
    if (keys.empty()) throw std::runtime_error(run.id + ": none of its calls is known");
    return static_cast<std::size_t>(std::count_if(seen.begin(), seen.end(), [&](const auto& call) {
        return call.arrival > after && keys.contains(call.key);
    }));
}

std::vector<QueueKey> TestBed::keys() {
    const std::string url = redis_url();
    std::vector<QueueKey> keys;
    for (const std::string& name :
         to_texts(testing::blocking_command(url, Command("KEYS", "ef:*"))))
        keys.push_back({name});
    if (keys.empty()) return keys;
    std::vector<Command> questions;
    for (const QueueKey& key : keys)
        questions.emplace_back("PTTL", key.name);
    const auto ttls = testing::blocking_command(url, std::move(questions));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i].ttl_ms = ttls[i].as_integer();
        if (auto command = members_command(keys[i].name))
            keys[i].members = to_texts(testing::blocking_command(url, std::move(*command)));
    }
    return keys;
}

Levels TestBed::levels() {
    Levels levels;
    const auto look = [&](const std::string& name, pid_t pid) {
        levels[name] = {count_descriptors(pid), resident_kib(pid)};
    };
    look("coordinator", fleet_->coordinator().pid());
    for (std::size_t i = 0; i < kWorkers; ++i)
        look("worker " + std::to_string(i), fleet_->worker(i).pid());
    return levels;
}

}  // namespace evalfleet::chaos
