#include "cli/moved_slices.hpp"

#include "common/json/document.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

namespace evalfleet::cli {

namespace {

struct SliceRate {
    std::uint64_t trials = 0;
    double pass_rate = 0;
};
using SliceRates = std::map<std::string, SliceRate>;

// Too few samples say nothing; nor do slices of which a summary says nothing.
Result<bool> is_tested(const std::optional<json::Value>& tests, std::string_view name) {
    const auto test = tests ? tests->find(name) : std::nullopt;
    if (!test) return false;
    const auto verdict = test->get<std::string>("verdict");
    if (!verdict) return verdict.error();
    return *verdict != "not_tested";
}

Status gather(json::Value slices, const std::optional<json::Value>& tests, const std::string& what,
              SliceRates& rates) {
    const auto members = slices.as_object();
    if (!members) return members.error();
    for (const auto& [name, value] : *members) {
        const auto tested = is_tested(tests, name);
        if (!tested) return tested.error();
        const auto rubric = value.find("rubric");
        if (!rubric || !*tested) continue;
        const auto rate = rubric->optional<double>("pass_rate");
        const auto trials = rubric->get<std::uint64_t>("total_count");
        if (!rate) return rate.error();
        if (!trials) return trials.error();
        if (*rate) rates[what + ": " + std::string(name)] = {*trials, **rate};
    }
    return {};
}

Result<SliceRates> read_rates(std::string_view summary) {
    SliceRates rates;
    const auto document = json::Document::parse(summary);
    if (!document) return document.error();
    const auto slices = document->root().find("slices");
    const auto extra = document->root().find("extra");
    const auto tests = extra ? extra->find("slice_tests") : std::nullopt;
    if (!slices || !tests) return rates;
    if (const auto types = slices->find("task_type")) {
        const Status read = gather(*types, tests->find("task_type"), "task type", rates);
        if (!read) return read.error();
    }
    const auto tags = slices->find("tags");
    if (!tags) return rates;
    const auto keys = tags->as_object();
    if (!keys) return keys.error();
    const auto tag_tests = tests->find("tags");
    for (const auto& [key, values] : *keys) {
        const auto of_key = tag_tests ? tag_tests->find(key) : std::nullopt;
        if (Status read = gather(values, of_key, std::string(key), rates); !read)
            return read.error();
    }
    return rates;
}

}  // namespace

Result<std::vector<report::MovedSlice>> moved_slices(std::string_view base,
                                                     std::string_view candidate) {
    const auto before = read_rates(base);
    if (!before) return before.error();
    const auto after = read_rates(candidate);
    if (!after) return after.error();
    std::vector<report::MovedSlice> moved;
    for (const auto& [name, rate] : *before) {
        const auto other = after->find(name);
        if (other == after->end() || other->second.pass_rate == rate.pass_rate) continue;
        moved.push_back({name, other->second.trials, rate.pass_rate, other->second.pass_rate});
    }
    std::ranges::stable_sort(moved, std::greater<>(), [](const report::MovedSlice& slice) {
        return std::abs(slice.candidate - slice.base);
    });
    if (moved.size() > kMostMovedSlices) moved.resize(kMostMovedSlices);
    return moved;
}

}  // namespace evalfleet::cli
