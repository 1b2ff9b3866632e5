#pragma once

#include "common/job/vocabulary.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace evalfleet::reduce {

/// How the model call of a trial ended.
enum class Response : std::uint8_t { answered, timed_out, failed };

/// What reducing needs to know of one trial, in few bytes: a run of a million trials is kept as
/// these rows while everything else of a record is forgotten as soon as its line is read.
struct TrialRow {
    static constexpr std::uint32_t kNoScore = 3;
    static constexpr std::uint32_t kNoLabel = 15;
    static constexpr std::uint32_t kNoTokens = std::numeric_limits<std::uint32_t>::max();
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    std::uint32_t sample_index = 0;
    std::uint32_t repeat = 0;
    std::uint32_t slice_set = 0;  ///< which task type and tags, see SliceDictionary
    std::uint32_t accuracy : 2 = kNoScore;
    std::uint32_t faithfulness : 2 = kNoScore;
    std::uint32_t hallucination : 2 = kNoScore;
    std::uint32_t response : 2 = 0;  ///< a Response
    std::uint32_t rubric_passed : 1 = 0;
    std::uint32_t spec_passed : 1 = 0;
    std::uint32_t failure_label : 4 = kNoLabel;  ///< a job::FailureLabel
    std::uint32_t lost : 1 = 0;    ///< unanswered for reasons of infrastructure: not measured
    std::uint32_t reused : 1 = 0;  ///< the answer is of an earlier run, and its latency with it
    std::uint32_t output_tokens = kNoTokens;  ///< kNoTokens - 1 for as many or more
    std::uint32_t total_tokens = kNoTokens;
    // NaN where the record has null.
    double latency_e2e_ms = kNone;
    double latency_model_ms = kNone;
    double sample_score = kNone;
    double output_input_ratio = kNone;
    double cache_savings_usd = kNone;

    [[nodiscard]] Response how_it_ended() const noexcept { return static_cast<Response>(response); }

    /// The end-to-end latency if the trial belongs to the Rubric's population, else NaN.
    [[nodiscard]] double rubric_latency_ms() const noexcept {
        return how_it_ended() == Response::failed ? kNone : latency_e2e_ms;
    }

    /// True if the trial tells of the model's answer: neither lost, nor answered without any score.
    [[nodiscard]] bool is_measured() const noexcept {
        const bool unscored = how_it_ended() == Response::answered && std::isnan(sample_score) &&
                              accuracy == kNoScore && faithfulness == kNoScore;
        return lost == 0 && !unscored;
    }

    /// Place in the run: dataset order, then repeat.
    [[nodiscard]] std::uint64_t key() const noexcept {
        return (std::uint64_t{sample_index} << 32) | repeat;
    }
};

static_assert(sizeof(TrialRow) == 64);

}  // namespace evalfleet::reduce
