#include "coordinator/reduce/record_field.hpp"

#include <fmt/format.h>

#include <cmath>

namespace evalfleet::reduce {
namespace {

using json::FieldValue;
using Kind = FieldValue::Kind;
using namespace std::string_view_literals;

constexpr std::array kNames{"evaluation_schema_version"sv,
                            "sample_index"sv,
                            "repeat"sv,
                            "task_type"sv,
                            "tags"sv,
                            "answer"sv,
                            "finish_reason"sv,
                            "error_kind"sv,
                            "timed_out"sv,
                            "http_status"sv,
                            "model_reported"sv,
                            "system_fingerprint"sv,
                            "rejudged_from"sv,
                            "timing_error_bound_ms"sv,
                            "cost_usd"sv,
                            "evaluator_cost_usd"sv,
                            "redactions"sv,
                            "latency_e2e_ms"sv,
                            "latency_model_ms"sv,
                            "latency_model_source"sv,
                            "input_tokens"sv,
                            "output_tokens"sv,
                            "total_tokens"sv,
                            "cache_read_input_tokens"sv,
                            "cache_write_input_tokens"sv,
                            "estimated_cache_savings_tokens"sv,
                            "estimated_cache_savings_usd"sv,
                            "token_efficiency_ratio"sv,
                            "output_input_ratio"sv,
                            "accuracy_score"sv,
                            "correctness_score"sv,
                            "faithfulness_score"sv,
                            "hallucination_score"sv,
                            "hallucination_source"sv,
                            "evaluator_error"sv,
                            "evaluator_http_status"sv,
                            "judge_failure_label"sv,
                            "sample_score"sv,
                            "rubric_passed"sv,
                            "spec_passed"sv,
                            "failure_label"sv};
static_assert(kNames.size() == static_cast<std::size_t>(Field::failure_label) + 1);

std::string describe(const FieldValue& value) {
    switch (value.kind) {
        case Kind::absent:
            return "nothing";
        case Kind::null:
            return "null";
        case Kind::boolean:
            return value.boolean ? "true" : "false";
        case Kind::integer:
            return fmt::format("{}", value.integer);
        case Kind::large_integer:
            return fmt::format("{}", value.large_integer);
        case Kind::real:
            return fmt::format("{}", value.real);
        case Kind::string:
            return fmt::format("\"{}\"", value.text.substr(0, 40));
        case Kind::object:
            return "an object";
        case Kind::array:
            break;
    }
    return "an array";
}

// 3.0 is a whole number, up to where doubles stop telling whole numbers apart.
std::optional<std::int64_t> whole(const FieldValue& value) noexcept {
    constexpr double kMost = 9007199254740992.0;
    if (value.kind == Kind::integer) return value.integer;
    if (value.kind == Kind::real && std::fabs(value.real) <= kMost &&
        value.real == std::floor(value.real)) {
        return static_cast<std::int64_t>(value.real);
    }
    return std::nullopt;
}

std::optional<double> as_number(const FieldValue& value) noexcept {
    switch (value.kind) {
        case Kind::integer:
            return static_cast<double>(value.integer);
        case Kind::large_integer:
            return static_cast<double>(value.large_integer);
        case Kind::real:
            return value.real;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::span<const std::string_view> field_names() noexcept {
    return kNames;
}

Error FieldAccess::error(Field field, std::string_view message) {
    return {ErrorKind::invalid,
            fmt::format("{}: {}", kNames[static_cast<std::size_t>(field)], message)};
}

Error FieldAccess::unexpected(Field field, std::string_view what) const {
    return error(field, fmt::format("expected {}, found {}", what, describe((*this)[field])));
}

Result<std::optional<std::int64_t>> FieldAccess::unusual_integer(Field field, std::int64_t least,
                                                                 std::int64_t most) const {
    const auto number = whole((*this)[field]);
    if (!number || *number < least || *number > most) {
        return unexpected(field, fmt::format("a whole number from {} to {}", least, most));
    }
    return number;
}

Result<double> FieldAccess::unusual_number(Field field, double least, double most) const {
    const auto number = as_number((*this)[field]);
    if (!number || *number < least || *number > most) {
        return unexpected(field, fmt::format("a number from {} to {}", least, most));
    }
    return *number;
}

}  // namespace evalfleet::reduce
