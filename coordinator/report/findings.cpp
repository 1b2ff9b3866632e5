#include "coordinator/report/findings.hpp"

#include "common/job/setback.hpp"

#include <algorithm>
#include <limits>

namespace evalfleet::report {

namespace {

double badness(const job::TrialRecord& record) noexcept {
    return record.sample_score.value_or(std::numeric_limits<double>::infinity());
}

void add_counts(const job::SetbackCounts& more, std::map<std::string, std::uint64_t>& sums) {
    for (const auto& [kind, count] : more)
        sums[kind] += static_cast<std::uint64_t>(std::max<std::int64_t>(0, count));
}

/// Of texts that the other side may have a hand in, only so many different ones.
void count_texts(const std::vector<std::string>& texts,
                 std::map<std::string, std::uint64_t>& counts) {
    constexpr std::size_t kMostTexts = 32;
    for (const std::string& text : texts) {
        if (counts.size() < kMostTexts || counts.contains(text)) ++counts[text];
    }
}

}  // namespace

void Findings::add(const job::TrialRecord& record) {
    ++trials_;
    if (record.attempts.value_or(1) > 1) ++retried_;
    add_counts(record.setbacks, setbacks_);
    add_counts(record.failed_attempts, failed_attempts_);
    add_counts(record.evaluator_failed_attempts, failed_judge_attempts_);
    count_texts(record.evaluator_reply_faults, rejected_replies_);
    count_texts(record.evaluator_refused_parameters, judge_refusals_);
    if (record.evaluator_finish_reason == "length") ++cut_off_verdicts_;
    longest_permit_wait_ = std::max(longest_permit_wait_, record.timing.permit_wait_ms.value_or(0));
    judge_tokens_ +=
        record.evaluator_input_tokens.value_or(0) + record.evaluator_output_tokens.value_or(0);
    if (record.latency_e2e_ms && (job::is_answered(record) || record.timed_out))
        latencies_.add(*record.latency_e2e_ms);
    if (!record.failure_label) return;
    ++failed_;
    auto& examples = examples_[static_cast<std::size_t>(*record.failure_label)];
    const auto place = std::ranges::upper_bound(examples, badness(record), {}, badness);
    if (place == examples.end() && examples.size() == kMaxExamplesPerLabel) return;
    examples.insert(place, record);
    if (examples.size() > kMaxExamplesPerLabel) examples.pop_back();
}

std::vector<const job::TrialRecord*> Findings::examples() const {
    std::vector<const job::TrialRecord*> all;
    for (const auto& of_label : examples_) {
        for (const job::TrialRecord& record : of_label)
            all.push_back(&record);
    }
    return all;
}

std::set<std::int64_t> Findings::example_samples() const {
    std::set<std::int64_t> samples;
    for (const job::TrialRecord* record : examples())
        samples.insert(record->sample_index);
    return samples;
}

}  // namespace evalfleet::report
