#include "common/job/trial_record_json.hpp"

#include "common/job/fields.hpp"
#include "common/job/json_copy.hpp"
#include "common/job/record_limits.hpp"

#include <array>

namespace evalfleet::job {

namespace {

using Record = TrialRecord;
using Scale = InRange<0.0, 2.0>;
using Figure = InRange<0.0, kLargestFigure>;
using SignedFigure = InRange<-kLargestFigure, kLargestFigure>;
using Index = InRange<0.0, double{kMostIndex}>;
using FromOne = InRange<1.0, double{kMostIndex}>;
using HttpStatus = InRange<0.0, double{kMostHttpStatus}>;

/// How often things happened, by their names.
template <std::int64_t Least>
struct Counts {
    static Status check(json::Value value, const auto& counts) {
        for (const auto& [name, count] : counts) {
            if (count >= Least && count <= kMostIndex) continue;
            return value.required(name)->unexpected(
                fmt::format("a whole number from {} to {}", Least, kMostIndex));
        }
        return {};
    }
};

/// The Specification's name of a member that the Rubric's name has first: written like it, and read
/// only where that one was not given, in whichever order they come.
template <auto Pointer, class Rule = AnyValue>
constexpr Field<Record> second_name(std::string_view name) {
    using Member = std::remove_reference_t<decltype(std::declval<Record>().*Pointer)>;
    return {name,
            [](json::Value value, Record& record, Strictness strictness) -> Status {
                Member given;
                if (Status read = Codec<Member>::read(value, given, strictness); !read) return read;
                if (Status good = Rule::check(value, given); !good) return good;
                if (!(record.*Pointer)) record.*Pointer = std::move(given);
                return {};
            },
            field<Pointer, Rule>("").write};
}

using Timing = TrialTiming;

constexpr std::array kTimingFields{
    field<&Timing::queue_wait_ms, Figure>("queue_wait_ms"),
    field<&Timing::permit_wait_ms, Figure>("permit_wait_ms"),
    field<&Timing::retry_wait_ms, Figure>("retry_wait_ms"),
    field<&Timing::connect_ms, Figure>("connect_ms"),
    field<&Timing::first_byte_ms, Figure>("first_byte_ms"),
    field<&Timing::round_trip_ms, Figure>("round_trip_ms"),
    field<&Timing::model_ms, Figure>("model_ms"),
    field<&Timing::judge_ms, Figure>("judge_ms"),
};

}  // namespace

template <>
struct FieldTable<TrialTiming> {
    static std::span<const Field<TrialTiming>> fields() { return kTimingFields; }
};

namespace {

constexpr std::array kFields{
    field<&Record::evaluation_schema_version>("evaluation_schema_version"),
    field<&Record::run_id>("run_id"),
    field<&Record::sample_id>("sample_id"),
    field<&Record::sample_index, Index>("sample_index", Presence::required),
    field<&Record::repeat, FromOne>("repeat", Presence::required),
    field<&Record::task_type>("task_type"),
    field<&Record::tags>("tags"),
    field<&Record::rejudged_from>("rejudged_from"),

    field<&Record::answer>("answer"),
    sparse_field<&Record::answer_original>("answer_original"),
    sparse_field<&Record::judged_answer>("judged_answer"),
    field<&Record::finish_reason>("finish_reason"),
    field<&Record::model_reported>("model_reported"),
    field<&Record::system_fingerprint>("system_fingerprint"),
    field<&Record::provider_request_id>("provider_request_id"),
    field<&Record::refused_parameters>("refused_parameters"),
    sparse_field<&Record::prompt_cut>("prompt_cut"),
    field<&Record::seed_supported>("seed_supported"),
    field<&Record::worker_environment>("worker_environment"),
    field<&Record::attempts, Count>("attempts"),
    field<&Record::deliveries, Count>("deliveries"),
    field<&Record::setbacks, Counts<1>>("setbacks"),
    field<&Record::failed_attempts, Counts<1>>("failed_attempts"),
    field<&Record::http_status, HttpStatus>("http_status"),
    field<&Record::error_kind>("error_kind"),
    field<&Record::error_message>("error_message"),
    field<&Record::timed_out>("timed_out"),

    field<&Record::latency_e2e_ms, Figure>("latency_e2e_ms"),
    field<&Record::latency_model_ms, Figure>("latency_model_ms"),
    field<&Record::latency_model_source>("latency_model_source"),
    field<&Record::latency_first_token_ms, Figure>("latency_first_token_ms"),
    field<&Record::timing_error_bound_ms, Figure>("timing_error_bound_ms"),
    field<&Record::started_at_utc>("started_at_utc"),
    field<&Record::timing>("timing"),

    field<&Record::input_tokens, Count>("input_tokens"),
    field<&Record::output_tokens, Count>("output_tokens"),
    field<&Record::reasoning_tokens, Count>("reasoning_tokens"),
    field<&Record::total_tokens, NotNegative>("total_tokens"),
    field<&Record::output_input_ratio, Figure>("token_efficiency_ratio"),
    second_name<&Record::output_input_ratio, Figure>("output_input_ratio"),
    field<&Record::tokens_source>("tokens_source"),
    field<&Record::cache_read_input_tokens, Count>("cache_read_input_tokens"),
    field<&Record::cache_write_input_tokens, Count>("cache_write_input_tokens"),
    field<&Record::estimated_cache_savings_tokens, Count>("estimated_cache_savings_tokens"),
    field<&Record::estimated_cache_savings_usd, SignedFigure>("estimated_cache_savings_usd"),
    field<&Record::cost_usd, Figure>("cost_usd"),
    field<&Record::failed_attempts_input_tokens, Count>("failed_attempts_input_tokens"),
    field<&Record::failed_attempts_output_tokens, Count>("failed_attempts_output_tokens"),

    field<&Record::correctness_score, Scale>("accuracy_score"),
    second_name<&Record::correctness_score, Scale>("correctness_score"),
    field<&Record::faithfulness_score, Scale>("faithfulness_score"),
    field<&Record::hallucination_score, Scale>("hallucination_score"),
    field<&Record::hallucination_source>("hallucination_source"),
    field<&Record::rationale>("rationale"),
    second_name<&Record::rationale>("evaluator_notes"),
    field<&Record::evaluator_error>("evaluator_error"),
    field<&Record::evaluator_attempts, Count>("evaluator_attempts"),
    field<&Record::evaluator_failed_attempts, Counts<1>>("evaluator_failed_attempts"),
    field<&Record::evaluator_http_status, HttpStatus>("evaluator_http_status"),
    field<&Record::evaluator_error_message>("evaluator_error_message"),
    field<&Record::evaluator_finish_reason>("evaluator_finish_reason"),
    field<&Record::evaluator_refused_parameters>("evaluator_refused_parameters"),
    field<&Record::evaluator_reply_faults>("evaluator_reply_faults"),
    field<&Record::evaluator_raw_output>("evaluator_raw_output"),
    field<&Record::evaluator_latency_ms, Figure>("evaluator_latency_ms"),
    field<&Record::evaluator_input_tokens, Count>("evaluator_input_tokens"),
    field<&Record::evaluator_output_tokens, Count>("evaluator_output_tokens"),
    field<&Record::evaluator_reasoning_tokens, Count>("evaluator_reasoning_tokens"),
    field<&Record::evaluator_cache_read_input_tokens, Count>("evaluator_cache_read_input_tokens"),
    field<&Record::evaluator_cache_write_input_tokens, Count>("evaluator_cache_write_input_tokens"),
    field<&Record::evaluator_cost_usd, Figure>("evaluator_cost_usd"),
    field<&Record::evaluator_model_reported>("evaluator_model_reported"),
    field<&Record::judge_failure_label>("judge_failure_label"),
    field<&Record::format_check_passed>("format_check_passed"),
    field<&Record::redactions, Counts<0>>("redactions"),

    field<&Record::accuracy_norm, Figure>("accuracy_norm"),
    field<&Record::faithfulness_norm, Figure>("faithfulness_norm"),
    field<&Record::latency_norm, Figure>("latency_norm"),
    field<&Record::token_efficiency_norm, Figure>("token_efficiency_norm"),
    field<&Record::sample_score, Figure>("sample_score"),
    field<&Record::rubric_passed>("rubric_passed"),
    field<&Record::spec_passed>("spec_passed"),
    field<&Record::failure_label>("failure_label"),
    field<&Record::failure_labels_secondary>("failure_labels_secondary"),
};
static_assert(kFields.size() <= kMaxFields);

}  // namespace

template <>
struct FieldTable<TrialRecord> {
    static std::span<const Field<TrialRecord>> fields() { return kFields; }
};

Result<TrialRecord> read_trial_record(json::Value value, UnknownMembers* unknown) {
    TrialRecord record;
    const auto keep = [unknown](std::string_view key, json::Value member) -> Status {
        if (unknown != nullptr) unknown->emplace_back(key, json_text(member));
        return {};
    };
    auto read = read_members(value, record, Strictness::tolerant, keep);
    if (!read) return read.error();
    return record;
}

void write(json::Writer& writer, const TrialRecord& record, const UnknownMembers& unknown) {
    writer.begin_object();
    write_members(writer, record);
    for (const auto& [name, json] : unknown)
        writer.key(name).raw(json);
    writer.end_object();
}

std::string to_json(const TrialRecord& record) {
    std::string out;
    json::Writer writer(out);
    write(writer, record);
    return out;
}

}  // namespace evalfleet::job
