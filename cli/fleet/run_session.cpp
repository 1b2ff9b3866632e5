#include "cli/fleet/run_session.hpp"

#include "cli/exit_code.hpp"
#include "common/async/run_all.hpp"
#include "common/async/signals.hpp"
#include "common/files/atomic_file.hpp"
#include "common/files/part_file.hpp"
#include "common/json/boost.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/providers/protocol_table.hpp"

#include <boost/asio/this_coro.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

namespace evalfleet::fleet {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kLookInterval{200};
constexpr std::chrono::seconds kStopPatience{20};
constexpr std::chrono::seconds kHandInPatience{60};

asio::awaitable<void> wait_for_signal(async::SignalListener& signals) {
    (void)co_await signals.next();
}

// A second signal while we stop: leave at once. The kernel ends the children with us.
asio::awaitable<void> leave_on_signal(async::SignalListener& signals) {
    (void)co_await signals.next();
    ::_exit(static_cast<int>(cli::ExitCode::interrupted));
}

enum class Bring { move, copy };

Status blocking_bring_files(Bring how, const fs::path& from, const fs::path& to) {
    std::error_code code;
    fs::create_directories(to, code);
    for (const auto& entry : fs::directory_iterator(from, code)) {
        if (!entry.is_regular_file()) continue;
        if (files::is_part_name(entry.path().filename().string())) continue;  // a child was killed
        const fs::path place = to / entry.path().filename();
        if (how == Bring::move)
            fs::rename(entry.path(), place, code);
        else
            fs::copy_file(entry.path(), place, fs::copy_options::overwrite_existing, code);
        if (code) break;
    }
    if (code)
        return Error{ErrorKind::internal, to.string() + ": cannot be written: " + code.message()};
    return {};
}

// What was asked, for who looks at the answers or tries and judges them again. Its lack takes
// nothing from the results.
void blocking_bring_work(Bring how, const fs::path& from, const fs::path& to) {
    std::error_code ignored;
    fs::create_directories(to / "work", ignored);
    for (const char* file : {"dataset.jsonl", "spec.json"}) {
        const fs::path name = fs::path("work") / file;
        if (how == Bring::move)
            fs::rename(from / name, to / name, ignored);
        else
            fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing, ignored);
    }
}

void write(json::Writer& writer, const std::optional<Derivation>& derivation) {
    if (!derivation) {
        writer.null();
        return;
    }
    writer.begin_object()
        .member("run_id", derivation->run_id)
        .member("how", derivation->how)
        .member("body", derivation->body)
        .end_object();
}

Status read_derivation(json::Value root, SessionConfig& config) {
    const auto seeds = root.optional<std::vector<std::string>>("seeds");
    if (!seeds) return seeds.error();
    const auto derivation = root.optional<json::Value>("derivation");
    if (!derivation) return derivation.error();
    Derivation read;
    if (*derivation) {
        for (const auto& [name, member] :
             {std::pair{"run_id", &read.run_id}, std::pair{"how", &read.how},
              std::pair{"body", &read.body}}) {
            auto text = (*derivation)->get<std::string>(name);
            if (!text) return text.error();
            *member = std::move(*text);
        }
        config.derivation = std::move(read);
    }
    if (!*seeds) return {};
    for (const std::string& id : **seeds)
        config.seed.runs.push_back({{}, id, {}, {}});
    return {};
}

}  // namespace

std::string session_json(const SessionConfig& config) {
    std::string text;
    json::Writer writer(text);
    writer.begin_object()
        .member("simulate", config.simulate)
        .member("dataset", config.dataset.string())
        .member("environment", config.fleet.environment)
        .member("max_trials", config.fleet.max_trials)
        .key("run")
        .raw(config.run_json.empty() ? "null" : config.run_json)
        .key("providers")
        .raw(config.providers_json)
        .key("derivation");
    write(writer, config.derivation);
    writer.key("seeds").begin_array();
    for (const SeedRun& run : config.seed.runs)
        writer.value(run.run_id);
    writer.end_array().key("run_ids").begin_array();
    for (const std::string& id : config.run_ids)
        writer.value(id);
    writer.end_array().end_object();
    return text + "\n";
}

Status read_session(std::string_view json, SessionConfig& config) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    const json::Value root = document->root();
    const auto simulate = root.get<bool>("simulate");
    const auto dataset = root.get<std::string>("dataset");
    const auto providers = root.get<json::Value>("providers");
    const auto run = root.optional<json::Value>("run");
    if (!simulate) return simulate.error();
    if (!dataset) return dataset.error();
    if (!providers) return providers.error();
    const auto ids = root.optional<std::vector<std::string>>("run_ids");
    const auto environment = root.get_or<std::string>("environment", "");
    const auto max_trials = root.optional<std::uint64_t>("max_trials");
    if (!environment) return environment.error();
    if (!max_trials) return max_trials.error();
    if (!run) return run.error();
    if (!ids) return ids.error();
    if (const Status rest = read_derivation(root, config); !rest) return rest;
    if (*ids) config.run_ids = **ids;
    if (*run) config.run_json = json::serialize(json::to_boost(**run));
    config.simulate = *simulate;
    config.fleet.environment = *environment;
    config.fleet.max_trials = *max_trials;
    config.dataset = *dataset;
    config.providers_json = json::serialize(json::to_boost(*providers));
    return {};
}

std::string simulated_providers(std::string_view providers_json, std::uint16_t port) {
    const std::string host = "http://127.0.0.1:" + std::to_string(port);
    const auto document = json::Document::parse(providers_json).value();
    boost::json::value providers = json::to_boost(document.root());
    for (auto& [name, value] : providers.as_object()) {
        boost::json::object& provider = value.as_object();
        for (const char* real : {"api_key_env", "api_key_file", "auth", "command", "env", "headers",
                                 "rpm", "tpm", "max_concurrent"})
            provider.erase(real);
        // A program cannot be simulated; what it would be asked, a chat model is.
        if (provider["type"] == "command") provider["type"] = "openai";
        const auto type =
            job::from_name<providers::ProviderType>(std::string_view(provider["type"].as_string()));
        provider["base_url"] =
            host + std::string(type ? providers::traits_of(*type).simulated_base : "");
    }
    return json::serialize(providers);
}

RunSession::RunSession(SessionConfig config, async::Clock& clock)
    : config_(std::move(config)),
      clock_(clock),
      line_(stderr, clock),
      fleet_(config_.fleet, clock, [this](const std::string& line) { line_.say(line); }) {}

asio::awaitable<Result<SessionResult>> RunSession::run() {
    const auto executor = co_await asio::this_coro::executor;
    async::SignalListener signals(executor, {SIGINT, SIGTERM});
    http_.emplace(executor, clock_, http::ClientConfig{});
    Status ready = co_await bring_up();
    if (ready) ready = co_await hand_in();
    SessionResult result;
    if (ready) {
        std::vector<asio::awaitable<void>> roles;
        roles.push_back(watch());
        roles.push_back(wait_for_signal(signals));
        result.interrupted = co_await async::run_all(std::move(roles)) == 1;
    }
    line_.end();
    if (result.interrupted) line_.say("stopping; press Ctrl-C again to leave at once");
    std::vector<asio::awaitable<void>> ending;
    ending.push_back(fleet_.stop(kStopPatience));
    ending.push_back(leave_on_signal(signals));
    co_await async::run_all(std::move(ending));
    if (refusal_) {
        blocking_clear_away();
        result.refusal = std::move(refusal_);
        co_return result;
    }
    if (!ready) co_return ready.error();
    result.runs = runs_;
    if (const Status home = blocking_bring_home(result); !home) co_return home.error();
    co_return result;
}

std::string RunSession::providers_yaml(std::optional<std::uint16_t> simulator_port) const {
    const std::string providers = simulator_port
                                      ? simulated_providers(config_.providers_json, *simulator_port)
                                      : config_.providers_json;
    return "{\"providers\": " + providers + "}\n";  // JSON is YAML
}

asio::awaitable<Status> RunSession::bring_up() {
    std::error_code ignored;
    fs::create_directories(config_.fleet.folder, ignored);
    if (config_.is_new) {
        // Before the session is noted: one that goes on has them.
        const Status planted = blocking_plant(config_.seed, config_.fleet.folder / "store");
        if (!planted) co_return planted;
    }
    if (const Status noted = blocking_note_session(); !noted) co_return noted;
    std::optional<std::uint16_t> simulator_port;
    if (config_.simulate) {
        const auto port = co_await fleet_.start_simulator(config_.dataset);
        if (!port) co_return port.error();
        simulator_port = *port;
    }
    const auto url = co_await fleet_.start(providers_yaml(simulator_port));
    if (!url) co_return url.error();
    coordinator_.emplace(*http_, clock_, *url, config_.fleet.token);
    co_return Status();
}

Status RunSession::blocking_note_session() const {
    return files::blocking_write_atomically(config_.fleet.folder / kSessionFile,
                                            session_json(config_));
}

asio::awaitable<Status> RunSession::hand_in() {
    const async::TimePoint deadline = clock_.now() + kHandInPatience;
    bool may_be_in = !config_.is_new;
    for (;;) {
        // A coordinator that died over a submission has either all of it or nothing.
        Result<bool> is_in = false;
        if (may_be_in) is_in = co_await find_runs();
        if (is_in && *is_in) co_return Status();
        Status taken = is_in ? Status() : is_in.error();
        if (taken) taken = co_await submit();
        if (taken || refusal_ || clock_.now() >= deadline) co_return taken;
        may_be_in = true;
        co_await clock_.wait_for(std::chrono::milliseconds(100));
        find_coordinator();
    }
}

asio::awaitable<Status> RunSession::submit() {
    // Left by a version that did not write its run down.
    if (config_.run_json.empty() && !config_.derivation)
        co_return Error{ErrorKind::not_found, "there is no run"};
    Result<SubmissionAnswer> answer = SubmissionAnswer{};
    if (config_.derivation) {
        const Derivation& derivation = *config_.derivation;
        answer = co_await coordinator_->derive(derivation.run_id, derivation.how, derivation.body);
    } else {
        answer = co_await coordinator_->submit(config_.run_json);
    }
    if (!answer) co_return answer.error();
    if (answer->refusal) {
        const Error error = remote::to_error(*answer->refusal, "submitter");
        if (!is_retryable(error.kind)) refusal_ = std::move(answer->refusal);
        co_return error;
    }
    ids_ = std::move(answer->run_ids);
    config_.run_ids = ids_;
    co_return blocking_note_session();
}

bool RunSession::is_seed(const std::string& run_id) const {
    return std::ranges::any_of(config_.seed.runs,
                               [&](const SeedRun& run) { return run.run_id == run_id; });
}

// The runs that the coordinator of a fleet of our own keeps are ours. False: it keeps none.
asio::awaitable<Result<bool>> RunSession::find_runs() {
    if (config_.run_ids.empty()) {
        const auto runs = co_await coordinator_->runs();
        if (!runs) co_return runs.error();
        std::vector<std::string> ids;
        for (const RunProgress& run : *runs) {
            if (!is_seed(run.run_id)) ids.push_back(run.run_id);
        }
        // Listed from the newest; here in the order of the submission, in which 2 is before 10.
        std::sort(ids.begin(), ids.end(), [](const std::string& a, const std::string& b) {
            return std::pair(a.size(), std::string_view(a)) <
                   std::pair(b.size(), std::string_view(b));
        });
        config_.run_ids = std::move(ids);
        if (const Status noted = blocking_note_session(); !noted) co_return noted.error();
    }
    std::vector<std::string> ids;
    for (const std::string& id : config_.run_ids) {
        auto current = co_await take_up(id);
        if (!current) co_return current.error();
        ids.push_back(std::move(*current));
    }
    ids_ = std::move(ids);
    co_return !ids_.empty();
}

// One that was paused when we were last here goes on. Of one that is over and could not be measured
// the trials are tried again, by another run; that may have begun when we were last here.
asio::awaitable<Result<std::string>> RunSession::take_up(std::string run_id) {
    for (;;) {
        const auto run = co_await coordinator_->progress(run_id);
        if (!run) co_return run.error();
        if (run->state == "paused") {
            const auto resumed = co_await coordinator_->steer(run_id, "resume");
            if (!resumed) co_return resumed.error();
        }
        if (run->state != "done" || !run->is_unmeasured()) co_return run_id;
        auto again = co_await coordinator_->retry(run_id);
        if (!again) co_return again.error();
        run_id = std::move(*again);
    }
}

// One that was started again has another port.
void RunSession::find_coordinator() {
    if (const auto url = fleet_.coordinator_url(); url)
        coordinator_.emplace(*http_, clock_, *url, config_.fleet.token);
}

// A run that was paused because it cannot go well waits for somebody to put that right; nobody but
// us could let it go on.
asio::awaitable<void> RunSession::watch() {
    const auto rests = [](const RunProgress& run) {
        return run.is_over() || run.state == "paused";
    };
    for (;;) {
        co_await look();
        show();
        const bool is_over =
            runs_.size() == ids_.size() && std::all_of(runs_.begin(), runs_.end(), rests);
        if (is_over) co_return;
        co_await clock_.wait_for(kLookInterval);
    }
}

// A coordinator that is being started again answers soon.
asio::awaitable<void> RunSession::look() {
    std::vector<RunProgress> seen;
    for (const std::string& id : ids_) {
        auto progress = co_await coordinator_->progress(id);
        if (!progress) {
            find_coordinator();
            co_return;
        }
        seen.push_back(std::move(*progress));
    }
    runs_ = std::move(seen);
}

void RunSession::show() {
    if (!config_.show_progress || runs_.empty()) return;
    const auto current = std::find_if(runs_.begin(), runs_.end(),
                                      [](const RunProgress& run) { return !run.is_over(); });
    const RunProgress& run = current == runs_.end() ? runs_.back() : *current;
    std::string line = remote::progress_line(run);
    if (runs_.size() > 1)
        line = "run " + std::to_string(&run - runs_.data() + 1) + "/" +
               std::to_string(runs_.size()) + "  " + line;
    line_.show({std::move(line), run.note.value_or(""), run.is_over()});
}

// Where nothing was begun there is nothing to go on with. A folder of the user's stays.
void RunSession::blocking_clear_away() const {
    std::error_code ignored;
    fs::remove_all(config_.fleet.folder, ignored);
    fs::remove(config_.out, ignored);  // does nothing unless it is empty
}

Status RunSession::blocking_bring_home(SessionResult& result) const {
    const bool all_over = runs_.size() == ids_.size() &&
                          std::all_of(runs_.begin(), runs_.end(), [](const RunProgress& run) {
                              return run.state == "done" || run.state == "cancelled";
                          });
    if (!all_over) return {};
    const bool is_measured = std::none_of(
        runs_.begin(), runs_.end(), [](const RunProgress& run) { return run.is_unmeasured(); });
    // What could not be measured is tried again from where it is.
    const Bring how = is_measured ? Bring::move : Bring::copy;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
        const fs::path home = runs_.size() == 1 ? config_.out : config_.out / config_.run_ids[i];
        if (const Status brought = blocking_bring_files(how, runs_[i].folder, home); !brought)
            return brought;
        blocking_bring_work(how, runs_[i].folder, home);
        result.folders.push_back(home);
    }
    std::error_code ignored;
    if (is_measured) fs::remove_all(config_.fleet.folder, ignored);
    return {};
}

}  // namespace evalfleet::fleet
