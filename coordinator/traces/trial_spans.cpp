#include "coordinator/traces/trial_spans.hpp"

#include "common/job/manifest.hpp"
#include "coordinator/records/utc_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace evalfleet::traces {

namespace {

constexpr std::size_t kTraceIdDigits = 32;
constexpr std::size_t kSpanIdDigits = 16;
constexpr double kNsPerMs = 1e6;

/// A day bounds what a record of somebody's may say; a sum of all of them still is a moment.
std::int64_t ns_of(const std::optional<double>& ms) noexcept {
    constexpr double kLongest = 24.0 * 3600 * 1000;
    return ms ? std::llround(std::clamp(*ms, 0.0, kLongest) * kNsPerMs) : 0;
}

/// FNV-1a, and what mixes its high bits: cheap, as it is asked for every trial.
std::uint64_t hash_of(std::string_view text, std::uint64_t number) noexcept {
    std::uint64_t hash = 14695981039346656037ULL;
    const auto mix = [&hash](std::uint64_t byte) { hash = (hash ^ byte) * 1099511628211ULL; };
    for (const char c : text)
        mix(static_cast<unsigned char>(c));
    for (int i = 0; i < 8; ++i)
        mix((number >> (8 * i)) & 0xFFU);
    hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdULL;
    return hash ^ (hash >> 33U);
}

template <class T>
void add(Attributes& attributes, std::string_view name, const std::optional<T>& value) {
    if (!value) return;
    if constexpr (std::is_same_v<T, int>)
        attributes.emplace_back(name, std::int64_t{*value});
    else
        attributes.emplace_back(name, *value);
}

template <class T>
std::optional<std::string> name_of(const std::optional<T>& value) {
    return value ? std::optional(std::string(job::to_string(*value))) : std::nullopt;
}

/// Makes the spans of one trace.
class Trace {
  public:
    explicit Trace(const job::TrialRecord& record)
        : seed_(fmt::format("{}\n{}\n{}", record.run_id.value_or(""), record.sample_index,
                            record.repeat)),
          trace_id_(job::sha256_hex(seed_).substr(0, kTraceIdDigits)) {}

    Span& add(std::string name, std::int64_t begin, std::int64_t length, SpanKind kind) {
        Span span;
        span.trace_id = trace_id_;
        span.id = job::sha256_hex(seed_ + "\n" + name).substr(0, kSpanIdDigits);
        if (!spans_.empty()) span.parent_id = spans_.front().id;
        span.name = std::move(name);
        span.kind = kind;
        span.begin_ns = begin;
        span.end_ns = begin + length;
        if (!spans_.empty()) {
            spans_.front().begin_ns = std::min(spans_.front().begin_ns, begin);
            spans_.front().end_ns = std::max(spans_.front().end_ns, span.end_ns);
        }
        return spans_.emplace_back(std::move(span));
    }

    [[nodiscard]] std::vector<Span> take() { return std::move(spans_); }

  private:
    std::string seed_;
    std::string trace_id_;
    std::vector<Span> spans_;
};

void describe_trial(const job::TrialRecord& record, Span& span) {
    Attributes& all = span.attributes;
    add(all, "evalfleet.run_id", record.run_id);
    add(all, "evalfleet.sample_id", record.sample_id);
    all.emplace_back("evalfleet.sample_index", record.sample_index);
    all.emplace_back("evalfleet.repeat", record.repeat);
    all.emplace_back("evalfleet.task_type", record.task_type);
    add(all, "evalfleet.rejudged_from", record.rejudged_from);
    add(all, "evalfleet.deliveries", record.deliveries);
    add(all, "evalfleet.latency_e2e_ms", record.latency_e2e_ms);
    add(all, "evalfleet.timing_error_bound_ms", record.timing_error_bound_ms);
    add(all, "evalfleet.sample_score", record.sample_score);
    all.emplace_back("evalfleet.rubric_passed", record.rubric_passed);
    all.emplace_back("evalfleet.spec_passed", record.spec_passed);
    add(all, "evalfleet.failure_label", name_of(record.failure_label));
    add(all, "evalfleet.cost_usd", record.cost_usd);
    if (record.error_kind) span.error = job::to_string(*record.error_kind);
}

void describe_attempt(const job::TrialRecord& record, Span& span) {
    Attributes& all = span.attributes;
    all.emplace_back("gen_ai.operation.name", std::string("chat"));
    add(all, "gen_ai.response.model", record.model_reported);
    add(all, "gen_ai.response.id", record.provider_request_id);
    add(all, "gen_ai.usage.input_tokens", record.input_tokens);
    add(all, "gen_ai.usage.output_tokens", record.output_tokens);
    add(all, "evalfleet.finish_reason", record.finish_reason);
    add(all, "evalfleet.attempts", record.attempts);
    add(all, "http.response.status_code", record.http_status);
    add(all, "error.type", name_of(record.error_kind));
    if (record.error_kind) span.error = job::to_string(*record.error_kind);
}

void describe_judge(const job::TrialRecord& record, Span& span) {
    Attributes& all = span.attributes;
    all.emplace_back("gen_ai.operation.name", std::string("chat"));
    add(all, "gen_ai.response.model", record.evaluator_model_reported);
    add(all, "gen_ai.usage.input_tokens", record.evaluator_input_tokens);
    add(all, "gen_ai.usage.output_tokens", record.evaluator_output_tokens);
    add(all, "evalfleet.attempts", record.evaluator_attempts);
    add(all, "http.response.status_code", record.evaluator_http_status);
    add(all, "error.type", name_of(record.evaluator_error));
    add(all, "evalfleet.correctness_score", record.correctness_score);
    add(all, "evalfleet.faithfulness_score", record.faithfulness_score);
    if (record.evaluator_error) span.error = job::to_string(*record.evaluator_error);
}

/// The attempts that failed, all together, and the last one.
void add_attempts(const job::TrialRecord& record, std::int64_t begin, Trace& trace) {
    const std::int64_t whole = ns_of(record.latency_e2e_ms);
    const bool has_failed = record.attempts.value_or(1) > 1;
    std::int64_t last = whole;
    if (has_failed && record.timing.model_ms) last = std::min(whole, ns_of(record.timing.model_ms));
    if (has_failed) {
        Span& failed = trace.add("failed attempts", begin, whole - last, SpanKind::client);
        failed.attributes.emplace_back("evalfleet.attempts", *record.attempts - 1);
        add(failed.attributes, "evalfleet.retry_wait_ms", record.timing.retry_wait_ms);
        for (const auto& [kind, count] : record.failed_attempts)
            failed.error += fmt::format("{}{} x {}", failed.error.empty() ? "" : ", ", count, kind);
    }
    Span& attempt = trace.add("attempt", begin + whole - last, last, SpanKind::client);
    describe_attempt(record, attempt);
    const std::int64_t connect = ns_of(record.timing.connect_ms);
    if (connect > 0 && connect <= last)
        attempt.events.push_back({"connected", attempt.begin_ns + connect});
    const std::int64_t first_byte = connect + ns_of(record.timing.first_byte_ms);
    if (record.timing.first_byte_ms && first_byte <= last)
        attempt.events.push_back({"first byte", attempt.begin_ns + first_byte});
}

}  // namespace

bool is_sampled(std::string_view run_id, std::uint64_t index, double ratio) noexcept {
    // 53 bits, as a double has them.
    return static_cast<double>(hash_of(run_id, index) >> 11U) * 0x1.0p-53 < ratio;
}

std::vector<Span> spans_of(const job::TrialRecord& record,
                           std::chrono::system_clock::time_point arrived) {
    const std::int64_t judging = ns_of(record.timing.judge_ms);
    const std::int64_t end =
        std::chrono::duration_cast<std::chrono::nanoseconds>(arrived.time_since_epoch()).count();
    const bool is_called = !record.rejudged_from.has_value();
    const auto started = is_called && record.started_at_utc
                             ? records::parse_utc_ms(*record.started_at_utc)
                             : std::nullopt;
    Trace trace(record);
    std::int64_t judged_at = end - judging;
    if (started) {
        const std::int64_t dispatched = *started * 1'000'000;
        judged_at = dispatched + ns_of(record.latency_e2e_ms);
        describe_trial(record, trace.add("trial", dispatched, 0, SpanKind::internal));
        const std::int64_t permit = ns_of(record.timing.permit_wait_ms);
        const std::int64_t queue = ns_of(record.timing.queue_wait_ms);
        if (record.timing.queue_wait_ms)
            trace.add("queue", dispatched - permit - queue, queue, SpanKind::internal);
        if (record.timing.permit_wait_ms)
            trace.add("permit", dispatched - permit, permit, SpanKind::internal);
        add_attempts(record, dispatched, trace);
    } else {
        describe_trial(record, trace.add("trial", judged_at, judging, SpanKind::internal));
    }
    if (record.timing.judge_ms)
        describe_judge(record, trace.add("judge", judged_at, judging, SpanKind::client));
    return trace.take();
}

}  // namespace evalfleet::traces
