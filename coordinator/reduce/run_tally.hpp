#pragma once

#include "common/job/summary.hpp"
#include "common/statistics/exact_sum.hpp"

#include <array>
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

/// Counts words of a vocabulary, which cost next to nothing.
template <job::NamedEnum Enum>
class VocabularyCounts {
  public:
    /// nullopt: there is none.
    void add(std::optional<Enum> word) noexcept {
        ++(word ? counts_[static_cast<std::size_t>(*word)] : none_);
    }
    void merge(const VocabularyCounts& other) {
        for (std::size_t i = 0; i < counts_.size(); ++i)
            counts_[i] += other.counts_[i];
        none_ += other.none_;
    }

    /// Those that occur.
    [[nodiscard]] std::map<std::string, std::uint64_t> found() const {
        std::map<std::string, std::uint64_t> counts = all();
        std::erase_if(counts, [](const auto& one) { return one.second == 0; });
        return counts;
    }
    /// The whole vocabulary.
    [[nodiscard]] std::map<std::string, std::uint64_t> all() const {
        std::map<std::string, std::uint64_t> counts;
        for (std::size_t i = 0; i < counts_.size(); ++i)
            counts.emplace(job::Names<Enum>::values[i], counts_[i]);
        return counts;
    }
    [[nodiscard]] std::uint64_t none() const noexcept { return none_; }

  private:
    std::array<std::uint64_t, job::Names<Enum>::values.size()> counts_{};
    std::uint64_t none_ = 0;
};

/// What is told of a run as a whole, and of no slice of it: which versions answered, what was
/// redacted, how calls ended, what was not measured, how well and by whom latencies were measured,
/// what it cost. One a thread, then merged.
class RunTally {
  public:
    /// Names beyond this length are cut.
    static constexpr std::size_t kMaxNameBytes = 256;

    void count_version(std::string_view model_reported);
    void count_fingerprint(std::string_view system_fingerprint);
    /// Of a trial that was not measured.
    void count_unmeasured(std::string_view reason);
    /// An answer that the evaluator failed on.
    void count_unscored() noexcept { ++unscored_count_; }
    void count_redactions(std::string_view kind, std::uint64_t count);
    /// Of a trial whose measurement has a known bound of its error.
    void count_timing(double latency_ms, double error_bound_ms) noexcept;
    void count_latency_source(std::optional<job::LatencySource> source) noexcept {
        latency_.add(source);
    }
    void count_hallucination_source(std::optional<job::HallucinationSource> source) noexcept {
        hallucination_.add(source);
    }
    void count_error_kind(job::CallError kind) noexcept { error_kinds_.add(kind); }
    void count_evaluator_error(job::EvaluatorError kind) noexcept { evaluator_errors_.add(kind); }
    void count_token_limit() noexcept { ++token_limit_; }
    void count_other(job::OtherReason reason) noexcept {
        ++others_[static_cast<std::size_t>(reason)];
    }
    void add_cost(double usd) noexcept { cost_.add(usd); }
    void add_evaluator_cost(double usd) noexcept { evaluator_cost_.add(usd); }

    void merge(const RunTally& other);
    void fill(job::Extra& extra) const;
    /// All but what the rows tell.
    void fill(job::Outcomes& outcomes) const;

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
    NameCounts fingerprints_;
    NameCounts redactions_;
    NameCounts unmeasured_;
    std::uint64_t unmeasured_count_ = 0;
    std::uint64_t unscored_count_ = 0;
    job::TimingQuality timing_;
    VocabularyCounts<job::LatencySource> latency_;
    VocabularyCounts<job::HallucinationSource> hallucination_;
    VocabularyCounts<job::CallError> error_kinds_;
    VocabularyCounts<job::EvaluatorError> evaluator_errors_;
    std::uint64_t token_limit_ = 0;
    std::array<std::uint64_t, job::kOtherReasonCount> others_{};
    Money cost_;
    Money evaluator_cost_;
};

}  // namespace evalfleet::reduce
