#include "common/json/document.hpp"
#include "common/json/member_reader.hpp"
#include "coordinator/reduce/comparison_json.hpp"

#include <fmt/format.h>

#include <utility>

namespace evalfleet::reduce {

namespace {

using json::MemberReader;

template <class Enum>
Status read_name(const json::Value& object, std::string_view name, Enum& out) {
    const auto text = object.get<std::string>(name);
    if (!text) return text.error();
    const auto known = job::from_name<Enum>(*text);
    if (!known) return Error{ErrorKind::invalid, fmt::format("{}: unknown name '{}'", name, *text)};
    out = *known;
    return {};
}

Status read_power(const json::Value& metric, RowPower& power) {
    const auto object = metric.find("power");
    if (!object) return {};  // of a coordinator that does not tell
    return MemberReader(*object)
        .take("detectable_difference", power.paired.detectable)
        .take("with_twice_the_samples", power.paired.with_twice_the_samples)
        .take("with_twice_the_repeats", power.paired.with_twice_the_repeats)
        .take("between_sample_variance", power.paired.between_variance)
        .take("within_sample_variance", power.paired.within_variance)
        .take("correlation", power.correlation)
        .take("unpaired_detectable_difference", power.unpaired)
        .take("detect", power.detect)
        .take("samples_to_detect", power.samples_to_detect)
        .status();
}

Result<MetricDifference> read_metric(const json::Value& value) {
    MetricDifference metric;
    std::optional<double> lower;
    std::optional<double> upper;
    const Status read = MemberReader(value)
                            .take("name", metric.name)
                            .take("higher_is_better", metric.higher_is_better)
                            .take("pairs", metric.pairs)
                            .take("samples", metric.samples)
                            .take("base", metric.base)
                            .take("candidate", metric.candidate)
                            .take("difference", metric.difference)
                            .take("difference_ci95_lower", lower)
                            .take("difference_ci95_upper", upper)
                            .take("worse_by_at_most", metric.worse_by_at_most)
                            .take("margin", metric.margin)
                            .take("p_value", metric.p_value)
                            .take("p_value_holm", metric.p_value_holm)
                            .take("testable", metric.testable)
                            .take("reason", metric.reason)
                            .take("lost_samples", metric.lost_samples)
                            .take("won_samples", metric.won_samples)
                            .take("mcnemar_p_value", metric.mcnemar_p_value)
                            .status();
    if (!read) return read.error();
    if (Status scale = read_name(value, "scale", metric.scale); !scale) return scale.error();
    if (Status named = read_name(value, "verdict", metric.verdict); !named) return named.error();
    if (Status power = read_power(value, metric.power); !power) return power.error();
    if (lower && upper) metric.ci95 = statistics::Interval{*lower, *upper};
    return metric;
}

Result<FlippedTrial> read_flipped(const json::Value& value) {
    FlippedTrial trial;
    std::optional<std::string> sample_id;
    const Status read = MemberReader(value)
                            .take("sample_index", trial.sample_index)
                            .take("sample_id", sample_id)
                            .take("repeat", trial.repeat)
                            .take("condition", trial.condition)
                            .take("now_passes", trial.now_passes)
                            .status();
    if (!read) return read.error();
    trial.sample_id = sample_id.value_or("");
    return trial;
}

template <class Item>
Status read_list(const json::Value& root, std::string_view name,
                 Result<Item> (*read)(const json::Value&), std::vector<Item>& items) {
    const auto list = root.get<json::Array>(name);
    if (!list) return list.error();
    for (const json::Value value : *list) {
        auto item = read(value);
        if (!item) return item.error();
        items.push_back(std::move(*item));
    }
    return {};
}

}  // namespace

Result<RunComparison> read_comparison(std::string_view json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    const json::Value root = document->root();
    RunComparison comparison;
    const Status read = MemberReader(root)
                            .take("reasons", comparison.incomparable)
                            .take("base_trials", comparison.base_trials)
                            .take("candidate_trials", comparison.candidate_trials)
                            .take("shared_trials", comparison.shared_trials)
                            .take("shared_samples", comparison.shared_samples)
                            .status();
    if (!read) return read.error();
    if (const Status metrics = read_list(root, "metrics", read_metric, comparison.metrics);
        !metrics)
        return metrics.error();
    if (const Status flipped = read_list(root, "flipped", read_flipped, comparison.flipped);
        !flipped)
        return flipped.error();
    return comparison;
}

}  // namespace evalfleet::reduce
