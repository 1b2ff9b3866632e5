#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/sample.hpp"
#include "common/json/value.hpp"
#include "common/json/writer.hpp"
#include "common/result/result.hpp"

#include <string>

namespace evalfleet::report {

/// What stands beside an answer, so that a reader can judge it without looking it up. Empty: the
/// sample has none, or cannot be shown.
struct TrialTexts {
    std::string question;
    std::string context;
    std::string reference;
    std::string prompt;  ///< as it was sent: a message alone, several under their roles
    bool operator==(const TrialTexts&) const = default;
};

/// Of a sample that is fit to be shown. Pure.
[[nodiscard]] TrialTexts texts_of(const job::PromptTemplateInfo& prompt, const job::Sample& sample);

/// As an object with the members `question`, `context`, `reference_answer` and `prompt`. Pure.
void write(json::Writer& writer, const TrialTexts& texts);
[[nodiscard]] Result<TrialTexts> read_trial_texts(json::Value value);

}  // namespace evalfleet::report
