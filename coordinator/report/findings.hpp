#pragma once

#include "common/job/trial_record.hpp"
#include "coordinator/report/latency_histogram.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace evalfleet::report {

/// What a report tells about single trials, gathered while the records pass by: how
/// calls were held up, how latencies spread, and the worst trials of each kind as examples.
/// Bounded, however many there are.
class Findings {
  public:
    /// Examples kept of each failure label.
    static constexpr std::size_t kMaxExamplesPerLabel = 8;

    void add(const job::TrialRecord& record);

    [[nodiscard]] std::uint64_t trials() const noexcept { return trials_; }
    [[nodiscard]] std::uint64_t failed() const noexcept { return failed_; }
    [[nodiscard]] std::uint64_t retried() const noexcept { return retried_; }
    /// How often trials were put back and tried again, by what was in their way.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& setbacks() const noexcept {
        return setbacks_;
    }
    /// Attempts that failed and were made again, by kind; those of judge calls apart.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& failed_attempts() const noexcept {
        return failed_attempts_;
    }
    [[nodiscard]] const std::map<std::string, std::uint64_t>& failed_judge_attempts()
        const noexcept {
        return failed_judge_attempts_;
    }
    /// Why replies of the judge were rejected, with how many each; rare ones are left out.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& rejected_replies() const noexcept {
        return rejected_replies_;
    }
    /// Parameters that requests of the judge went without, with how many trials each.
    [[nodiscard]] const std::map<std::string, std::uint64_t>& judge_refusals() const noexcept {
        return judge_refusals_;
    }
    /// Trials of which the judge's last reply was cut off at its limit of tokens.
    [[nodiscard]] std::uint64_t cut_off_verdicts() const noexcept { return cut_off_verdicts_; }
    /// The longest that a trial waited for permits of its provider, in milliseconds.
    [[nodiscard]] double longest_permit_wait_ms() const noexcept { return longest_permit_wait_; }
    [[nodiscard]] std::int64_t judge_tokens() const noexcept { return judge_tokens_; }
    /// Of answered and timed-out trials.
    [[nodiscard]] const LatencyHistogram& latencies() const noexcept { return latencies_; }

    /// By label in the taxonomy's order, within one the lowest score first, those without a score
    /// last, equal ones in the order of the records.
    [[nodiscard]] std::vector<const job::TrialRecord*> examples() const;
    /// Of which samples they are.
    [[nodiscard]] std::set<std::int64_t> example_samples() const;

  private:
    std::uint64_t trials_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t retried_ = 0;
    std::map<std::string, std::uint64_t> setbacks_;
    std::map<std::string, std::uint64_t> failed_attempts_;
    std::map<std::string, std::uint64_t> failed_judge_attempts_;
    std::map<std::string, std::uint64_t> rejected_replies_;
    std::map<std::string, std::uint64_t> judge_refusals_;
    std::uint64_t cut_off_verdicts_ = 0;
    double longest_permit_wait_ = 0;
    std::int64_t judge_tokens_ = 0;
    LatencyHistogram latencies_;
    std::array<std::vector<job::TrialRecord>, job::kFailureLabelCount> examples_;
};

}  // namespace evalfleet::report
