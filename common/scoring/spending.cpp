#include "common/scoring/spending.hpp"

#include <algorithm>
#include <cmath>

namespace evalfleet::scoring {

namespace {

// Records come out of Redis: bounds keep sums of many from overflowing.
constexpr double kMaxUsd = 1e6;
constexpr std::int64_t kMaxTokens = 1'000'000'000'000;

std::uint64_t nano_usd(const std::optional<double>& usd) noexcept {
    if (!usd || !(*usd > 0)) return 0;
    return static_cast<std::uint64_t>(std::llround(std::min(*usd, kMaxUsd) * 1e9));
}

std::uint64_t tokens(const std::optional<std::int64_t>& count) noexcept {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(count.value_or(0), 0, kMaxTokens));
}

}  // namespace

Spending& Spending::operator+=(const Spending& other) noexcept {
    nano_usd += other.nano_usd;
    tokens += other.tokens;
    return *this;
}

Spending spending_of(const job::TrialRecord& record) noexcept {
    // An answer that is judged again was made by another run, on that one's budget.
    const std::uint64_t answer = record.rejudged_from
                                     ? 0
                                     : tokens(record.input_tokens) + tokens(record.output_tokens) +
                                           tokens(record.failed_attempts_input_tokens) +
                                           tokens(record.failed_attempts_output_tokens);
    return {
        nano_usd(record.cost_usd) + nano_usd(record.evaluator_cost_usd),
        answer + tokens(record.evaluator_input_tokens) + tokens(record.evaluator_output_tokens)};
}

}  // namespace evalfleet::scoring
