#include "coordinator/report/judge_words.hpp"

#include <fmt/format.h>

namespace evalfleet::report {

std::string rejected_replies(const job::TrialRecord& record) {
    std::string text;
    int number = 0;
    for (const std::string& fault : record.evaluator_reply_faults) {
        if (number > 0) text += '\n';
        text += fmt::format("{}. {}", ++number, fault);
    }
    const auto& end = record.evaluator_finish_reason;
    if (!text.empty() && end && *end != "stop")
        text += fmt::format("\nThe last reply ended with: {}", *end);
    return text;
}

std::string judge_words(const job::TrialRecord& record) {
    if (record.rationale) return *record.rationale;
    if (record.evaluator_error_message) return *record.evaluator_error_message;
    return rejected_replies(record);
}

}  // namespace evalfleet::report
