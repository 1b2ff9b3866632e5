#include "common/scoring/manual_label.hpp"

#include "common/job/fields.hpp"

#include <algorithm>
#include <array>

namespace evalfleet::job {

namespace {

using scoring::ManualLabel;

using Scale = InRange<0.0, 2.0>;
using FromOne = InRange<1.0, 1e9>;

/// A data set may number its samples: an integer is as good an id as a text.
constexpr Field<ManualLabel> kSampleId{
    "sample_id",
    [](json::Value value, ManualLabel& label, Strictness strictness) -> Status {
        if (const auto number = value.as_int64()) {
            label.sample_id = std::to_string(*number);
            return {};
        }
        Status read = Codec<std::string>::read(value, label.sample_id, strictness);
        return read ? NotEmpty::check(value, label.sample_id) : read;
    },
    [](json::Writer& writer, const ManualLabel& label) { writer.value(label.sample_id); }, true};

/// One of the two names of a thing. Both may be given, as in a record, if they agree.
template <auto Pointer, class Rule = AnyValue>
constexpr Field<ManualLabel> either_name(std::string_view name) {
    using Member = std::remove_reference_t<decltype(std::declval<ManualLabel>().*Pointer)>;
    return {name,
            [](json::Value value, ManualLabel& label, Strictness strictness) -> Status {
                Member given;
                if (Status read = Codec<Member>::read(value, given, strictness); !read) return read;
                if (Status good = Rule::check(value, given); !good) return good;
                if (label.*Pointer && given && *(label.*Pointer) != *given)
                    return value.error("differs from its other name");
                if (given) label.*Pointer = std::move(given);
                return {};
            },
            field<Pointer, Rule>("").write};
}

constexpr std::array kFields{
    kSampleId,
    field<&ManualLabel::repeat, FromOne>("repeat"),
    either_name<&ManualLabel::correctness_score, Scale>("accuracy_score"),
    either_name<&ManualLabel::correctness_score, Scale>("correctness_score"),
    field<&ManualLabel::faithfulness_score, Scale>("faithfulness_score", Presence::required),
    field<&ManualLabel::hallucination_score, Scale>("hallucination_score"),
    either_name<&ManualLabel::rationale>("rationale"),
    either_name<&ManualLabel::rationale>("evaluator_notes"),
    field<&ManualLabel::failure_label>("failure_label"),
};

}  // namespace

template <>
struct FieldTable<ManualLabel> {
    static std::span<const Field<ManualLabel>> fields() { return kFields; }
};

}  // namespace evalfleet::job

namespace evalfleet::scoring {

Result<ManualLabel> read_manual_label(json::Value value) {
    ManualLabel label;
    if (auto read = job::read_object(value, label, job::Strictness::strict); !read)
        return read.error();
    if (!label.correctness_score)
        return value.error("\"accuracy_score\" or \"correctness_score\" is required but missing");
    if (!label.faithfulness_score) return value.error("\"faithfulness_score\" is null");
    return label;
}

void write(json::Writer& writer, const ManualLabel& label) {
    job::write_object(writer, label);
}

const ManualLabel* find_label(std::span<const ManualLabel> labels, std::int64_t repeat) noexcept {
    const auto own = std::ranges::find(labels, std::optional(repeat), &ManualLabel::repeat);
    if (own != labels.end()) return &*own;
    const auto common =
        std::ranges::find(labels, std::optional<std::int64_t>(), &ManualLabel::repeat);
    return common == labels.end() ? nullptr : &*common;
}

void apply(const ManualLabel* label, job::TrialRecord& record) {
    const ManualLabel given = label == nullptr ? ManualLabel{} : *label;
    record.correctness_score = given.correctness_score;
    record.faithfulness_score = given.faithfulness_score;
    record.hallucination_score = given.hallucination_score;
    record.hallucination_source.reset();
    if (given.hallucination_score) record.hallucination_source = job::HallucinationSource::judge;
    record.rationale = given.rationale;
    record.judge_failure_label.reset();
    if (given.failure_label) record.judge_failure_label = to_string(*given.failure_label);
    record.evaluator_error.reset();
    if (label == nullptr) record.evaluator_error = job::EvaluatorError::missing_label;
    record.evaluator_attempts.reset();
    record.evaluator_http_status.reset();
    record.evaluator_error_message.reset();
    record.evaluator_raw_output.reset();
    record.evaluator_latency_ms.reset();
    record.evaluator_input_tokens.reset();
    record.evaluator_output_tokens.reset();
    record.evaluator_cost_usd.reset();
    record.evaluator_model_reported.reset();
}

}  // namespace evalfleet::scoring
