#include "common/scoring/json_schema_rule.hpp"

#include <algorithm>

namespace evalfleet::scoring {

namespace {

/// Searches the rules that apply to the same value for a way back.
class CycleFinder {
  public:
    explicit CycleFinder(const std::vector<Rule>& rules)
        : rules_(rules), visits_(rules.size(), Visit::none) {}

    bool leads_back(RuleIndex index) {
        if (visits_[index] != Visit::none) return visits_[index] == Visit::open;
        visits_[index] = Visit::open;
        const Rule& rule = rules_[index];
        const bool endless = any({rule.ref, rule.none_of}) || any(rule.all_of) ||
                             any(rule.any_of) || any(rule.one_of);
        visits_[index] = Visit::done;
        return endless;
    }

  private:
    enum class Visit : std::uint8_t { none, open, done };

    bool any(std::initializer_list<std::optional<RuleIndex>> next) {
        return std::any_of(next.begin(), next.end(),
                           [this](const auto& index) { return index && leads_back(*index); });
    }
    bool any(const std::vector<RuleIndex>& next) {
        return std::any_of(next.begin(), next.end(),
                           [this](RuleIndex index) { return leads_back(index); });
    }

    const std::vector<Rule>& rules_;
    std::vector<Visit> visits_;
};

}  // namespace

bool has_endless_reference(const std::vector<Rule>& rules) {
    CycleFinder finder(rules);
    for (RuleIndex index = 0; index < rules.size(); ++index) {
        if (finder.leads_back(index)) return true;
    }
    return false;
}

}  // namespace evalfleet::scoring
