#pragma once

#include "common/job/trial_record.hpp"
#include "common/job/vocabulary.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace evalfleet::job {

/// How much of a run was measured. A run that could not be measured says nothing about its model.
enum class Measured {
    complete,
    partial,       ///< the verdict of a gate turns with the trials that were not measured
    not_measured,  ///< no trial has an answer and a score
};
template <>
struct Names<Measured> {
    static constexpr std::array values{"complete"sv, "partial"sv, "not_measured"sv};
};

/// True for a call that failed for reasons of infrastructure: no connection, overload, a refused
/// key, a lost worker. A time-out, an empty or a malformed answer, and a request that was refused
/// for what it asks, are results of the model's.
[[nodiscard]] bool is_infrastructure(CallError kind,
                                     std::optional<std::int64_t> http_status) noexcept;

/// How a trial's calls ended.
struct TrialEnd {
    bool is_answered = false;
    bool timed_out = false;
    std::optional<CallError> error_kind{};
    std::optional<std::int64_t> http_status{};
    std::optional<EvaluatorError> evaluator_error{};
    std::optional<std::int64_t> evaluator_http_status{};

    [[nodiscard]] static TrialEnd of(const TrialRecord& record) noexcept;
};

/// Why a trial was not measured: its call failed for reasons of infrastructure, or its answer was
/// not scored. As `extra.unmeasured_by_reason` has it: `http_4xx 401`, `connect`,
/// `judge call_error 401`, `judge parse_error`, `missing_label`. None: it was measured.
[[nodiscard]] std::optional<std::string> unmeasured_reason(const TrialEnd& end);

/// The same without the words.
[[nodiscard]] bool is_unmeasured(const TrialEnd& end) noexcept;

/// What is to be told of a run that could not be measured.
struct Unmeasured {
    Measured measured = Measured::complete;
    std::uint64_t total_count = 0;
    std::map<std::string, std::uint64_t> by_reason{};
    std::optional<std::string> api_key_id{};  ///< the operator's label of the model's key
};

/// One line for people: `could not measure: 30 of 30 calls refused (401, key my-label)`. Empty for
/// a run that was measured.
[[nodiscard]] std::string describe(const Unmeasured& unmeasured);

}  // namespace evalfleet::job
