#include "tests/integration/redaction/planted_run.hpp"

#include "common/async/run_all.hpp"
#include "common/files/atomic_file.hpp"
#include "common/http/client.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/redis/client.hpp"
#include "common/redis/url.hpp"
#include "tests/support/run_coroutine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <stdexcept>

namespace evalfleet::testing {

namespace asio = boost::asio;
using worker::Action;
using worker::SeenCall;

namespace {

constexpr const char* kModel = "m-1";
constexpr const char* kJudge = "j-1";

template <class Condition>
void await(const char* what, Condition condition) {
    for (int i = 0; i < 2400; ++i) {
        if (condition()) return;
        ::usleep(50'000);
    }
    throw std::runtime_error(std::string("in vain: ") + what);
}

/// The mark "#17#" in a prompt.
std::size_t number_in(const std::string& prompt) {
    const auto begin = prompt.find('#');
    return std::stoul(prompt.substr(begin + 1));
}

std::string as_json(const std::string& text) {
    std::string out;
    json::Writer(out).value(text);
    return out;
}

std::string completion_of(const std::string& text, const std::string& finish,
                          const std::string& model) {
    return fmt::format(R"({{"id":{},"model":{},"system_fingerprint":{},"choices":[{{"index":0,)"
                       R"("finish_reason":{},"message":{{"role":"assistant","content":{}}}}}]}})",
                       as_json("r-" + model), as_json(model), as_json(model), as_json(finish),
                       as_json(text));
}

std::string error_of(const std::string& text) {
    return fmt::format(R"({{"error":{{"message":{0},"type":{0},"code":{0}}}}})", as_json(text));
}

/// In one of the encodings that a log may have, another one each time.
std::string in_some_encoding(const std::string& text, std::size_t number) {
    const auto& encodings = log_encodings();
    return encodings[number % encodings.size()].encode(text);
}

asio::awaitable<void> dump_all(redis::Client& client, async::TimePoint deadline, std::string& out) {
    redis::Command quiet("CONFIG", "SET", "rdbcompression", "no");
    (co_await client.execute(std::move(quiet), deadline)).value();
    redis::Command list("KEYS", "*");
    const auto keys = (co_await client.execute(std::move(list), deadline)).value();
    for (const auto& key : keys.items()) {
        const std::string& name = key.text();
        redis::Command dump("DUMP", name);
        const auto value = (co_await client.execute(std::move(dump), deadline)).value();
        out += name + "\n";
        if (!value.is_nil()) out += value.text() + "\n";
    }
}

}  // namespace

PlantedRun::PlantedRun() {
    // What is only in the prompt can be told from what is in a job.
    std::set<std::string> in_jobs;
    for (const Planted& planted : planted_)
        in_jobs.insert(planted.secret);
    for (const auto& some : {planted_secrets(41), planted_persons(42)}) {
        for (const Planted& planted : some) {
            if (!in_jobs.contains(planted.secret)) in_prompt_.push_back(planted);
        }
    }
    write_dataset();
    write_run_file();
    start_worker();
}

void PlantedRun::write_dataset() const {
    std::string lines;
    for (std::size_t i = 0; i < planted_.size(); ++i) {
        const std::string& text = planted_[i].text;
        json::Writer writer(lines);
        writer.begin_object()
            .member("id", fmt::format("s{} {}", i, text))
            .member("task", fmt::format("#{}# What of {}?", i, text))
            .member("context", text)
            .member("reference_answer", text)
            .member("task_type", text)
            .key("tags")
            .begin_object()
            .member("who", text)
            .member(text, "x")
            .end_object()
            .end_object();
        lines += '\n';
    }
    files::blocking_write_atomically(folder_ / "data.jsonl", lines).value();
}

void PlantedRun::write_run_file() const {
    std::string secrets;
    for (const Planted& planted : in_prompt_)
        secrets += planted.text + "\n";
    const std::string& name = in_prompt_.back().text;
    const std::string spec =
        fmt::format(R"({{"version":1,"name":{},"dataset":{{"path":"data.jsonl"}},)"
                    R"("model":{{"provider":"main","name":"{}","version":"1"}},)"
                    R"("judge":{{"provider":"main","name":"{}","version":"1"}},)"
                    R"("prompt":{{"id":"p","version":"1","system":{},"template":{}}},)"
                    R"("limits":{{"max_attempts":2,"give_up_after_ms":0}}}})",
                    as_json(name), kModel, kJudge, as_json(secrets),
                    as_json("{{task}} {{context}}\n" + secrets));
    files::blocking_write_atomically(folder_ / "run.json", spec).value();
}

void PlantedRun::start_worker() {
    const std::string providers = fmt::format(
        R"({{"providers":{{"main":{{"type":"openai","base_url":"{}","stream":false}}}}}})",
        server_.base_url());
    files::blocking_write_atomically(folder_ / "providers.json", providers).value();
    worker_.emplace(
        std::vector<std::string>{EVALFLEET_BIN_DIR "/evalfleet-worker", "--redis",
                                 coordinator_.redis_url(), "--providers",
                                 (folder_ / "providers.json").string(), "--log-level", "debug",
                                 "--log-format", "json", "--concurrency", "600", "--metrics-port",
                                 "0", "--port-file", (folder_ / "worker.port").string()},
        folder_ / "worker.log");
}

Action PlantedRun::answer(const SeenCall& call) const {
    const std::size_t number = number_in(call.prompt);
    const std::string& text = planted_.at(number).text;
    return call.model == kJudge ? answer_as_judge(text, number)
                                : answer_as_model(text, number, call.number);
}

Action PlantedRun::answer_as_model(const std::string& text, std::size_t number,
                                   std::size_t call) const {
    const bool first_time = call <= planted_.size();
    switch (number % 9) {
        case 0:
            return {.status = 400, .body = error_of(text), .held = true};
        case 1:
            if (!first_time) return {.body = completion_of(text, "stop", "served"), .held = true};
            return {.status = 503, .body = error_of(text), .held = true};
        case 2:
            return {.body = completion_of("fine", text, "served"), .held = true};
        case 3:
            return {.body = completion_of("fine", "stop", text), .held = true};
        case 4:
            return {.body = "<html>" + text, .held = true};
        case 5:
            return {.held = true, .cut = true};
        case 6:
            return {.body = completion_of("", text, text), .held = true};
        case 7:
            return {.status = 422, .body = text, .held = true};
        default:
            return {.body = completion_of(in_some_encoding(text, number), "stop", "served"),
                    .held = true};
    }
}

Action PlantedRun::answer_as_judge(const std::string& text, std::size_t number) const {
    const std::string verdict = fmt::format(
        R"({{"accuracy_score":1,"faithfulness_score":2,"rationale":{}}})", as_json(text));
    switch (number % 4) {
        case 0:
            return {.body = completion_of("I would say: " + text, "stop", text)};
        case 1:
            return {.status = 400, .body = error_of(text)};
        case 2:
            return {.body = completion_of(verdict.substr(0, verdict.size() - 2), text, text)};
        default:
            return {.body = completion_of(verdict, "stop", "served")};
    }
}

void PlantedRun::begin() {
    submit_.emplace(
        std::vector<std::string>{EVALFLEET_BIN_DIR "/evalfleet", "submit",
                                 (folder_ / "run.json").string(), "--wait", "--report",
                                 "--no-progress", "--coordinator-url",
                                 fmt::format("http://127.0.0.1:{}", coordinator_.port())},
        folder_ / "submit.log");
    if (!server_.blocking_await_calls(kModel, 1))
        throw std::runtime_error("nothing was begun: " + submit_->output() + worker_log());
    const std::string last = fmt::format("#{}#", planted_.size() - 1);
    await("all jobs", [&] { return dump_redis().find(last) != std::string::npos; });
    const auto runs = json::Document::parse(coordinator_.get("/api/v1/runs").body).value();
    const auto list = runs.root().get<std::vector<json::Value>>("runs").value();
    run_id_ = list.at(0).get<std::string>("run_id").value();
}

void PlantedRun::fill_redis() {
    ::kill(coordinator_.pid(), SIGSTOP);
    server_.release_held();
    await("the results", [&] {
        constexpr std::string_view kName =
            "evalfleet_worker_deliveries_total{result=\"finished\"} ";
        const std::string metrics = worker_metrics();
        const auto at = metrics.find(kName);
        return at != std::string::npos &&
               std::stoul(metrics.substr(at + kName.size())) >= planted_.size();
    });
}

void PlantedRun::finish() {
    ::kill(coordinator_.pid(), SIGCONT);
    try {
        await("the run's end",
              [&] { return std::filesystem::exists(run_folder() / "manifest.json"); });
    } catch (const std::runtime_error& failure) {
        throw std::runtime_error(failure.what() + coordinator_.get("/api/v1/runs").body);
    }
    static_cast<void>(submit_->wait());
    // Redis is cleared right behind the end of the run.
    await("a clear Redis",
          [&] { return dump_redis().find(in_prompt_.front().secret) == std::string::npos; });
}

std::string PlantedRun::dump_redis() const {
    asio::io_context context(1);
    async::SystemClock clock;
    redis::Client client(context.get_executor(), clock,
                         redis::parse_url(coordinator_.redis_url()).value());
    std::string out;
    std::vector<asio::awaitable<void>> roles;
    roles.push_back(dump_all(client, clock.now() + std::chrono::seconds(20), out));
    roles.push_back(client.run());
    run(context, async::run_all(std::move(roles)));
    return out;
}

std::string PlantedRun::worker_metrics() const {
    std::ifstream file(folder_ / "worker.port");
    std::string port;
    if (!(file >> port)) return "";
    asio::io_context context(1);
    async::SystemClock clock;
    http::Client client(context.get_executor(), clock, {});
    http::Request request;
    request.url = http::Url::parse("http://127.0.0.1:" + port + "/metrics").value();
    const auto answer = run(context, client.send(request, {}));
    return answer ? answer->body : "";
}

}  // namespace evalfleet::testing
