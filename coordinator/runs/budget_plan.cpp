#include "coordinator/runs/budget_plan.hpp"

#include "common/scoring/evaluator_templates.hpp"

#include <fmt/format.h>

#include <cmath>

namespace evalfleet::runs {

namespace {

constexpr double kBytesPerToken = 4;
constexpr double kNanoUsdPerToken = 1e3;  // at one dollar for a million tokens

/// What one call takes, as far as it does not depend on the sample.
struct CallNeed {
    double input_tokens = 0;
    double output_tokens = 0;
    scoring::Prices prices{};

    [[nodiscard]] double tokens() const { return input_tokens + output_tokens; }
    [[nodiscard]] double nano_usd() const {
        return kNanoUsdPerToken * (input_tokens * prices.input_usd_per_mtok +
                                   output_tokens * prices.output_usd_per_mtok);
    }
    [[nodiscard]] double nano_usd_per_byte() const {
        return kNanoUsdPerToken * prices.input_usd_per_mtok / kBytesPerToken;
    }
};

CallNeed need_of_model(const job::RunSpec& spec) {
    const job::PromptSpec& prompt = spec.prompts.front();
    const std::size_t bytes = prompt.text.size() + prompt.system.value_or("").size();
    return {static_cast<double>(bytes) / kBytesPerToken,
            static_cast<double>(spec.generation.max_tokens)};
}

CallNeed need_of_judge(const job::RunSpec& spec) {
    const std::size_t bytes = scoring::evaluator_template(spec.judge->profile).text().size();
    return {static_cast<double>(bytes) / kBytesPerToken +
                static_cast<double>(spec.generation.max_tokens),
            static_cast<double>(spec.judge->generation.max_tokens)};
}

Result<scoring::Prices> find_prices(const job::ModelRef& model, const PriceList& prices) {
    const std::string& provider = model.provider;
    std::optional<scoring::Prices> all;
    if (const auto found = prices.find(provider); found != prices.end()) all = found->second;
    if (const auto* found =
            scoring::find_prices(all, prices, provider + "/" + model.name, model.version))
        return *found;
    return Error{ErrorKind::invalid,
                 fmt::format("limits.max_cost_usd needs the prices of provider '{}', and the "
                             "operator's providers file has none",
                             provider)};
}

/// The calls that each trial makes: none of the model's where stored answers are judged.
Result<std::vector<CallNeed>> needs_of(const job::RunSpec& spec, const PriceList& prices) {
    struct Call {
        CallNeed need;
        const job::ModelRef& model;
    };
    std::vector<Call> calls;
    if (!spec.rejudged_from) calls.push_back({need_of_model(spec), spec.models.front()});
    if (spec.judge) calls.push_back({need_of_judge(spec), spec.judge->model});
    std::vector<CallNeed> needs;
    for (Call& call : calls) {
        if (spec.limits.max_cost_usd > 0) {
            const auto found = find_prices(call.model, prices);
            if (!found) return found.error();
            call.need.prices = *found;
        }
        needs.push_back(call.need);
    }
    return needs;
}

}  // namespace

Result<BudgetPlan> plan_budget(const job::RunSpec& spec, const PriceList& prices,
                               const scoring::Spending& spent) {
    BudgetPlan plan;
    const auto needs = needs_of(spec, prices);
    if (!needs) return needs.error();
    plan.cost.limit = static_cast<std::uint64_t>(std::llround(spec.limits.max_cost_usd * 1e9));
    plan.tokens.limit = static_cast<std::uint64_t>(spec.limits.max_total_tokens);
    for (const CallNeed& need : *needs) {
        plan.cost.per_job += need.nano_usd();
        plan.cost.per_byte += need.nano_usd_per_byte();
        plan.tokens.per_job += need.tokens();
        plan.tokens.per_byte += 1 / kBytesPerToken;
    }
    plan.cost.spent = spent.nano_usd;
    plan.tokens.spent = spent.tokens;
    return plan;
}

std::string budget_note(std::string_view budget, const job::CallLimits& limits,
                        const scoring::Spending& spent) {
    if (budget == "cost") {
        return fmt::format(
            "the budget of {:.2f} USD is used up ({:.4f} USD spent): the rest of "
            "the trials was not called",
            limits.max_cost_usd, static_cast<double>(spent.nano_usd) / 1e9);
    }
    return fmt::format(
        "the budget of {} tokens is used up ({} spent): the rest of the trials was "
        "not called",
        limits.max_total_tokens, spent.tokens);
}

}  // namespace evalfleet::runs
