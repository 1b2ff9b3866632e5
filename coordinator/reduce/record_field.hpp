#pragma once

#include "common/json/field_reader.hpp"
#include "common/result/result.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace evalfleet::reduce {

/// The fields of a record that reducing reads.
enum class Field : std::uint8_t {
    evaluation_schema_version,
    sample_index,
    repeat,
    task_type,
    tags,
    answer,
    finish_reason,
    error_kind,
    timed_out,
    http_status,
    model_reported,
    system_fingerprint,
    rejudged_from,
    timing_error_bound_ms,
    cost_usd,
    evaluator_cost_usd,
    redactions,
    latency_e2e_ms,
    latency_model_ms,
    latency_model_source,
    input_tokens,
    output_tokens,
    total_tokens,
    cache_read_input_tokens,
    cache_write_input_tokens,
    estimated_cache_savings_tokens,
    estimated_cache_savings_usd,
    token_efficiency_ratio,
    output_input_ratio,
    accuracy_score,
    correctness_score,
    faithfulness_score,
    hallucination_score,
    hallucination_source,
    evaluator_error,
    evaluator_http_status,
    judge_failure_label,
    sample_score,
    rubric_passed,
    spec_passed,
    failure_label,
};

/// Their names, in the order of the enum.
[[nodiscard]] std::span<const std::string_view> field_names() noexcept;

/// Typed access to the fields of one record; errors begin with the field's name.
class FieldAccess {
  public:
    explicit FieldAccess(std::span<const json::FieldValue> values) : values_(values) {}

    [[nodiscard]] const json::FieldValue& operator[](Field field) const noexcept {
        return values_[static_cast<std::size_t>(field)];
    }

    // What nearly every field of a record is, is decided here, where it can be inlined: a million
    // records ask thirty million times.

    /// A whole number in [least, most]; 3.0 counts as one. nullopt for null or absent.
    [[nodiscard]] Result<std::optional<std::int64_t>> integer(Field field, std::int64_t least,
                                                              std::int64_t most) const {
        const json::FieldValue& value = (*this)[field];
        if (value.is_absent_or_null()) return std::optional<std::int64_t>();
        if (value.kind == Kind::integer && value.integer >= least && value.integer <= most)
            return std::optional(value.integer);
        return unusual_integer(field, least, most);
    }
    /// A number in [least, most]; NaN for null or absent.
    [[nodiscard]] Result<double> number(Field field, double least, double most) const {
        const json::FieldValue& value = (*this)[field];
        if (value.is_absent_or_null()) return std::numeric_limits<double>::quiet_NaN();
        if (value.kind == Kind::real && value.real >= least && value.real <= most)
            return value.real;
        return unusual_number(field, least, most);
    }
    [[nodiscard]] Result<std::optional<bool>> boolean(Field field) const {
        const json::FieldValue& value = (*this)[field];
        if (value.is_absent_or_null()) return std::optional<bool>();
        if (value.kind == Kind::boolean) return std::optional(value.boolean);
        return unexpected(field, "true or false");
    }
    [[nodiscard]] Result<std::optional<std::string_view>> text(Field field) const {
        const json::FieldValue& value = (*this)[field];
        if (value.is_absent_or_null()) return std::optional<std::string_view>();
        if (value.kind == Kind::string) return std::optional(value.text);
        return unexpected(field, "a string");
    }

    [[nodiscard]] static Error error(Field field, std::string_view message);
    /// "field: expected <what>, found <what is there>".
    [[nodiscard]] Error unexpected(Field field, std::string_view what) const;

  private:
    using Kind = json::FieldValue::Kind;

    [[nodiscard]] Result<std::optional<std::int64_t>> unusual_integer(Field field,
                                                                      std::int64_t least,
                                                                      std::int64_t most) const;
    [[nodiscard]] Result<double> unusual_number(Field field, double least, double most) const;

    std::span<const json::FieldValue> values_;
};

}  // namespace evalfleet::reduce
