#include "coordinator/runs/derived_run.hpp"

#include "common/disclosure/metadata.hpp"
#include "common/disclosure/record.hpp"
#include "common/job/trial_index.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/json/writer.hpp"
#include "common/runfile/dataset.hpp"
#include "common/scoring/derive.hpp"
#include "common/sealing/sealing_key.hpp"
#include "coordinator/runs/open_run.hpp"
#include "coordinator/runs/operator_providers.hpp"
#include "coordinator/runs/peoples_scores.hpp"
#include "coordinator/runs/taken_over.hpp"
#include "coordinator/store/durable_log.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace evalfleet::runs {

namespace {

constexpr std::size_t kBatchBytes = std::size_t{4} * 1024 * 1024;

// Gathers records and appends them to a log with one sync a batch.
class LogFiller {
  public:
    explicit LogFiller(store::DurableLog& log) : log_(log) {}

    Status blocking_add(std::uint64_t index, std::string record) {
        bytes_ += record.size();
        indexes_.push_back(index);
        records_.push_back(std::move(record));
        return bytes_ < kBatchBytes ? Status() : blocking_flush();
    }

    Status blocking_flush() {
        std::vector<store::Entry> entries;
        for (std::size_t i = 0; i < records_.size(); ++i)
            entries.push_back({store::EntryKind::record, indexes_[i], records_[i]});
        const auto written = log_.blocking_append(entries);
        if (!written) return written.error();
        indexes_.clear();
        records_.clear();
        bytes_ = 0;
        return {};
    }

  private:
    store::DurableLog& log_;
    std::vector<std::uint64_t> indexes_;
    std::vector<std::string> records_;
    std::size_t bytes_ = 0;
};

// Changes a record of the source into one of the new run; false: the trial is run again.
using TakeOver = std::function<bool(job::TrialRecord&)>;

redaction::Redactor redactor_of(const job::RunSpec& spec) {
    return redaction::Redactor({}, {.pii = spec.redaction.pii});
}

// What is taken over is the new run's, but the run that made the calls paid for them.
void become_part_of(const std::string& run_id, job::TrialRecord& record) {
    record.run_id = run_id;
    for (std::optional<double>* usd : {&record.cost_usd, &record.evaluator_cost_usd}) {
        if (*usd) *usd = 0;
    }
}

// With the run that made its calls, on that one's budget.
std::string to_json(const job::TrialRecord& record, const std::string& source) {
    std::string name;
    json::Writer(name).value(source);
    std::string text;
    json::Writer writer(text);
    job::write(writer, record, {{std::string(kTakenOverFrom), name}});
    return text;
}

// Counts what was not taken over.
Result<std::uint64_t> blocking_take_over(const store::RunFolder& source,
                                         const store::RunFolder& target, const job::RunSpec& spec,
                                         const TakeOver& take_over) {
    const std::filesystem::path records = source.file("records.jsonl");
    const auto repeats = static_cast<std::uint64_t>(spec.repeats);
    const redaction::Redactor redactor = redactor_of(spec);
    auto log = store::DurableLog::blocking_open(target.log(), [](const auto&, auto) {});
    if (!log) return log.error();
    std::error_code ignored;
    if (std::filesystem::is_empty(records, ignored)) return std::uint64_t{0};
    const auto lines = runfile::Dataset::blocking_open(records);
    if (!lines) return lines.error();
    LogFiller filler(*log);
    json::Parser parser;
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i < lines->size(); ++i) {
        const auto line = lines->blocking_read_line(i);
        if (!line) return line.error();
        const auto root = parser.parse(*line);
        if (!root) return root.error().within(records.string());
        auto record = job::read_trial_record(*root);
        if (!record) return record.error().within(records.string());
        if (!take_over(*record)) {
            ++left_out;
            continue;
        }
        // Records of older versions have names in clear.
        disclosure::redact(redactor, *record);
        const std::uint64_t index = job::TrialIndex::of(*record).within(repeats);
        if (auto added = filler.blocking_add(index, to_json(*record, source.run_id())); !added)
            return added.error();
    }
    if (auto flushed = filler.blocking_flush(); !flushed) return flushed.error();
    return left_out;
}

std::string to_json(const job::RunSpec& spec) {
    std::string text;
    json::Writer writer(text);
    job::write(writer, spec);
    return text;
}

// The source's files as those of a run that begins now.
Result<RunFiles> blocking_begin(const store::RunFolder& source, const SubmissionFacts& facts,
                                const std::string& name) {
    auto files = RunFiles::blocking_read(source);
    if (!files) return files.error();
    if (files->phase != RunPhase::done && files->phase != RunPhase::cancelled) {
        return Error{ErrorKind::denied, "the run is " + std::string(to_string(files->phase)) +
                                            "; it must be done or cancelled"};
    }
    if (!name.empty()) files->spec.name = redactor_of(files->spec).redact(name).text;
    job::RunMetadata& metadata = files->metadata;
    metadata.run_id = facts.stamp + "-" + slug(files->spec.name);
    metadata.name = files->spec.name;
    metadata.group_id.reset();
    metadata.saved_calls.reset();
    metadata.early_stop_note.reset();
    metadata.incomplete_reason.reset();
    metadata.timestamp_utc = facts.timestamp_utc;
    metadata.code_version = facts.code_version;
    metadata.environment = facts.environment;
    return files;
}

Result<std::string> blocking_stage(const std::filesystem::path& store,
                                   const store::RunFolder& source, const RunFiles& files,
                                   const JoinedDataset* lines,
                                   std::function<Status(const store::RunFolder&)> fill) {
    job::RunMetadata metadata = files.metadata;
    disclosure::redact(redactor_of(files.spec), metadata);
    const std::string metadata_json = job::to_json(metadata);
    const std::string spec_json = to_json(files.spec);
    const auto answers =
        files.spec.rejudged_from ? source.file("records.jsonl") : std::filesystem::path();
    store::NewRun fresh{files.metadata.run_id,
                        metadata_json,
                        spec_json,
                        lines == nullptr ? source.dataset() : lines->path(),
                        answers,
                        std::move(fill)};
    if (!files.metadata.evaluator_labels_hash) fresh.dataset_sha256 = files.metadata.dataset_hash;
    fresh.shares_dataset = lines == nullptr;
    const auto staged = store::RunFolder::blocking_stage(store, fresh);
    if (!staged) return staged.error();
    return files.metadata.run_id;
}

}  // namespace

bool failed_for_infrastructure(const job::TrialRecord& record) noexcept {
    using job::CallError;
    using job::EvaluatorError;
    if (record.evaluator_error == EvaluatorError::call_error ||
        record.evaluator_error == EvaluatorError::parse_error)
        return true;
    return record.error_kind && *record.error_kind != CallError::timeout &&
           *record.error_kind != CallError::empty_response;
}

namespace {

// Of answers that are stored redacted.
struct RedactedAnswers {
    std::uint64_t answers = 0;  // all, redacted or not
    std::uint64_t redacted = 0;
    std::uint64_t sealed = 0;       // of those, with what the model said beside them
    std::set<std::string> key_ids;  // that they were sealed with
};

Result<RedactedAnswers> blocking_count_redacted(const std::filesystem::path& records) {
    RedactedAnswers counts;
    std::error_code ignored;
    if (std::filesystem::is_empty(records, ignored)) return counts;
    const auto lines = runfile::Dataset::blocking_open(records);
    if (!lines) return lines.error();
    json::Parser parser;
    for (std::size_t i = 0; i < lines->size(); ++i) {
        const auto line = lines->blocking_read_line(i);
        if (!line) return line.error();
        const auto root = parser.parse(*line);
        if (!root) return root.error().within(records.string());
        const auto record = job::read_trial_record(*root);
        if (!record) return record.error().within(records.string());
        if (!job::is_answered(*record)) continue;
        ++counts.answers;
        if (!job::is_answer_redacted(*record)) continue;
        ++counts.redacted;
        if (!record->answer_original) continue;
        ++counts.sealed;
        counts.key_ids.insert(sealing::key_id_of(*record->answer_original));
    }
    return counts;
}

// What the judge is going to see is the run's to say.
Status choose_answers(const RedactedAnswers& counts, bool redacted, RunFiles& files) {
    files.spec.judged_answers.reset();
    files.spec.originals_key_id.reset();
    files.metadata.judged_answers.reset();
    if (counts.redacted == 0) return {};
    if (!redacted && counts.sealed < counts.redacted)
        return Error{
            ErrorKind::invalid,
            fmt::format("redacted: {} of {} answers are stored redacted and were not kept, "
                        "so that the judge would not see what the model said; allowed: "
                        "redacted: true (--redacted) to judge what is stored; workers with "
                        "--keep-originals keep the answers of later runs",
                        counts.redacted - counts.sealed, counts.answers)};
    if (!redacted && counts.key_ids.size() > 1)
        return Error{ErrorKind::invalid,
                     "redacted: the answers were sealed with several keys; "
                     "allowed: redacted: true (--redacted)"};
    const auto judged = redacted ? job::JudgedAnswer::redacted : job::JudgedAnswer::original;
    files.spec.judged_answers = files.metadata.judged_answers = judged;
    if (!redacted) files.spec.originals_key_id = *counts.key_ids.begin();
    return {};
}

Status check(const Rejudgement& rejudgement) {
    if (rejudgement.judge && rejudgement.labels)
        return Error{ErrorKind::invalid, "labels: found beside a judge, allowed: one of the two"};
    if (rejudgement.judge || rejudgement.labels || rejudgement.policy) return {};
    return Error{ErrorKind::invalid, "neither a judge nor labels nor a policy is given"};
}

}  // namespace

Result<std::string> blocking_stage_rejudgement(const std::filesystem::path& store,
                                               const store::RunFolder& source,
                                               const Rejudgement& rejudgement,
                                               const SubmissionFacts& facts) {
    if (const Status sound = check(rejudgement); !sound) return sound.error();
    auto files = blocking_begin(source, facts, rejudgement.name.value_or(""));
    if (!files) return files.error();
    const bool asks_judge = rejudgement.judge.has_value();
    if (asks_judge) {
        files->spec.judge = rejudgement.judge;
        files->spec.labels.reset();
    }
    if (asks_judge) {
        const auto counts = blocking_count_redacted(source.file("records.jsonl"));
        if (!counts) return counts.error();
        const Status chosen = choose_answers(*counts, rejudgement.redacted, *files);
        if (!chosen) return chosen.error();
    }
    if (rejudgement.policy) files->spec.policy = *rejudgement.policy;
    files->spec.rejudged_from = source.run_id();
    files->spec.baseline.reset();
    files->spec.baseline_margin.clear();
    job::RunMetadata& metadata = files->metadata;
    metadata.policy = files->spec.policy;
    metadata.rejudged_from = source.run_id();
    metadata.retried_from.reset();
    metadata.baseline.reset();
    metadata.baseline_run_id.reset();
    metadata.baseline_margin.clear();
    describe_evaluator(metadata, files->spec, facts.providers);
    std::optional<PeoplesScores> scores;
    if (rejudgement.labels) {
        auto taken = PeoplesScores::blocking_take(store, source, *rejudgement.labels, files->spec);
        if (!taken) return taken.error();
        scores.emplace(*std::move(taken));
        scores->describe(files->spec, metadata);
    }
    describe_prices(metadata, files->spec, facts.providers);
    const auto budget = plan_budget(files->spec, prices_of(facts.providers), {});
    if (!budget) return budget.error();
    const auto take_over = [&](job::TrialRecord& record) {
        if (asks_judge && job::is_answered(record)) return false;
        become_part_of(metadata.run_id, record);
        record.rejudged_from = source.run_id();
        if (scores) scores->apply(record);
        scoring::derive(record, metadata.policy);
        return true;
    };
    const JoinedDataset* lines = scores ? &scores->lines() : nullptr;
    const auto fill = [&](const store::RunFolder& target) -> Status {
        const auto taken = blocking_take_over(source, target, files->spec, take_over);
        return taken ? Status() : Status(taken.error());
    };
    return blocking_stage(store, source, *files, lines, fill);
}

Result<std::string> blocking_stage_retry(const std::filesystem::path& store,
                                         const store::RunFolder& source,
                                         const SubmissionFacts& facts) {
    auto files = blocking_begin(source, facts, "");
    if (!files) return files.error();
    job::RunMetadata& metadata = files->metadata;
    metadata.retried_from = source.run_id();
    describe_prices(metadata, files->spec, facts.providers);
    const auto budget = plan_budget(files->spec, prices_of(facts.providers), {});
    if (!budget) return budget.error();
    std::uint64_t kept = 0;
    const auto take_over = [&](job::TrialRecord& record) {
        if (failed_for_infrastructure(record)) return false;
        become_part_of(metadata.run_id, record);
        ++kept;
        return true;
    };
    const std::uint64_t total = static_cast<std::uint64_t>(metadata.sample_count) *
                                static_cast<std::uint64_t>(metadata.repeats);
    const auto fill = [&](const store::RunFolder& target) -> Status {
        const auto taken = blocking_take_over(source, target, files->spec, take_over);
        if (!taken) return taken.error();
        if (kept == total) {
            return Error{ErrorKind::invalid,
                         "every trial was measured: none failed for infrastructure reasons"};
        }
        return {};
    };
    return blocking_stage(store, source, *files, nullptr, fill);
}

}  // namespace evalfleet::runs
