#include "coordinator/runs/run_registry.hpp"

#include "common/json/writer.hpp"
#include "common/log/line.hpp"
#include "common/queue/keys.hpp"
#include "common/runfile/dataset.hpp"
#include "common/version/version.hpp"
#include "coordinator/runs/group_file.hpp"
#include "coordinator/runs/joined_dataset.hpp"
#include "coordinator/runs/operator_providers.hpp"
#include "coordinator/runs/settled_dataset.hpp"
#include "coordinator/store/janitor.hpp"
#include "coordinator/store/store_id.hpp"

#include <fmt/format.h>

#include <random>
#include <stdexcept>
#include <utility>

namespace evalfleet::runs {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::minutes kHouseInterval{10};

std::string describe(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& exception) {
        return exception.what();
    } catch (...) {
        return "unknown";
    }
}

SubmissionFacts facts_of(std::chrono::system_clock::time_point now,
                         const job::Environment& environment) {
    SubmissionFacts facts;
    facts.timestamp_utc = log::format_utc(now);
    // 2026-11-16T15:55:01.123Z -> 20261116-155501
    for (const char c : facts.timestamp_utc.substr(0, 19)) {
        if (c >= '0' && c <= '9')
            facts.stamp.push_back(c);
        else if (c == 'T')
            facts.stamp.push_back('-');
    }
    std::random_device random;
    facts.stamp += fmt::format("-{:06x}", random() & 0xFFFFFF);
    facts.code_version = build_info().git_sha;
    facts.environment = environment;
    facts.environment.emplace("runtime", version_line("evalfleet"));
    return facts;
}

Result<SubmissionFacts> blocking_with_providers(SubmissionFacts facts,
                                                const std::filesystem::path& file) {
    auto known = blocking_read_operator_providers(file);
    if (!known) return known.error();
    facts.providers = std::move(*known);
    return facts;
}

// One that comes with its hash was checked line by line when that was taken.
Result<runfile::Dataset> blocking_open_checked(const job::DatasetRef& ref) {
    if (!ref.hash) {
        auto checked = runfile::Dataset::blocking_validate(ref.path);
        if (!checked) return checked.error().status().error();
        return std::move(*checked);
    }
    auto dataset = runfile::Dataset::blocking_open(ref.path);
    if (dataset && dataset->sha256() != *ref.hash)
        return Error{ErrorKind::invalid, "dataset: was changed while it was submitted"};
    return dataset;
}

std::uint64_t blocking_record_bytes(const std::filesystem::path& store,
                                    const std::vector<std::string>& run_ids) {
    std::uint64_t bytes = 0;
    for (const std::string& id : run_ids) {
        std::error_code code;
        const auto size = std::filesystem::file_size(store / "runs" / id / "records.jsonl", code);
        if (!code) bytes += size;
    }
    return bytes;
}

}  // namespace

// What a store holds when it is opened.
struct RunRegistry::StoreContents {
    std::vector<store::Submission> submissions;
    std::vector<store::RunFolder> open_runs;
    store::Baselines baselines;
    std::vector<RunStats> past;
    std::string store_id;  // empty: it cannot be read or made
};

// A key is under way as long as this lives.
struct RunRegistry::UnderWay {
    UnderWay(RunRegistry& registry_, const std::optional<SubmissionKey>& key_)
        : registry(registry_), key(key_ ? key_->key_sha256 : "") {
        if (!key.empty()) registry.keys_under_way_.insert(key);
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() {
        if (key.empty()) return;
        registry.keys_under_way_.erase(key);
        registry.key_settled_.notify_all();
    }
    RunRegistry& registry;
    std::string key;
};

RunRegistry::RunRegistry(const asio::any_io_executor& executor, std::filesystem::path store,
                         RunDeps deps, Leadership& leadership, Retention retention, Recall recall)
    : store_(std::move(store)),
      deps_(std::move(deps)),
      leadership_(leadership),
      retention_(retention),
      recall_(std::move(recall)),
      keepers_(executor, [this](const std::exception_ptr& failure) {
          deps_.logger.error("a run ended by an exception", {{"error", describe(failure)}});
      }) {}

asio::awaitable<void> RunRegistry::run() {
    co_await leadership_.await_lead();
    auto load_store = [this] { return blocking_load_store(); };
    async::HeavyPool::Job job{"store"};
    auto stock = co_await deps_.heavy.run(std::move(job), load_store);
    if (!stock) throw std::runtime_error(stock.error().message);
    for (store::Submission& submission : stock->submissions)
        submissions_.add(std::move(submission));
    baselines_ = std::move(stock->baselines);
    for (RunStats& run : stock->past)
        past_.insert_or_assign(run.run_id, std::move(run));
    deps_.store_id = stock->store_id;
    reconciler_.emplace(deps_, store_,
                        [this](const std::string& run_id) { return standing_of_kept(run_id); });
    for (store::RunFolder& folder : stock->open_runs)
        keep(std::move(folder));
    is_ready_ = true;
    keepers_.spawn(complete_groups());
    keepers_.spawn(reconciler_->run());
    co_await maintain();
}

asio::awaitable<void> RunRegistry::maintain() {
    std::exception_ptr stopped;
    try {
        co_await run_retention();
    } catch (...) {
        stopped = std::current_exception();
    }
    // The keepers must be gone before what they use is.
    co_await asio::this_coro::reset_cancellation_state();
    keepers_.cancel();
    co_await keepers_.join();
    if (stopped) std::rethrow_exception(stopped);
}

asio::awaitable<void> RunRegistry::run_retention() {
    for (;;) {
        const std::uint64_t seen = runs_ended_;
        if (retention_.is_bounded()) co_await remove_expired();
        if (runs_ended_ == seen)
            co_await run_ended_.wait(deps_.clock, deps_.clock.now() + kHouseInterval);
    }
}

// Nobody writes in the store yet: what is half-written was left by a process that was killed, and
// so is what a run that is over needs no more.
void RunRegistry::blocking_tidy(const store::RunFolder& folder, bool is_closed) const {
    const Status tidied = is_closed ? folder.blocking_drop_work() : folder.blocking_remove_parts();
    if (!tidied) {
        deps_.logger.warn("cannot tidy up a run's folder",
                          {{"run", folder.run_id()}, {"error", tidied.error()}});
    }
}

Result<RunRegistry::StoreContents> RunRegistry::blocking_load_store() const {
    if (auto tidied = store::blocking_tidy_store(store_); !tidied) return tidied.error();
    auto submissions = store::blocking_open_submissions(store_);
    if (!submissions) return submissions.error();
    auto baselines = store::blocking_read_baselines(store_);
    if (!baselines) return baselines.error();
    auto folders = store::blocking_list_runs(store_);
    if (!folders) return folders.error();
    std::erase_if(*folders, [this](const store::RunFolder& folder) {
        const auto name = folder.blocking_read_phase();
        const auto phase = name ? parse_run_phase(*name) : std::nullopt;
        // One that failed can be resumed.
        const bool is_closed = phase && is_over(*phase) && *phase != RunPhase::failed;
        blocking_tidy(folder, is_closed);
        return is_closed;
    });
    auto store_id = store::blocking_make_store_id(store_);
    if (!store_id) {
        deps_.logger.warn("the store has no id; its runs cannot be told from those of others",
                          {{"error", store_id.error()}});
    }
    return StoreContents{std::move(*submissions), std::move(*folders), std::move(*baselines),
                         recall_ ? recall_() : std::vector<RunStats>(),
                         store_id ? std::move(*store_id) : std::string()};
}

std::string RunRegistry::blocked_reason() const {
    if (!leadership_.leads()) return "this coordinator is a standby: " + leadership_.note();
    return is_ready_ ? "" : "the store is being read";
}

void RunRegistry::keep(store::RunFolder folder) {
    const std::string id = folder.run_id();
    auto keeper = std::make_shared<RunKeeper>(deps_, std::move(folder), [this] { note_end(); });
    keepers_.spawn(keep_to_its_end(keeper));
    runs_.insert_or_assign(id, std::move(keeper));
}

asio::awaitable<void> RunRegistry::keep_to_its_end(std::shared_ptr<RunKeeper> keeper) {
    co_await keeper->run();
    note_end();
    const auto end = keeper->progress();
    if (end && end->group_id) co_await complete_group(*end->group_id);
}

// One run more, or one that failed, may be one too many to keep.
void RunRegistry::note_end() {
    ++runs_ended_;
    run_ended_.notify_all();
}

std::optional<Standing> RunRegistry::standing_of_kept(const std::string& run_id) const {
    const auto keeper = find(run_id);
    return keeper ? std::optional(keeper->standing()) : std::nullopt;
}

// Whoever ends last finds all runs done.
asio::awaitable<void> RunRegistry::complete_group(std::string group_id) {
    const std::vector<std::string> ids = runs_of_group(group_id);
    auto work = [&]() -> Status { return blocking_write_group(store_, ids, group_file(group_id)); };
    auto measure = [&] { return blocking_record_bytes(store_, ids); };
    async::HeavyPool::Job job{group_id};
    job.bytes = co_await deps_.pool.run(measure);
    const Status written = co_await deps_.heavy.run(std::move(job), work);
    if (!written) {
        deps_.logger.error("cannot write the summary of a group",
                           {{"group", group_id}, {"error", written.error()}});
    }
}

// A crash may have come between the end of a group's last run and its summary.
asio::awaitable<void> RunRegistry::complete_groups() {
    const std::vector<std::string> groups = submissions_.groups();
    for (const std::string& group_id : groups) {
        auto look = [this, &group_id] {
            std::error_code ignored;
            return std::filesystem::exists(group_file(group_id), ignored);
        };
        const bool is_there = co_await deps_.pool.run(look);
        if (!is_there) co_await complete_group(group_id);
    }
}

Result<store::Submission> RunRegistry::blocking_stage(const job::RunSpec& spec,
                                                      const SubmissionFacts& facts) const {
    const auto source = blocking_open_checked(spec.dataset);
    if (!source) return source.error();
    const auto settled = SettledDataset::blocking_make(spec, *source, store_);
    if (!settled) return settled.error();
    const runfile::Dataset* dataset = &settled->dataset(*source);
    const auto lines = JoinedDataset::blocking_make(spec, *dataset, store_);
    if (!lines) return lines.error();
    auto all_facts = blocking_with_providers(facts, deps_.providers_file);
    if (!all_facts) return all_facts.error();
    all_facts->labels_hash = lines->labels_hash();
    all_facts->dataset_name = source->path().filename().string();
    if (dataset != &*source) all_facts->dataset_source_hash = source->sha256();
    store::Submission submission;
    submission.submitted_at = facts.timestamp_utc;
    const auto planned = plan_runs(spec, *dataset, *all_facts);
    submission.name = planned.front().spec.name;
    for (const PlannedRun& run : planned) {
        const auto budget = plan_budget(run.spec, prices_of(all_facts->providers), {});
        if (!budget) return budget.error();
    }
    std::optional<std::filesystem::path> first_copy;
    for (const PlannedRun& run : planned) {
        std::string spec_json;
        json::Writer writer(spec_json);
        job::write(writer, run.spec);
        const std::string metadata_json = job::to_json(run.metadata);
        store::NewRun fresh{run.run_id, metadata_json, spec_json, lines->path(), {}, {}};
        if (!lines->labels_hash()) fresh.dataset_sha256 = dataset->sha256();
        // The runs of a group have one copy together.
        fresh.shares_dataset = first_copy.has_value();
        if (first_copy) fresh.dataset = *first_copy;
        const auto staged = store::RunFolder::blocking_stage(store_, fresh);
        if (!staged) {
            for (const std::string& id : submission.run_ids)
                store::RunFolder::blocking_unstage(store_, id);
            return staged.error();
        }
        if (!first_copy) first_copy = staged->dataset();
        submission.run_ids.push_back(run.run_id);
        submission.group_id = run.metadata.group_id;
    }
    submission.id = submission.group_id.value_or(submission.run_ids.front());
    return submission;
}

asio::awaitable<Result<Submitted>> RunRegistry::submit(job::RunSpec spec,
                                                       std::optional<SubmissionKey> key) {
    if (spec.rejudged_from)
        co_return Error{ErrorKind::invalid, "rejudged_from: is set by a coordinator only"};
    SubmissionFacts facts = facts_of(deps_.clock.utc_now(), deps_.environment);
    if (spec.baseline) {
        const auto named = baselines_.find(*spec.baseline);
        if (named == baselines_.end()) {
            co_return Error{ErrorKind::invalid,
                            "baseline: there is none called '" + *spec.baseline + "'"};
        }
        facts.baseline_run_id = named->second;
    }
    Stage stage = [this, &spec, &facts] { return blocking_stage(spec, facts); };
    co_return co_await take_in(std::move(stage), std::move(key));
}

Result<std::optional<Submitted>> RunRegistry::find_earlier(const SubmissionKey& key) const {
    const store::Submission* earlier = submissions_.find_key(key.key_sha256);
    if (earlier == nullptr) return std::optional<Submitted>();
    if (earlier->body_sha256 != key.body_sha256)
        return Error{ErrorKind::invalid, "Idempotency-Key: was used for another submission"};
    return std::optional(Submitted{earlier->run_ids, earlier->group_id, true});
}

asio::awaitable<Result<Submitted>> RunRegistry::take_in(Stage stage,
                                                        std::optional<SubmissionKey> key) {
    while (key && keys_under_way_.contains(key->key_sha256))
        co_await key_settled_.wait(deps_.clock);
    if (key) {
        auto earlier = find_earlier(*key);
        if (!earlier) co_return earlier.error();
        if (*earlier) co_return std::move(**earlier);
    }
    const UnderWay under_way(*this, key);
    auto work = [this, &stage, &key]() -> Result<store::Submission> {
        auto submission = stage();
        if (!submission) return submission.error();
        if (key) {
            submission->key_sha256 = key->key_sha256;
            submission->body_sha256 = key->body_sha256;
        }
        if (auto committed = store::blocking_commit(store_, *submission); !committed)
            return committed.error();
        return submission;
    };
    async::HeavyPool::Job job{"submissions"};
    auto submission = co_await deps_.requests.run(std::move(job), work);
    if (!submission) co_return submission.error();
    for (const std::string& id : submission->run_ids)
        keep(folder(id));
    Submitted result{submission->run_ids, submission->group_id, false};
    submissions_.add(std::move(*submission));
    co_return result;
}

asio::awaitable<Result<Submitted>> RunRegistry::derive(
    std::string run_id, std::function<Result<std::string>(const store::RunFolder&)> stage,
    std::optional<SubmissionKey> key) {
    if (!queue::is_run_id(run_id))
        co_return Error{ErrorKind::not_found, "there is no run '" + run_id + "'"};
    Stage whole = [this, &run_id, &stage]() -> Result<store::Submission> {
        const auto phase = folder(run_id).blocking_read_phase();
        if (!phase) return Error{ErrorKind::not_found, "there is no run '" + run_id + "'"};
        const auto id = stage(folder(run_id));
        if (!id) return id.error();
        store::Submission submission;
        submission.id = *id;
        submission.submitted_at = log::format_utc(deps_.clock.utc_now());
        submission.run_ids = {*id};
        return submission;
    };
    co_return co_await take_in(std::move(whole), std::move(key));
}

asio::awaitable<Result<Submitted>> RunRegistry::rejudge(std::string run_id, Rejudgement rejudgement,
                                                        std::optional<SubmissionKey> key) {
    auto stage = [this, &rejudgement](const store::RunFolder& source) -> Result<std::string> {
        const auto facts = blocking_with_providers(
            facts_of(deps_.clock.utc_now(), deps_.environment), deps_.providers_file);
        if (!facts) return facts.error();
        return blocking_stage_rejudgement(store_, source, rejudgement, *facts);
    };
    co_return co_await derive(std::move(run_id), stage, std::move(key));
}

asio::awaitable<Result<Submitted>> RunRegistry::retry(std::string run_id,
                                                      std::optional<SubmissionKey> key) {
    auto stage = [this](const store::RunFolder& source) -> Result<std::string> {
        const auto facts = blocking_with_providers(
            facts_of(deps_.clock.utc_now(), deps_.environment), deps_.providers_file);
        if (!facts) return facts.error();
        return blocking_stage_retry(store_, source, *facts);
    };
    co_return co_await derive(std::move(run_id), stage, std::move(key));
}

store::RunFolder RunRegistry::folder(const std::string& run_id) const {
    return store::RunFolder(store_ / "runs" / run_id);
}

std::shared_ptr<RunKeeper> RunRegistry::find(const std::string& run_id) const {
    const auto found = runs_.find(run_id);
    return found == runs_.end() ? nullptr : found->second;
}

std::vector<RunStats> RunRegistry::stats() const {
    std::vector<RunStats> all;
    for (const auto& [id, keeper] : runs_) {
        if (auto stats = keeper->stats()) all.push_back(std::move(*stats));
    }
    return all;
}

std::vector<RunStats> RunRegistry::past_stats() const {
    std::vector<RunStats> all;
    for (const auto& [id, stats] : past_)
        all.push_back(stats);
    return all;
}

std::vector<std::string> RunRegistry::runs_of_group(const std::string& group_id) const {
    return submissions_.runs_of_group(group_id);
}

std::filesystem::path RunRegistry::group_file(const std::string& group_id) const {
    return store_ / "groups" / group_id / "group.json";
}

}  // namespace evalfleet::runs
