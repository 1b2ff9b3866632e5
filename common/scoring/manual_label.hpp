#pragma once

#include "common/job/trial_record.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::scoring {

/// What a person says of one sample's answer, or of that of one of its repeats, instead of a judge.
struct ManualLabel {
    std::string sample_id;
    std::optional<std::int64_t> repeat;    ///< none: every repeat that has no label of its own
    std::optional<int> correctness_score;  ///< the Rubric's accuracy_score; set once it was read
    std::optional<int> faithfulness_score;
    std::optional<int> hallucination_score;  ///< none: derived from faithfulness
    std::optional<std::string> rationale;    ///< the Specification's evaluator_notes
    std::optional<job::FailureLabel> failure_label;
    bool operator==(const ManualLabel&) const = default;
};

/// The member of a job's payload that holds the labels of its sample.
inline constexpr std::string_view kLabelsMember = "manual_labels";

/// One line of a labels file, read strictly: an unknown key, a missing score, a score that is not
/// 0, 1 or 2 and two names of one thing that differ are errors with their path.
[[nodiscard]] Result<ManualLabel> read_manual_label(json::Value value);

/// Appends the label so that it reads back as the same.
void write(json::Writer& writer, const ManualLabel& label);

/// The label of a repeat: its own, else the one for all; null if there is neither.
[[nodiscard]] const ManualLabel* find_label(std::span<const ManualLabel> labels,
                                            std::int64_t repeat) noexcept;

/// Copies a label into the record's evaluator fields, which lose what a judge may have said before.
/// Null: the evaluator error is `missing_label`.
void apply(const ManualLabel* label, job::TrialRecord& record);

}  // namespace evalfleet::scoring
