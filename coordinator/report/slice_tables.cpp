#include "coordinator/report/outline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::report {

namespace {

/// A table of many values would hide what it shows; the rest is in summary.json.
constexpr std::size_t kMaxSlices = 40;

struct Slice {
    const std::string* value;
    const job::RubricBlock* rubric;
    job::SliceTest test;
};

/// All of them, or, of more than fit, those that differ and then the largest, in order of names.
std::vector<Slice> choose(const job::Summary::Slices& slices, const job::SliceTests& tests) {
    std::vector<Slice> chosen;
    for (const auto& [value, blocks] : slices) {
        const auto test = tests.find(value);
        chosen.push_back(
            {&value, &blocks.rubric, test == tests.end() ? job::SliceTest{} : test->second});
    }
    if (chosen.size() <= kMaxSlices) return chosen;
    std::ranges::stable_sort(chosen, [](const Slice& a, const Slice& b) {
        if (a.test.is_found() != b.test.is_found()) return a.test.is_found();
        return a.test.samples > b.test.samples;
    });
    chosen.resize(kMaxSlices);
    std::ranges::sort(chosen, {}, [](const Slice& slice) { return *slice.value; });
    return chosen;
}

std::string signed_figure(double value, Unit unit) {
    return (value < 0 ? "−" : "+") + show(value < 0 ? -value : value, unit);
}

std::optional<double> width(const std::optional<statistics::Interval>& interval) {
    return interval ? std::optional(interval->upper - interval->lower) : std::nullopt;
}

void add_row(Table& table, const Slice& slice) {
    const job::RubricBlock& rubric = *slice.rubric;
    const job::SliceTest& test = slice.test;
    table.rows.push_back(
        {*slice.value, show_count(test.samples), show_count(rubric.total_count),
         show(rubric.pass_rate.value, Unit::share), show(test.rubric_pass_rate_ci95, Unit::share),
         show(rubric.aggregate_score.value, Unit::score),
         show(test.aggregate_score_ci95, Unit::score),
         show(rubric.accuracy_mean.value, Unit::ratio),
         show(rubric.faithfulness_mean.value, Unit::ratio),
         show(rubric.latency_e2e_p95_ms.value, Unit::milliseconds), against_rest(test)});
    table.keys.push_back(
        {std::nullopt, static_cast<double>(test.samples), static_cast<double>(rubric.total_count),
         rubric.pass_rate.value, width(test.rubric_pass_rate_ci95), rubric.aggregate_score.value,
         width(test.aggregate_score_ci95), rubric.accuracy_mean.value,
         rubric.faithfulness_mean.value, rubric.latency_e2e_p95_ms.value, std::nullopt});
    table.faint.push_back(test.samples < job::kFewestSliceSamples);
}

/// What differs, by name: "lang=de: pass rate −12.0 %".
void gather(const std::string& prefix, const job::SliceTests& tests,
            std::vector<std::string>& found) {
    for (const auto& [value, test] : tests) {
        if (test.is_found()) found.push_back(prefix + value + ": " + against_rest(test));
    }
}

std::string list_of(const std::vector<std::string>& found) {
    constexpr std::size_t kMostNamed = 5;
    std::string out;
    for (std::size_t i = 0; i < std::min(found.size(), kMostNamed); ++i)
        out += (i == 0 ? "" : "; ") + found[i];
    if (found.size() > kMostNamed) out += fmt::format("; and {} more", found.size() - kMostNamed);
    return out;
}

}  // namespace

std::string against_rest(const job::SliceTest& test) {
    if (!test.reason.empty()) return "not tested: " + test.reason;
    std::string out;
    const auto add = [&out](const char* name, const job::SliceDifference& one, Unit unit) {
        if (!one.is_finding()) return;
        out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name,
                           signed_figure(*one.difference, unit));
    };
    add("pass rate", test.rubric_pass_rate, Unit::share);
    add("score", test.aggregate_score, Unit::score);
    return out.empty() ? "may be chance" : out;
}

Table slices_table(const std::string& title, const job::Summary::Slices& slices,
                   const job::SliceTests& tests) {
    Table table{title,
                fmt::format("Intervals count a sample once, however often it was repeated. Of "
                            "slices in grey or italics, with fewer than {} samples, nothing is "
                            "said.",
                            job::kFewestSliceSamples),
                {{"Value", Align::left},
                 {"Samples"},
                 {"Trials"},
                 {"Pass rate"},
                 {"95 % CI"},
                 {"Score"},
                 {"95 % CI"},
                 {"Accuracy"},
                 {"Faithfulness"},
                 {"Latency p95"},
                 {"Against the rest", Align::left}},
                {},
                {}};
    for (const Slice& slice : choose(slices, tests))
        add_row(table, slice);
    if (slices.size() > kMaxSlices) {
        table.note += fmt::format(
            " {} of {}: those that differ, then the largest; all of them are "
            "in summary.json.",
            kMaxSlices, slices.size());
    }
    return table;
}

std::string slices_sentence(const job::RunSliceTests& tests) {
    if (tests.tests == 0) return "";
    std::vector<std::string> found;
    gather("task type ", tests.task_types, found);
    for (const auto& [key, by_value] : tests.tags)
        gather(key + " ", by_value, found);
    const std::string corrected =
        fmt::format("corrected for {} tests (Benjamini and Hochberg)", tests.tests);
    if (found.empty()) {
        return fmt::format(
            "No slice differs from the rest beyond chance, {}: the lowest and the "
            "highest of them say nothing.",
            corrected);
    }
    return fmt::format("{} from the rest beyond chance, {}: {}.",
                       found.size() == 1 ? std::string("One slice differs")
                                         : fmt::format("{} slices differ", found.size()),
                       corrected, list_of(found));
}

}  // namespace evalfleet::report
