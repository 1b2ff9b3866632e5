#include "coordinator/records/trial_table.hpp"

#include "common/files/file.hpp"
#include "common/job/measured.hpp"
#include "coordinator/records/trial_table_file.hpp"
#include "coordinator/records/utc_time.hpp"
#include "coordinator/reduce/record_file.hpp"
#include "coordinator/store/frame_walker.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace evalfleet::records {

namespace fs = std::filesystem;

namespace {

using json::FieldValue;

constexpr std::size_t kBlockBytes = 1024 * 1024;
constexpr std::size_t kMaxLineBytes = 64 * 1024 * 1024;

enum Place : std::size_t {
    kSampleIndex,
    kRepeat,
    kTaskType,
    kTags,
    kErrorKind,
    kHttpStatus,
    kTimedOut,
    kStartedAt,
    kLatency,
    kCost,
    kJudgeCost,
    kTokens,
    kAccuracy,
    kFaithfulness,
    kScore,
    kPassed,
    kSpecPassed,
    kLabel,
    kJudgeAttempts,
    kCorrectness,
    kPlaces
};

constexpr std::array<std::string_view, kPlaces> kNames{"sample_index",       "repeat",
                                                       "task_type",          "tags",
                                                       "error_kind",         "http_status",
                                                       "timed_out",          "started_at_utc",
                                                       "latency_e2e_ms",     "cost_usd",
                                                       "evaluator_cost_usd", "total_tokens",
                                                       "accuracy_score",     "faithfulness_score",
                                                       "sample_score",       "rubric_passed",
                                                       "spec_passed",        "failure_label",
                                                       "evaluator_attempts", "correctness_score"};

double number_of(const FieldValue& value) {
    switch (value.kind) {
        case FieldValue::Kind::integer:
            return static_cast<double>(value.integer);
        case FieldValue::Kind::large_integer:
            return static_cast<double>(value.large_integer);
        case FieldValue::Kind::real:
            return value.real;
        default:
            return std::numeric_limits<double>::quiet_NaN();
    }
}

std::uint64_t count_of(const FieldValue& value, std::uint64_t fallback) {
    const double number = number_of(value);
    if (!(number >= 0) || number > 4e9) return fallback;
    return static_cast<std::uint64_t>(number);
}

bool is_true(const FieldValue& value) {
    return value.kind == FieldValue::Kind::boolean && value.boolean;
}

template <class Enum>
std::uint8_t place_of(const FieldValue& value) {
    if (value.kind != FieldValue::Kind::string) return TrialEntry::kNone;
    const auto& names = job::Names<Enum>::values;
    const auto found = std::find(names.begin(), names.end(), value.text);
    return found == names.end() ? TrialEntry::kNone
                                : static_cast<std::uint8_t>(found - names.begin());
}

// Of model and judge, as far as either is known.
float cost_of(const FieldValue& model, const FieldValue& judge) {
    const double a = number_of(model);
    const double b = number_of(judge);
    if (std::isnan(a)) return static_cast<float>(b);
    return static_cast<float>(std::isnan(b) ? a : a + b);
}

std::int64_t finish_of(const FieldValue& started, float latency_ms) {
    if (started.kind != FieldValue::Kind::string) return 0;
    const auto time = parse_utc_ms(started.text);
    if (!time) return 0;
    return *time + (std::isnan(latency_ms) ? 0 : static_cast<std::int64_t>(latency_ms));
}

bool is_lost(const TrialEntry& trial, const FieldValue& http_status) {
    job::TrialEnd end{.timed_out = trial.timed_out};
    if (trial.error_kind == TrialEntry::kNone) return false;
    end.error_kind = static_cast<job::CallError>(trial.error_kind);
    if (http_status.kind == FieldValue::Kind::integer) end.http_status = http_status.integer;
    return job::is_unmeasured(end);
}

std::uint64_t key_of(const TrialEntry& trial) {
    return (std::uint64_t{trial.sample_index} << 32) | trial.repeat;
}

}  // namespace

TrialReader::TrialReader() : reader_(kNames) {}

Result<TrialEntry> TrialReader::read(std::string_view line, reduce::SliceDictionary& slices) {
    std::array<FieldValue, kPlaces> v;
    if (const Status read = reader_.read(line, v); !read) return read.error();
    TrialEntry entry;
    entry.sample_index = static_cast<std::uint32_t>(count_of(v[kSampleIndex], 0));
    entry.repeat = static_cast<std::uint32_t>(count_of(v[kRepeat], 1));
    entry.latency_ms = static_cast<float>(number_of(v[kLatency]));
    entry.cost_usd = cost_of(v[kCost], v[kJudgeCost]);
    entry.score = static_cast<float>(number_of(v[kScore]));
    entry.total_tokens = static_cast<std::uint32_t>(count_of(v[kTokens], 0));
    entry.label = place_of<job::FailureLabel>(v[kLabel]);
    entry.error_kind = place_of<job::CallError>(v[kErrorKind]);
    // Of two names of one thing, the Rubric's counts.
    const FieldValue& accuracy = v[kAccuracy].is_absent_or_null() ? v[kCorrectness] : v[kAccuracy];
    entry.accuracy = static_cast<std::uint8_t>(count_of(accuracy, TrialEntry::kNone));
    entry.faithfulness = static_cast<std::uint8_t>(count_of(v[kFaithfulness], TrialEntry::kNone));
    entry.passed = is_true(v[kPassed]);
    entry.spec_passed = is_true(v[kSpecPassed]);
    entry.judge_retried = count_of(v[kJudgeAttempts], 0) > 1;
    entry.timed_out = is_true(v[kTimedOut]);
    entry.is_answered = entry.error_kind == TrialEntry::kNone && !entry.timed_out;
    entry.is_lost = is_lost(entry, v[kHttpStatus]);
    entry.finished_ms = finish_of(v[kStartedAt], entry.latency_ms);
    tags_.clear();
    for (const json::FieldMember& tag : v[kTags].members)
        if (tag.value.kind == FieldValue::Kind::string) tags_.push_back({tag.name, tag.value.text});
    const auto set = slices.intern(
        v[kTaskType].kind == FieldValue::Kind::string ? v[kTaskType].text : "default", tags_);
    if (!set) return set.error();
    entry.slice_set = *set;
    return entry;
}

Result<TrialTable> TrialTable::blocking_load(const fs::path& records, const std::stop_token& stop) {
    const auto file = reduce::RecordFile::open(records);
    if (!file) return file.error();
    TrialTable table;
    table.file_ = records;
    reduce::LineBuffer lines;
    TrialReader reader;
    for (std::uint64_t at = 0; at < file->size() && !stop.stop_requested(); at += kBlockBytes) {
        if (const Status filled = lines.fill(*file, at, kBlockBytes, kMaxLineBytes); !filled)
            return filled.error();
        while (const auto line = lines.next_line()) {
            auto entry = reader.read(line->text, table.slices_);
            if (!entry) return entry.error().within(records.string());
            entry->offset = line->offset;
            entry->bytes = static_cast<std::uint32_t>(line->text.size());
            if (table.trials_.size() == kMostTrials)
                return Error{ErrorKind::too_large, "the run has too many trials to be listed here"};
            table.trials_.push_back(*entry);
        }
    }
    table.arrange();
    return table;
}

Result<TrialTable> TrialTable::blocking_open(const fs::path& records, const fs::path& kept,
                                             const std::stop_token& stop) {
    const auto source = TrialTableFile::blocking_source(records);
    if (!source) return source.error();
    if (auto table = TrialTableFile::blocking_read(kept, records, *source)) return table;
    auto table = blocking_load(records, stop);
    if (table && !stop.stop_requested())
        (void)TrialTableFile::blocking_write(kept, *table, *source);
    return table;
}

TrialTable TrialTable::of_log(fs::path log) {
    TrialTable table;
    table.file_ = std::move(log);
    table.is_log_ = true;
    return table;
}

Status TrialTable::blocking_follow(const std::stop_token& stop) {
    if (!is_log_) return {};
    const auto file = files::File::blocking_open(file_, files::File::Mode::read);
    if (!file) return file.error();
    const auto size = file->blocking_size();
    if (!size) return size.error();
    const auto read_at = [&file](std::uint64_t offset, std::span<char> buffer) {
        return file->blocking_read_at(offset, buffer);
    };
    store::FrameWalker walker(read_at, followed_, *size, kBlockBytes);
    // A trial that is tried again has a second record, which counts.
    std::map<std::uint64_t, TrialEntry> fresh;
    TrialReader reader;
    std::string padded;
    while (!stop.stop_requested()) {
        const auto frame = walker.blocking_next();
        if (!frame) return frame.error();
        if (!*frame) {
            // The end, or a frame that is being written; what is damaged is passed over.
            const auto found = walker.blocking_find_next();
            if (!found) return found.error();
            if (!*found) break;
            continue;
        }
        followed_ = walker.offset() + (*frame)->size;
        if ((*frame)->entry.kind != store::EntryKind::record) continue;
        padded.assign((*frame)->entry.bytes);
        padded.append(json::FieldReader::kPaddingBytes, ' ');
        auto entry =
            reader.read(std::string_view(padded).substr(0, (*frame)->entry.bytes.size()), slices_);
        if (!entry) continue;
        entry->offset = walker.offset() + store::kFrameOverhead;
        entry->bytes = static_cast<std::uint32_t>((*frame)->entry.bytes.size());
        fresh[key_of(*entry)] = *entry;
        if (trials_.size() + fresh.size() > kMostTrials)
            return Error{ErrorKind::too_large, "the run has too many trials to be listed here"};
    }
    if (fresh.empty()) return {};
    std::erase_if(trials_, [&](const TrialEntry& trial) { return fresh.contains(key_of(trial)); });
    for (const auto& [key, entry] : fresh)
        trials_.push_back(entry);
    arrange();
    return {};
}

void TrialTable::arrange() {
    const auto before = [](const TrialEntry& a, const TrialEntry& b) {
        return key_of(a) < key_of(b);
    };
    if (!std::is_sorted(trials_.begin(), trials_.end(), before))
        std::stable_sort(trials_.begin(), trials_.end(), before);
    for (auto begin = trials_.begin(); begin != trials_.end();) {
        auto end = begin;
        bool any_passed = false;
        bool all_passed = true;
        for (; end != trials_.end() && end->sample_index == begin->sample_index; ++end) {
            any_passed = any_passed || end->passed;
            all_passed = all_passed && end->passed;
        }
        for (; begin != end; ++begin)
            begin->disagrees = any_passed && !all_passed;
    }
}

std::span<const TrialEntry> TrialTable::of_sample(std::uint32_t sample_index) const {
    const auto [begin, end] = std::equal_range(
        trials_.begin(), trials_.end(), TrialEntry{.sample_index = sample_index},
        [](const TrialEntry& a, const TrialEntry& b) { return a.sample_index < b.sample_index; });
    return {begin, end};
}

std::uint64_t TrialTable::memory_bytes() const noexcept {
    return trials_.capacity() * sizeof(TrialEntry) + slices_.sets().size() * 256;
}

}  // namespace evalfleet::records
