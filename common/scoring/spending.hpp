#pragma once

#include "common/job/trial_record.hpp"

#include <cstdint>

namespace evalfleet::scoring {

/// What the calls of a trial, the model's and the judge's, took of its run's budgets.
struct Spending {
    std::uint64_t nano_usd = 0;  ///< billionths of a dollar; 0 where there are no prices
    std::uint64_t tokens = 0;    ///< input and output

    Spending& operator+=(const Spending& other) noexcept;
    bool operator==(const Spending&) const = default;
};

/// Unknown figures count as 0, impossible ones too. Of an answer that is judged again only the
/// judge's call counts.
[[nodiscard]] Spending spending_of(const job::TrialRecord& record) noexcept;

}  // namespace evalfleet::scoring
