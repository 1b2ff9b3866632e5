#include "coordinator/records/trial_query.hpp"

#include "common/disclosure/record.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace evalfleet::records {

namespace {

using SliceSet = reduce::SliceDictionary::SliceSet;

// What a filter can speak of; each is a bit of what a trial does not fit.
enum Name : unsigned {
    kPassed,
    kSpecPassed,
    kDisagree,
    kRetried,
    kLabel,
    kErrorKind,
    kScore,
    kTaskType,
    kTag,
    kLatency,
    kCost,
};

constexpr unsigned bit(Name name) {
    return 1U << name;
}

bool differs(const std::optional<bool>& wanted, bool is) {
    return wanted && *wanted != is;
}

bool lacks(const std::vector<std::uint8_t>& wanted, std::uint8_t is) {
    return !wanted.empty() && std::find(wanted.begin(), wanted.end(), is) == wanted.end();
}

bool is_outside(const std::optional<double>& min, const std::optional<double>& max, float figure) {
    if (!min && !max) return false;
    const auto value = static_cast<double>(figure);
    return std::isnan(value) || (min && value < *min) || (max && value > *max);
}

bool is_name(const redaction::Redactor& redactor, const std::string& wanted,
             const std::string& is) {
    return is == wanted || is == disclosure::as_in_records(redactor, wanted);
}

bool has_tag(const redaction::Redactor& redactor, const SliceSet& set,
             const std::pair<std::string, std::string>& wanted) {
    return std::any_of(set.tags.begin(), set.tags.end(), [&](const auto& tag) {
        return is_name(redactor, wanted.first, tag.first) &&
               is_name(redactor, wanted.second, tag.second);
    });
}

// What the filter says of task types and tags is decided once for each combination of them.
std::vector<unsigned> misfits_of_sets(const TrialTable& table, const TrialFilter& filter) {
    const redaction::Redactor redactor;
    std::vector<unsigned> misfits;
    for (const SliceSet& set : table.slices()) {
        unsigned misfit = 0;
        const auto is_type = [&](const std::string& type) {
            return is_name(redactor, type, set.task_type);
        };
        if (!filter.task_types.empty() &&
            std::none_of(filter.task_types.begin(), filter.task_types.end(), is_type))
            misfit |= bit(kTaskType);
        const auto is_there = [&](const auto& tag) { return has_tag(redactor, set, tag); };
        if (!std::all_of(filter.tags.begin(), filter.tags.end(), is_there)) misfit |= bit(kTag);
        misfits.push_back(misfit);
    }
    return misfits;
}

unsigned misfit_of(const TrialEntry& trial, const TrialFilter& filter) {
    unsigned misfit = 0;
    if (differs(filter.passed, trial.passed)) misfit |= bit(kPassed);
    if (differs(filter.spec_passed, trial.spec_passed)) misfit |= bit(kSpecPassed);
    if (differs(filter.repeats_disagree, trial.disagrees)) misfit |= bit(kDisagree);
    if (differs(filter.judge_retried, trial.judge_retried)) misfit |= bit(kRetried);
    if (lacks(filter.labels, trial.label)) misfit |= bit(kLabel);
    if (lacks(filter.error_kinds, trial.error_kind)) misfit |= bit(kErrorKind);
    if (lacks(filter.scores, trial.accuracy)) misfit |= bit(kScore);
    if (is_outside(filter.latency_min_ms, filter.latency_max_ms, trial.latency_ms))
        misfit |= bit(kLatency);
    if (is_outside(filter.cost_min_usd, filter.cost_max_usd, trial.cost_usd)) misfit |= bit(kCost);
    return misfit;
}

// Counts by small numbers; names are given at the end.
class Counter {
  public:
    explicit Counter(std::size_t sets) : by_type_(sets), by_tags_(sets) {}

    void add(const TrialEntry& trial, unsigned misfit) {
        const auto counts = [misfit](Name name) { return (misfit & ~bit(name)) == 0; };
        if (counts(kPassed)) ++passed_[trial.passed ? 1 : 0];
        if (counts(kSpecPassed)) ++spec_passed_[trial.spec_passed ? 1 : 0];
        if (counts(kDisagree)) ++disagree_[trial.disagrees ? 1 : 0];
        if (counts(kRetried)) ++retried_[trial.judge_retried ? 1 : 0];
        if (counts(kLabel)) ++labels_[trial.label];
        if (counts(kErrorKind)) ++error_kinds_[trial.error_kind];
        if (counts(kScore)) ++scores_[trial.accuracy];
        if (counts(kTaskType)) ++by_type_[trial.slice_set];
        if (counts(kTag)) ++by_tags_[trial.slice_set];
    }

    Facets facets(const TrialTable& table) const {
        Facets facets;
        facets["passed"] = of_booleans(passed_);
        facets["spec_passed"] = of_booleans(spec_passed_);
        facets["repeats_disagree"] = of_booleans(disagree_);
        facets["judge_retried"] = of_booleans(retried_);
        facets["failure_label"] = of_names(labels_, job::Names<job::FailureLabel>::values);
        facets["error_kind"] = of_names(error_kinds_, job::Names<job::CallError>::values);
        facets["score"] = of_names(scores_, std::array<std::string_view, 3>{"0", "1", "2"});
        for (std::size_t set = 0; set < by_type_.size(); ++set) {
            const SliceSet& slice = table.slices()[set];
            if (by_type_[set] > 0) facets["task_type"][slice.task_type] += by_type_[set];
            if (by_tags_[set] == 0) continue;
            for (const auto& [key, value] : slice.tags)
                facets["tag"][key + ":" + value] += by_tags_[set];
        }
        for (auto& [name, values] : facets)
            keep_most_frequent(values);
        return facets;
    }

  private:
    using Booleans = std::array<std::uint64_t, 2>;
    using Numbers = std::array<std::uint64_t, 256>;
    using Values = std::map<std::string, std::uint64_t>;

    static Values of_booleans(const Booleans& counts) {
        Values values;
        if (counts[1] > 0) values["true"] = counts[1];
        if (counts[0] > 0) values["false"] = counts[0];
        return values;
    }
    static Values of_names(const Numbers& counts, const auto& names) {
        Values values;
        for (std::size_t i = 0; i < names.size(); ++i)
            if (counts[i] > 0) values[std::string(names[i])] = counts[i];
        if (counts[TrialEntry::kNone] > 0) values["none"] = counts[TrialEntry::kNone];
        return values;
    }
    static void keep_most_frequent(Values& values) {
        if (values.size() <= kMostFacetValues) return;
        std::vector<std::uint64_t> counts;
        for (const auto& [name, count] : values)
            counts.push_back(count);
        std::nth_element(counts.begin(), counts.begin() + kMostFacetValues - 1, counts.end(),
                         std::greater<>());
        const std::uint64_t least = counts[kMostFacetValues - 1];
        std::erase_if(values, [least](const auto& one) { return one.second < least; });
        while (values.size() > kMostFacetValues)
            values.erase(std::find_if(values.begin(), values.end(),
                                      [least](const auto& one) { return one.second == least; }));
    }

    Booleans passed_{};
    Booleans spec_passed_{};
    Booleans disagree_{};
    Booleans retried_{};
    Numbers labels_{};
    Numbers error_kinds_{};
    Numbers scores_{};
    std::vector<std::uint64_t> by_type_;
    std::vector<std::uint64_t> by_tags_;
};

float figure_of(const TrialEntry& trial, TrialSort sort) {
    switch (sort) {
        case TrialSort::latency:
            return trial.latency_ms;
        case TrialSort::cost:
            return trial.cost_usd;
        case TrialSort::score:
            return trial.score;
        case TrialSort::tokens:
            return static_cast<float>(trial.total_tokens);
        case TrialSort::index:
            break;
    }
    return 0;
}

void order(std::vector<std::uint32_t>& matches, const TrialTable& table, const TrialQuery& query,
           std::size_t ordered) {
    if (query.sort == TrialSort::index) {
        if (query.descending) std::reverse(matches.begin(), matches.end());
        return;
    }
    const auto trials = table.trials();
    const auto before = [&](std::uint32_t a, std::uint32_t b) {
        const float x = figure_of(trials[a], query.sort);
        const float y = figure_of(trials[b], query.sort);
        if (std::isnan(x) || std::isnan(y)) {
            if (std::isnan(x) != std::isnan(y)) return std::isnan(y);
            return a < b;
        }
        if (x != y) return query.descending ? x > y : x < y;
        return a < b;
    };
    const auto end = static_cast<std::ptrdiff_t>(std::min(ordered, matches.size()));
    std::partial_sort(matches.begin(), matches.begin() + end, matches.end(), before);
}

}  // namespace

TrialSelection select(const TrialTable& table, const TrialQuery& query, std::size_t ordered) {
    TrialSelection selection;
    const std::vector<unsigned> of_sets = misfits_of_sets(table, query.filter);
    Counter counter(of_sets.size());
    const auto trials = table.trials();
    for (std::uint32_t i = 0; i < trials.size(); ++i) {
        const unsigned misfit = misfit_of(trials[i], query.filter) | of_sets[trials[i].slice_set];
        if (misfit == 0) selection.matches.push_back(i);
        if (query.wants_facets) counter.add(trials[i], misfit);
    }
    if (query.wants_facets) selection.facets = counter.facets(table);
    order(selection.matches, table, query, ordered);
    return selection;
}

}  // namespace evalfleet::records
