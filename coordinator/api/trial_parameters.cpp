#include "coordinator/api/trial_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace evalfleet::api {

namespace {

using records::TrialEntry;
using records::TrialSort;

std::vector<std::string> read_list(QueryReader& query, std::string_view name) {
    std::vector<std::string> values;
    for (const std::string& text : query.texts(name, 32)) {
        for (std::size_t at = 0; at <= text.size();) {
            const auto comma = std::min(text.find(',', at), text.size());
            if (comma > at) values.push_back(text.substr(at, comma - at));
            at = comma + 1;
        }
    }
    return values;
}

// Places of names in a vocabulary; "none" is none of them.
std::vector<std::uint8_t> read_names(QueryReader& query, std::string_view name,
                                     const auto& vocabulary) {
    std::vector<std::uint8_t> places;
    for (const std::string& value : read_list(query, name)) {
        const auto found = std::find(vocabulary.begin(), vocabulary.end(), value);
        if (value == "none")
            places.push_back(TrialEntry::kNone);
        else if (found != vocabulary.end())
            places.push_back(static_cast<std::uint8_t>(found - vocabulary.begin()));
        else
            query.fail(name, fmt::format("allowed: none, {}", fmt::join(vocabulary, ", ")));
    }
    return places;
}

TrialSort read_sort(QueryReader& query) {
    constexpr std::array<std::string_view, 5> kSorts{"index", "latency", "cost", "score", "tokens"};
    const std::string name = query.text("sort");
    if (name.empty()) return TrialSort::index;
    const auto found = std::find(kSorts.begin(), kSorts.end(), name);
    if (found == kSorts.end()) {
        query.fail("sort", fmt::format("allowed: {}", fmt::join(kSorts, ", ")));
        return TrialSort::index;
    }
    return static_cast<TrialSort>(found - kSorts.begin());
}

}  // namespace

std::optional<double> read_figure(QueryReader& query, std::string_view name) {
    const std::string text = query.text(name);
    if (text.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
    query.fail(name, "allowed: a number that is not negative");
    return std::nullopt;
}

views::TrialPageRequest read_trial_page(QueryReader& query) {
    views::TrialPageRequest page;
    records::TrialFilter& filter = page.query.filter;
    filter.passed = query.boolean("passed");
    filter.spec_passed = query.boolean("spec_passed");
    filter.repeats_disagree = query.boolean("repeats_disagree");
    filter.judge_retried = query.boolean("judge_retried");
    filter.labels = read_names(query, "failure_label", job::Names<job::FailureLabel>::values);
    filter.error_kinds = read_names(query, "error_kind", job::Names<job::CallError>::values);
    filter.scores = read_names(query, "score", std::array<std::string_view, 3>{"0", "1", "2"});
    filter.task_types = query.texts("task_type", 32);
    for (const std::string& tag : query.texts("tag", 8)) {
        const auto colon = tag.find(':');
        if (colon == std::string::npos || colon == 0)
            query.fail("tag", "allowed: key:value");
        else
            filter.tags.emplace_back(tag.substr(0, colon), tag.substr(colon + 1));
    }
    filter.latency_min_ms = read_figure(query, "latency_min_ms");
    filter.latency_max_ms = read_figure(query, "latency_max_ms");
    filter.cost_min_usd = read_figure(query, "cost_min");
    filter.cost_max_usd = read_figure(query, "cost_max");
    page.text = query.text("q", 200);
    page.query.sort = read_sort(query);
    const std::string order = query.text("order");
    if (!order.empty() && order != "asc" && order != "desc")
        query.fail("order", "allowed: asc, desc");
    page.query.descending = order == "desc";
    page.query.wants_facets = query.boolean("facets").value_or(false);
    page.offset = query.number("offset", 0, 0, records::TrialTable::kMostTrials);
    page.limit = query.number("limit", 50, 1, 500);
    return page;
}

}  // namespace evalfleet::api
