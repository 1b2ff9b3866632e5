#include "coordinator/reduce/comparability.hpp"

#include <fmt/format.h>

namespace evalfleet::reduce {
namespace {

template <class T>
std::string name_of(const std::optional<T>& value) {
    if (!value) return "none";
    if constexpr (std::is_same_v<T, job::ModelRef>) {
        return value->id();
    } else if constexpr (std::is_enum_v<T>) {
        return std::string(to_string(*value));
    } else {
        return *value;
    }
}

template <class T>
void compare(std::vector<std::string>& reasons, const char* what, const T& base,
             const T& candidate) {
    if (base == candidate) return;
    reasons.push_back(fmt::format("{} differs: {} and {}", what, name_of(std::optional(base)),
                                  name_of(std::optional(candidate))));
}

template <class T>
void compare(std::vector<std::string>& reasons, const char* what, const std::optional<T>& base,
             const std::optional<T>& candidate) {
    if (base == candidate) return;
    reasons.push_back(
        fmt::format("{} differs: {} and {}", what, name_of(base), name_of(candidate)));
}

// Two judges of one name are the same unless their versions are known and differ: earlier metadata
// have no version for a judge that its name pins.
bool is_same(const job::ModelRef& base, const job::ModelRef& candidate) {
    const bool both_known = base.version && candidate.version;
    return base.provider == candidate.provider && base.name == candidate.name &&
           (!both_known || base.version == candidate.version);
}

void compare_evaluators(std::vector<std::string>& reasons, const job::RunMetadata& base,
                        const job::RunMetadata& candidate) {
    const auto& one = base.evaluator_model;
    const auto& other = candidate.evaluator_model;
    if (one && other && is_same(*one, *other)) return;
    compare(reasons, "evaluator_model", one, other);
    compare(reasons, "evaluator_version", base.evaluator_version, candidate.evaluator_version);
}

}  // namespace

std::vector<std::string> reasons_not_to_compare(const job::RunMetadata& base,
                                                const job::RunMetadata& candidate) {
    std::vector<std::string> reasons;
    compare(reasons, "dataset_hash", base.dataset_hash, candidate.dataset_hash);
    compare_evaluators(reasons, base, candidate);
    compare(reasons, "evaluator_profile", base.evaluator_profile, candidate.evaluator_profile);
    compare(reasons, "evaluator_prompt_template_hash", base.evaluator_prompt_template_hash,
            candidate.evaluator_prompt_template_hash);
    compare(reasons, "rationale_limit", base.rationale_limit, candidate.rationale_limit);
    // Earlier metadata have none: then the judge was asked with the defaults.
    const job::GenerationParams usual;
    if (base.evaluator_generation_params_requested.value_or(usual) !=
        candidate.evaluator_generation_params_requested.value_or(usual))
        reasons.emplace_back("the judge's generation parameters differ");
    if (base.policy != candidate.policy) reasons.emplace_back("policy differs");
    return reasons;
}

}  // namespace evalfleet::reduce
