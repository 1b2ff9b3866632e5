#pragma once

#include "common/job/run_spec.hpp"
#include "common/queue/types.hpp"
#include "common/result/result.hpp"
#include "common/scoring/cost.hpp"
#include "common/scoring/spending.hpp"

#include <map>
#include <string>
#include <string_view>

namespace evalfleet::runs {

/// What providers charge, by their names, as far as the operator says so; for single models by
/// `provider/model`.
using PriceList = std::map<std::string, scoring::Prices, std::less<>>;

/// How a run is held to its budgets.
struct BudgetPlan {
    queue::Budget cost;  ///< in billionths of a dollar
    queue::Budget tokens;
};

/// What is to be set aside for a trial before it goes out: the most its calls are likely to take. A
/// token for every four bytes of the prompt, which is at most template and sample; an answer as
/// long as the run allows; the same once more for the judge, who reads the answer, too. `spent`:
/// what the log amounts to.
///
/// `invalid`: there is a limit of cost, but no prices to reckon with. Pure.
[[nodiscard]] Result<BudgetPlan> plan_budget(const job::RunSpec& spec, const PriceList& prices,
                                             const scoring::Spending& spent);

/// Why the run was ended, for people. `budget`: cost or tokens, as Redis names it. Pure.
[[nodiscard]] std::string budget_note(std::string_view budget, const job::CallLimits& limits,
                                      const scoring::Spending& spent);

}  // namespace evalfleet::runs
