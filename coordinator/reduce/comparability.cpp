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

}  // namespace

std::vector<std::string> reasons_not_to_compare(const job::RunMetadata& base,
                                                const job::RunMetadata& candidate) {
    std::vector<std::string> reasons;
    compare(reasons, "dataset_hash", base.dataset_hash, candidate.dataset_hash);
    compare(reasons, "evaluator_model", base.evaluator_model, candidate.evaluator_model);
    compare(reasons, "evaluator_version", base.evaluator_version, candidate.evaluator_version);
    compare(reasons, "evaluator_profile", base.evaluator_profile, candidate.evaluator_profile);
    compare(reasons, "evaluator_prompt_template_hash", base.evaluator_prompt_template_hash,
            candidate.evaluator_prompt_template_hash);
    compare(reasons, "rationale_limit", base.rationale_limit, candidate.rationale_limit);
    if (base.policy != candidate.policy) reasons.emplace_back("policy differs");
    return reasons;
}

}  // namespace evalfleet::reduce
