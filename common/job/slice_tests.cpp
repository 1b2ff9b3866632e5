#include "common/job/slice_tests.hpp"

#include "common/json/writer.hpp"

namespace evalfleet::job {
namespace {

void write_interval(json::Writer& writer, const std::string& name,
                    const std::optional<statistics::Interval>& interval) {
    const auto limit = [&](double statistics::Interval::*side) {
        return interval ? std::optional((*interval).*side) : std::nullopt;
    };
    writer.member(name + "_ci95_lower", limit(&statistics::Interval::lower));
    writer.member(name + "_ci95_upper", limit(&statistics::Interval::upper));
}

void write_figure(json::Writer& writer, const std::string& name,
                  const std::optional<statistics::Interval>& ci95, const SliceDifference& test) {
    write_interval(writer, name, ci95);
    writer.member(name + "_difference", test.difference);
    writer.member(name + "_p_value", test.p_value);
    writer.member(name + "_p_value_bh", test.p_value_bh);
}

}  // namespace

SliceFinding SliceTest::finding() const noexcept {
    if (!reason.empty()) return SliceFinding::not_tested;
    bool is_lower = false;
    bool is_higher = false;
    for (const SliceDifference& test : {aggregate_score, rubric_pass_rate}) {
        if (!test.is_finding()) continue;
        (*test.difference < 0 ? is_lower : is_higher) = true;
    }
    if (is_lower && is_higher) return SliceFinding::mixed;
    if (is_lower) return SliceFinding::lower;
    return is_higher ? SliceFinding::higher : SliceFinding::nothing_found;
}

void write_slice_tests(json::Writer& writer, std::string_view name, const SliceTests& tests) {
    writer.key(name).begin_object();
    for (const auto& [value, test] : tests) {
        writer.key(value).begin_object();
        writer.member("samples", test.samples);
        write_figure(writer, "aggregate_score", test.aggregate_score_ci95, test.aggregate_score);
        write_figure(writer, "rubric_pass_rate", test.rubric_pass_rate_ci95, test.rubric_pass_rate);
        writer.member("verdict", to_string(test.finding()));
        writer.member("reason", test.reason.empty() ? std::nullopt : std::optional(test.reason));
        writer.end_object();
    }
    writer.end_object();
}

void write_slice_tests(json::Writer& writer, const RunSliceTests& tests) {
    writer.key("slice_tests").begin_object();
    writer.member("tests", tests.tests);
    write_slice_tests(writer, "task_type", tests.task_types);
    writer.key("tags").begin_object();
    for (const auto& [key, by_value] : tests.tags)
        write_slice_tests(writer, key, by_value);
    writer.end_object();
    writer.end_object();
}

}  // namespace evalfleet::job
