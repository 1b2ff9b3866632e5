#include "coordinator/reduce/record_parser.hpp"

#include "common/job/record_limits.hpp"
#include "coordinator/reduce/record_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace evalfleet::reduce {
namespace {

using Kind = json::FieldValue::Kind;

using job::kLargestFigure;
using job::kMostHttpStatus;
using job::kMostIndex;
static_assert(job::kFailureLabelCount < TrialRow::kNoLabel);  // four bits
static_assert(kMostIndex == std::numeric_limits<std::uint32_t>::max() - 1);
constexpr const char* kUnknownReason = "unscored";
constexpr std::string_view kTokenLimit = "length";  ///< whatever the provider calls it
constexpr std::string_view kOtherLabel = job::to_string(job::FailureLabel::other);
constexpr std::int64_t kMostTokens = std::numeric_limits<std::int64_t>::max();

Result<std::uint32_t> required_index(const FieldAccess& fields, Field field, std::int64_t least) {
    const auto value = fields.integer(field, least, kMostIndex);
    if (!value) return value.error();
    if (!*value) return fields.unexpected(field, fmt::format("a whole number from {}", least));
    return static_cast<std::uint32_t>(**value);
}

Result<std::uint32_t> score(const FieldAccess& fields, Field field) {
    const auto value = fields.integer(field, 0, 2);
    if (!value) return value.error();
    return *value ? static_cast<std::uint32_t>(**value) : TrialRow::kNoScore;
}

Result<bool> required_verdict(const FieldAccess& fields, Field field) {
    const auto value = fields.boolean(field);
    if (!value) return value.error();
    if (!*value) return fields.unexpected(field, "true or false (is this a derived record?)");
    return **value;
}

Status read_number(const FieldAccess& fields, Field field, double least, double& out) {
    const auto value = fields.number(field, least, kLargestFigure);
    if (!value) return value.error();
    out = *value;
    return {};
}

template <job::NamedEnum Enum>
Result<std::optional<Enum>> word(const FieldAccess& fields, Field field) {
    const auto text = fields.text(field);
    if (!text) return text.error();
    if (!*text) return std::optional<Enum>();
    const auto known = job::from_name<Enum>(**text);
    if (known) return known;
    const auto& names = job::Names<Enum>::values;
    return fields.unexpected(field, fmt::format("one of {}", fmt::join(names, ", ")));
}

std::uint32_t narrow(std::int64_t tokens) noexcept {
    return static_cast<std::uint32_t>(std::min<std::int64_t>(tokens, TrialRow::kNoTokens - 1));
}

}  // namespace

RecordParser::RecordParser() : reader_(field_names()), fields_(field_names().size()) {}

Status RecordParser::parse(std::string_view line, std::vector<TrialRow>& rows) {
    if (const auto read = reader_.read(line, fields_); !read) return read.error();
    TrialRow row;
    for (const auto step :
         {&RecordParser::read_identity, &RecordParser::read_response, &RecordParser::read_scores,
          &RecordParser::read_verdicts, &RecordParser::read_figures, &RecordParser::read_slices}) {
        if (const auto done = (this->*step)(row); !done) return done.error();
    }
    if (const auto done = read_tokens(row); !done) return done.error();
    if (const auto done = read_whole_run(row); !done) return done.error();
    rows.push_back(row);
    return {};
}

Status RecordParser::read_identity(TrialRow& row) {
    const FieldAccess fields(fields_);
    const auto version = word<job::SchemaVersion>(fields, Field::evaluation_schema_version);
    if (!version) return version.error();
    const auto sample_index = required_index(fields, Field::sample_index, 0);
    if (!sample_index) return sample_index.error();
    const auto repeat = required_index(fields, Field::repeat, 1);
    if (!repeat) return repeat.error();
    const auto rejudged_from = fields.text(Field::rejudged_from);
    if (!rejudged_from) return rejudged_from.error();
    row.reused = rejudged_from->has_value() ? 1 : 0;
    row.sample_index = *sample_index;
    row.repeat = *repeat;
    return {};
}

Status RecordParser::read_response(TrialRow& row) {
    const FieldAccess fields(fields_);
    const auto timed_out = fields.boolean(Field::timed_out);
    if (!timed_out) return timed_out.error();
    const auto error_kind = word<job::CallError>(fields, Field::error_kind);
    if (!error_kind) return error_kind.error();
    const auto http_status = fields.integer(Field::http_status, 0, kMostHttpStatus);
    if (!http_status) return http_status.error();
    const auto answer = fields.text(Field::answer);
    if (!answer) return answer.error();
    const bool answered = !*error_kind && *answer && !(*answer)->empty();
    const Response response = timed_out->value_or(false) ? Response::timed_out
                              : answered                 ? Response::answered
                                                         : Response::failed;
    row.response = static_cast<std::uint32_t>(response) & 3U;
    if (*error_kind) tally_.count_error_kind(**error_kind);
    if (response == Response::failed && *error_kind) {
        const auto reason =
            job::unmeasured_reason({.error_kind = *error_kind, .http_status = *http_status});
        row.lost = reason ? 1 : 0;
        if (reason) tally_.count_unmeasured(*reason);
    }
    return {};
}

Status RecordParser::read_scores(TrialRow& row) {
    const FieldAccess fields(fields_);
    const auto accuracy = score(fields, Field::accuracy_score);
    if (!accuracy) return accuracy.error();
    const auto correctness = score(fields, Field::correctness_score);
    if (!correctness) return correctness.error();
    const auto faithfulness = score(fields, Field::faithfulness_score);
    if (!faithfulness) return faithfulness.error();
    const auto hallucination = score(fields, Field::hallucination_score);
    if (!hallucination) return hallucination.error();
    // Of two names of one thing, the Rubric's counts.
    row.accuracy = (*accuracy != TrialRow::kNoScore ? *accuracy : *correctness) & 3U;
    row.faithfulness = *faithfulness & 3U;
    row.hallucination = *hallucination & 3U;
    return {};
}

Status RecordParser::read_verdicts(TrialRow& row) {
    const FieldAccess fields(fields_);
    const auto rubric = required_verdict(fields, Field::rubric_passed);
    if (!rubric) return rubric.error();
    const auto spec = required_verdict(fields, Field::spec_passed);
    if (!spec) return spec.error();
    row.rubric_passed = *rubric ? 1 : 0;
    row.spec_passed = *spec ? 1 : 0;
    const auto name = fields.text(Field::failure_label);
    if (!name) return name.error();
    if (*name) {
        const auto label = job::from_name<job::FailureLabel>(**name);
        if (!label) return fields.unexpected(Field::failure_label, "a label of the taxonomy");
        row.failure_label = static_cast<std::uint32_t>(*label) & 15U;
    } else if (!*rubric || !*spec) {
        return fields.unexpected(Field::failure_label, "a label, as the trial fails");
    }
    return {};
}

Status RecordParser::read_figures(TrialRow& row) {
    const FieldAccess fields(fields_);
    double second_ratio = TrialRow::kNone;
    struct Figure {
        Field field;
        double least;
        double& out;
    };
    for (const auto& [field, least, out] :
         {Figure{Field::latency_e2e_ms, 0, row.latency_e2e_ms},
          Figure{Field::latency_model_ms, 0, row.latency_model_ms},
          Figure{Field::sample_score, 0, row.sample_score},
          Figure{Field::token_efficiency_ratio, 0, row.output_input_ratio},
          Figure{Field::output_input_ratio, 0, second_ratio},
          Figure{Field::estimated_cache_savings_usd, -kLargestFigure, row.cache_savings_usd}}) {
        if (const auto read = read_number(fields, field, least, out); !read) return read.error();
    }
    if (std::isnan(row.output_input_ratio)) row.output_input_ratio = second_ratio;
    return {};
}

Status RecordParser::read_slices(TrialRow& row) {
    const FieldAccess fields(fields_);
    const auto task_type = fields.text(Field::task_type);
    if (!task_type) return task_type.error();
    const json::FieldValue& tags = fields[Field::tags];
    tags_.clear();
    if (!tags.is_absent_or_null()) {
        if (tags.kind != Kind::object)
            return fields.unexpected(Field::tags, "an object of strings");
        for (const auto& [name, value] : tags.members) {
            if (value.kind != Kind::string) {
                return FieldAccess::error(Field::tags, fmt::format("{}: expected a string", name));
            }
            if (std::ranges::find(tags_, name, &SliceDictionary::Tag::key) != tags_.end()) {
                return FieldAccess::error(Field::tags, fmt::format("{}: given twice", name));
            }
            tags_.push_back({name, value.text});
        }
    }
    const auto set = slices_.intern(task_type->value_or("default"), tags_);
    if (!set) return set.error();
    row.slice_set = *set;
    return {};
}

Status RecordParser::read_tokens(TrialRow& row) {
    const FieldAccess fields(fields_);
    job::TokenTotals tokens;
    struct Count {
        Field field;
        std::int64_t& out;
    };
    for (const auto& [field, out] :
         {Count{Field::input_tokens, tokens.input}, Count{Field::output_tokens, tokens.output},
          Count{Field::total_tokens, tokens.total},
          Count{Field::cache_read_input_tokens, tokens.cache_read},
          Count{Field::cache_write_input_tokens, tokens.cache_write},
          Count{Field::estimated_cache_savings_tokens, tokens.cache_savings}}) {
        const auto count = fields.integer(field, 0, kMostTokens);
        if (!count) return count.error();
        out = count->value_or(0);
    }
    if (const auto added = slices_.add_tokens(row.slice_set, tokens); !added) return added.error();
    if (!fields[Field::output_tokens].is_absent_or_null())
        row.output_tokens = narrow(tokens.output);
    if (!fields[Field::total_tokens].is_absent_or_null()) row.total_tokens = narrow(tokens.total);

    const auto evaluator_error = word<job::EvaluatorError>(fields, Field::evaluator_error);
    if (!evaluator_error) return evaluator_error.error();
    const auto status = fields.integer(Field::evaluator_http_status, 0, kMostHttpStatus);
    if (!status) return status.error();
    if (*evaluator_error) tally_.count_evaluator_error(**evaluator_error);
    if (*evaluator_error && row.how_it_ended() == Response::answered &&
        std::isnan(row.sample_score)) {
        tally_.count_unscored();
        const auto reason = job::unmeasured_reason({.is_answered = true,
                                                    .evaluator_error = *evaluator_error,
                                                    .evaluator_http_status = *status});
        tally_.count_unmeasured(reason.value_or(kUnknownReason));
    }
    return {};
}

Status RecordParser::read_whole_run(const TrialRow& row) {
    const FieldAccess fields(fields_);
    const auto version = fields.text(Field::model_reported);
    if (!version) return version.error();
    if (*version) tally_.count_version(**version);
    const auto fingerprint = fields.text(Field::system_fingerprint);
    if (!fingerprint) return fingerprint.error();
    if (*fingerprint) tally_.count_fingerprint(**fingerprint);
    const auto latency_source = word<job::LatencySource>(fields, Field::latency_model_source);
    if (!latency_source) return latency_source.error();
    tally_.count_latency_source(*latency_source);
    const auto hallucination_source =
        word<job::HallucinationSource>(fields, Field::hallucination_source);
    if (!hallucination_source) return hallucination_source.error();
    tally_.count_hallucination_source(*hallucination_source);
    if (const auto read = read_end(row); !read) return read.error();
    double bound = TrialRow::kNone;
    double cost = TrialRow::kNone;
    double evaluator_cost = TrialRow::kNone;
    struct Figure {
        Field field;
        double& out;
    };
    for (const auto& [field, out] :
         {Figure{Field::timing_error_bound_ms, bound}, Figure{Field::cost_usd, cost},
          Figure{Field::evaluator_cost_usd, evaluator_cost}}) {
        if (const auto read = read_number(fields, field, 0, out); !read) return read.error();
    }
    if (!std::isnan(bound) && !std::isnan(row.latency_e2e_ms))
        tally_.count_timing(row.latency_e2e_ms, bound);
    if (!std::isnan(cost)) tally_.add_cost(cost);
    if (!std::isnan(evaluator_cost)) tally_.add_evaluator_cost(evaluator_cost);
    return fields[Field::redactions].is_absent_or_null() ? Status{} : read_redactions();
}

// Why a trial is labelled `other`, and whether its text was cut off.
Status RecordParser::read_end(const TrialRow& row) {
    const FieldAccess fields(fields_);
    const auto finish_reason = fields.text(Field::finish_reason);
    if (!finish_reason) return finish_reason.error();
    const bool at_token_limit = *finish_reason == kTokenLimit;
    if (at_token_limit) tally_.count_token_limit();
    const auto label = fields.text(Field::judge_failure_label);
    if (!label) return label.error();
    if (row.failure_label != static_cast<std::uint32_t>(job::FailureLabel::other)) return {};
    using job::OtherReason;
    const auto reason = [&] {
        if (row.how_it_ended() == Response::answered) {
            if (!fields[Field::evaluator_error].is_absent_or_null()) return OtherReason::evaluator;
            return *label == kOtherLabel ? OtherReason::judge : OtherReason::pass_limits;
        }
        const auto kind = fields.text(Field::error_kind)->value_or("");
        if (row.lost != 0) return OtherReason::infrastructure;
        if (at_token_limit) return OtherReason::token_limit;
        if (kind == to_string(job::CallError::malformed_response)) return OtherReason::malformed;
        return kind == to_string(job::CallError::http_4xx) ? OtherReason::refused
                                                           : OtherReason::empty;
    };
    tally_.count_other(reason());
    return {};
}

Status RecordParser::read_redactions() {
    const FieldAccess fields(fields_);
    const json::FieldValue& redactions = fields[Field::redactions];
    if (redactions.kind != Kind::object)
        return fields.unexpected(Field::redactions, "an object of counts");
    for (const auto& [kind, count] : redactions.members) {
        if (count.kind != Kind::integer || count.integer < 0 || count.integer > kMostIndex) {
            return FieldAccess::error(Field::redactions, fmt::format("{}: expected a count", kind));
        }
        tally_.count_redactions(kind, static_cast<std::uint64_t>(count.integer));
    }
    return {};
}

}  // namespace evalfleet::reduce
