#pragma once

#include "coordinator/records/trial_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::records {

/// Which trials somebody wants to see; what is empty lets everything through. Of several values of
/// one name any will do, of several tags all must be there.
struct TrialFilter {
    std::optional<bool> passed{};
    std::optional<bool> spec_passed{};
    std::optional<bool> repeats_disagree{};
    std::optional<bool> judge_retried{};
    std::vector<std::uint8_t> labels{};       ///< TrialEntry::kNone: those without one
    std::vector<std::uint8_t> error_kinds{};  ///< likewise
    std::vector<std::uint8_t> scores{};       ///< of accuracy; likewise
    std::vector<std::string> task_types{};
    std::vector<std::pair<std::string, std::string>> tags{};
    std::optional<double> latency_min_ms{};
    std::optional<double> latency_max_ms{};
    std::optional<double> cost_min_usd{};
    std::optional<double> cost_max_usd{};
};

enum class TrialSort { index, latency, cost, score, tokens };

struct TrialQuery {
    TrialFilter filter{};
    TrialSort sort = TrialSort::index;
    bool descending = false;
    bool wants_facets = false;
};

/// How many trials each value of a name has, over the trials that fit all of the filter but what it
/// says of that name: what one would see if one chose the value.
using Facets = std::map<std::string, std::map<std::string, std::uint64_t>>;

/// Of each facet the most frequent values at most.
inline constexpr std::size_t kMostFacetValues = 100;

struct TrialSelection {
    std::vector<std::uint32_t> matches;  ///< places in TrialTable::trials
    Facets facets;
};

/// Finds the trials that fit. The first `ordered` matches (all, if fewer) stand in their order;
/// trials of which the figure is not known come last, equal ones by sample and repeat. Pure.
[[nodiscard]] TrialSelection select(const TrialTable& table, const TrialQuery& query,
                                    std::size_t ordered);

}  // namespace evalfleet::records
