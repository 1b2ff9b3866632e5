#pragma once

#include "common/job/summary.hpp"
#include "common/statistics/exact_sum.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::reduce {

/// Counts names that somebody else chose, in bounded memory. Of more than `kMost` different names
/// the first in their order are kept, so that what is kept does not depend on the order in which
/// they come, or on how they are spread over threads; the rest is counted together.
class NameCounts {
  public:
    static constexpr std::size_t kMost = 64;

    void add(std::string_view name, std::uint64_t count = 1);
    void merge(const NameCounts& other);

    [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& counts() const noexcept {
        return counts_;
    }
    [[nodiscard]] std::uint64_t others() const noexcept { return others_; }

  private:
    std::map<std::string, std::uint64_t, std::less<>> counts_;
    std::uint64_t others_ = 0;
};

/// What is told of a run as a whole, and of no slice of it: which versions answered, what was
/// redacted, what was not measured, how well latencies were measured, what it cost. One a thread,
/// then merged.
class RunTally {
  public:
    /// Names beyond this length are cut.
    static constexpr std::size_t kMaxNameBytes = 256;

    void count_version(std::string_view model_reported);
    /// Of a trial that was not measured.
    void count_unmeasured(std::string_view reason);
    void count_redactions(std::string_view kind, std::uint64_t count);
    /// Of a trial whose measurement has a known bound of its error.
    void count_timing(double latency_ms, double error_bound_ms) noexcept;
    void add_cost(double usd) noexcept { cost_.add(usd); }
    void add_evaluator_cost(double usd) noexcept { evaluator_cost_.add(usd); }

    void merge(const RunTally& other);
    void fill(job::Extra& extra) const;

  private:
    struct Money {
        statistics::ExactSum sum;
        bool any = false;

        void add(double usd) noexcept {
            sum.add(usd);
            any = true;
        }
        void merge(const Money& other) noexcept {
            sum.merge(other.sum);
            any = any || other.any;
        }
        [[nodiscard]] std::optional<double> total() const noexcept {
            return any ? std::optional(sum.value()) : std::nullopt;
        }
    };

    NameCounts versions_;
    NameCounts redactions_;
    NameCounts unmeasured_;
    std::uint64_t unmeasured_count_ = 0;
    job::TimingQuality timing_;
    Money cost_;
    Money evaluator_cost_;
};

}  // namespace evalfleet::reduce
