#pragma once

#include "common/job/trial_record.hpp"
#include "common/scoring/spending.hpp"
#include "coordinator/reduce/gate_watch.hpp"
#include "coordinator/runs/recent_median.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace evalfleet::runs {

/// What is known of a run while it goes on, counted from the records that are in the log.
class Tally {
  public:
    /// Whether another try may give what this one did not.
    enum class Retry : std::uint8_t {
        no,
        unmeasured,  ///< it failed for reasons of infrastructure, or its answer was not scored
        refused,     ///< or not answered in a readable way: the sample's fault, or the run's
    };

    /// What a tally needs of one record; made where the record is parsed.
    struct Trial {
        bool passed = false;   ///< by the Rubric's condition
        bool errored = false;  ///< no usable answer, or no scores
        std::string model_reported;
        std::string system_fingerprint;
        std::optional<job::FailureLabel> failure_label;
        std::optional<job::CallError> error_kind;
        std::optional<job::EvaluatorError> evaluator_error;
        bool is_answered = false;
        std::optional<std::int64_t> http_status;            ///< of the model's call
        std::optional<std::int64_t> evaluator_http_status;  ///< of the judge's
        std::string error_message;                          ///< of whichever failed
        std::uint64_t attempts = 1;                         ///< of the model's call
        bool was_refused_before = false;  ///< it was put back for that, and the coordinator told
        reduce::GateValues gate_values{};
        scoring::Spending spent;  ///< by both calls
        std::optional<double> model_ms;
        std::optional<double> judge_ms;
        Retry retry = Retry::no;
    };
    [[nodiscard]] static Trial of(const job::TrialRecord& record, const job::Policy& policy = {});

    void add(const Trial& trial);

    /// The record of a trial that failed is void. What it cost was spent.
    void take_back_failed() noexcept;

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] std::uint64_t count_passed() const noexcept { return passed_; }
    [[nodiscard]] std::uint64_t count_errored() const noexcept { return errored_; }
    [[nodiscard]] const scoring::Spending& spent() const noexcept { return spent_; }

    /// How long calls took of late; 0 while it is not known.
    [[nodiscard]] double model_ms() const { return model_ms_.value(); }
    [[nodiscard]] double judge_ms() const { return judge_ms_.value(); }

    /// The model versions that the provider reported, at most `kMaxVersions` of them.
    [[nodiscard]] const std::set<std::string>& model_versions() const noexcept { return versions_; }
    /// Likewise the builds of it.
    [[nodiscard]] const std::set<std::string>& fingerprints() const noexcept {
        return fingerprints_;
    }
    static constexpr std::size_t kMaxVersions = 32;

  private:
    std::uint64_t count_ = 0;
    std::uint64_t passed_ = 0;
    std::uint64_t errored_ = 0;
    scoring::Spending spent_;
    RecentMedian model_ms_;
    RecentMedian judge_ms_;
    std::set<std::string> versions_;
    std::set<std::string> fingerprints_;
};

/// For people who watch a run, if the provider reported more than one version of its model, or more
/// than one build: `model version drift: a, b`, `system_fingerprint drift: x, y`. Pure.
[[nodiscard]] std::optional<std::string> drift_note(const Tally& tally);

}  // namespace evalfleet::runs
