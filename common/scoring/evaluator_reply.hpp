#pragma once

#include "common/job/trial_record.hpp"
#include "common/job/vocabulary.hpp"

#include <boost/system/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::scoring {

/// Replies longer than this are rejected unread.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{16} * 1024 * 1024;
inline constexpr std::size_t kMaxRationaleWords = 80;

/// The judge's verdict on one answer.
struct EvaluatorReply {
    int correctness_score = 0;  ///< the Rubric's accuracy_score
    int faithfulness_score = 0;
    int hallucination_score = 0;
    job::HallucinationSource hallucination_source = job::HallucinationSource::derived;
    std::string rationale;  ///< the Specification's evaluator_notes
    std::optional<job::FailureLabel> judge_failure_label;
    bool rationale_too_long = false;  ///< over the limit, and the run only warns
};

/// Why a reply was rejected.
enum class ReplyFault {
    too_large,
    malformed_json,
    too_deep,
    not_an_object,
    missing_key,
    duplicate_key,
    invalid_score,
    text_not_a_string,
    text_blank,
    text_too_long,
};

/// A rejected reply. Always a parse error of the evaluator, whatever the fault.
struct ReplyError {
    ReplyFault fault;
    std::string_view key = {};  ///< the key it is about, empty if it is about the whole reply

    /// One sentence for people, for example "accuracy_score is not 0, 1 or 2".
    [[nodiscard]] std::string message() const;
};

/// What a strict reading makes of a judge's reply: the reply, JSON white space around it aside, is
/// one object of RFC 8259 with every required key of the profile once, scores spelled 0, 1 or 2,
/// and a text that is not blank. Other keys are ignored. Linear in the size of the reply.
[[nodiscard]] boost::system::result<EvaluatorReply, ReplyError> parse_evaluator_reply(
    std::string_view reply, job::EvaluatorProfile profile,
    job::RationaleLimit limit = job::RationaleLimit::reject);

/// Copies a verdict into the record's evaluator fields.
void apply(const EvaluatorReply& reply, job::TrialRecord& record);

/// Found by argument-dependent look-up when `value()` is called on a rejected reply.
[[noreturn]] void throw_exception_from_error(const ReplyError& error,
                                             const boost::source_location&);

}  // namespace evalfleet::scoring

template <>
struct evalfleet::job::Names<evalfleet::scoring::ReplyFault> {
    static constexpr std::array values{
        std::string_view("too_large"),     std::string_view("malformed_json"),
        std::string_view("too_deep"),      std::string_view("not_an_object"),
        std::string_view("missing_key"),   std::string_view("duplicate_key"),
        std::string_view("invalid_score"), std::string_view("text_not_a_string"),
        std::string_view("text_blank"),    std::string_view("text_too_long")};
};
