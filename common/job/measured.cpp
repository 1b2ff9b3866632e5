#include "common/job/measured.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace evalfleet::job {

namespace {

constexpr std::size_t kMaxReasons = 3;

bool is_refused_access(std::int64_t http_status) noexcept {
    constexpr std::array<std::int64_t, 7> kStatuses{401, 402, 403, 404, 405, 407, 410};
    return std::find(kStatuses.begin(), kStatuses.end(), http_status) != kStatuses.end();
}

std::string with_status(std::string reason, std::optional<std::int64_t> http_status) {
    return http_status ? fmt::format("{} {}", reason, *http_status) : reason;
}

struct Phrase {
    std::string_view reason;   ///< what the reason begins with; a status may follow
    std::string_view subject;  ///< "30 of 30 ..."
    std::string_view detail;   ///< in brackets, before the status
};
constexpr std::array kPhrases{
    Phrase{"http_4xx", "calls refused", ""},
    Phrase{"http_429", "calls throttled", ""},
    Phrase{"http_5xx", "calls failed at the provider", ""},
    Phrase{"connect", "calls failed", "no connection"},
    Phrase{"tls", "calls failed", "no TLS connection"},
    Phrase{"cancelled", "calls cancelled", ""},
    Phrase{"worker_lost", "trials lost with their worker", ""},
    Phrase{"judge call_error", "answers not scored", "the judge could not be asked"},
    Phrase{"judge parse_error", "answers not scored", "the judge's replies cannot be read"},
    Phrase{"missing_label", "answers not scored", "no label"},
};

std::string phrase(const std::string& reason, std::uint64_t count, const Unmeasured& about) {
    const auto* known = std::find_if(kPhrases.begin(), kPhrases.end(), [&](const Phrase& one) {
        return std::string_view(reason).starts_with(one.reason);
    });
    if (known == kPhrases.end())
        return fmt::format("{} of {}: {}", count, about.total_count, reason);
    std::vector<std::string> details;
    if (!known->detail.empty()) details.emplace_back(known->detail);
    if (reason.size() > known->reason.size())
        details.push_back(reason.substr(known->reason.size() + 1));
    if (known->reason == "http_429") details.emplace_back("429");
    if (known->reason == "http_4xx" && about.api_key_id)
        details.push_back("key " + *about.api_key_id);
    std::string text = fmt::format("{} of {} {}", count, about.total_count, known->subject);
    if (!details.empty()) text += fmt::format(" ({})", fmt::join(details, ", "));
    return text;
}

}  // namespace

bool is_infrastructure(CallError kind, std::optional<std::int64_t> http_status) noexcept {
    switch (kind) {
        case CallError::connect:
        case CallError::tls:
        case CallError::http_429:
        case CallError::http_5xx:
        case CallError::cancelled:
        case CallError::worker_lost:
            return true;
        case CallError::http_4xx:
            return http_status && is_refused_access(*http_status);
        case CallError::timeout:
        case CallError::malformed_response:
        case CallError::empty_response:
            break;
    }
    return false;
}

TrialEnd TrialEnd::of(const TrialRecord& record) noexcept {
    return {job::is_answered(record), record.timed_out,       record.error_kind,
            record.http_status,       record.evaluator_error, record.evaluator_http_status};
}

bool is_unmeasured(const TrialEnd& end) noexcept {
    if (end.is_answered) return end.evaluator_error.has_value();
    return !end.timed_out && end.error_kind && is_infrastructure(*end.error_kind, end.http_status);
}

std::optional<std::string> unmeasured_reason(const TrialEnd& end) {
    if (!is_unmeasured(end)) return std::nullopt;
    if (end.is_answered) {
        const std::string name(to_string(*end.evaluator_error));
        switch (*end.evaluator_error) {
            case EvaluatorError::call_error:
                return with_status("judge " + name, end.evaluator_http_status);
            case EvaluatorError::parse_error:
                return "judge " + name;
            case EvaluatorError::missing_label:
                return name;
        }
    }
    const bool has_statuses =
        end.error_kind == CallError::http_4xx || end.error_kind == CallError::http_5xx;
    return with_status(std::string(to_string(*end.error_kind)),
                       has_statuses ? end.http_status : std::nullopt);
}

std::string describe(const Unmeasured& unmeasured) {
    if (unmeasured.measured == Measured::complete) return "";
    if (unmeasured.by_reason.empty() && unmeasured.measured == Measured::partial)
        return "could not measure: the run ended before all of its trials were made";
    if (unmeasured.by_reason.empty()) {
        return fmt::format("could not measure: none of {} trials has an answer and a score",
                           unmeasured.total_count);
    }
    std::vector<std::pair<std::string, std::uint64_t>> reasons(unmeasured.by_reason.begin(),
                                                               unmeasured.by_reason.end());
    std::stable_sort(reasons.begin(), reasons.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> phrases;
    std::uint64_t others = 0;
    for (const auto& [reason, count] : reasons) {
        if (phrases.size() < kMaxReasons)
            phrases.push_back(phrase(reason, count, unmeasured));
        else
            others += count;
    }
    if (others > 0) phrases.push_back(fmt::format("{} for other reasons", others));
    return fmt::format("could not measure: {}", fmt::join(phrases, "; "));
}

}  // namespace evalfleet::job
