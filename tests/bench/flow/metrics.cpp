#include "tests/bench/flow/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::bench {

namespace {

const MetricInfo& info_of(Metric metric) {
    return kMetrics[static_cast<std::size_t>(metric)];
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    if (values.size() % 2 == 1) return values[middle];
    return (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

Measured median_of(const std::vector<Measured>& rounds) {
    Measured result;
    for (const MetricInfo& info : kMetrics) {
        std::vector<double> values;
        for (const Measured& round : rounds) {
            if (round[info.metric]) values.push_back(*round[info.metric]);
        }
        if (!values.empty() && values.size() == rounds.size()) result[info.metric] = median(values);
    }
    return result;
}

bool Check::holds(const Measured& measured) const {
    const auto found = measured[metric];
    if (!found) return false;
    return bound == Bound::at_least ? *found >= value : *found <= value;
}

std::string Check::text() const {
    const MetricInfo& info = info_of(metric);
    const bool is_exact = bound == Bound::at_most && value == 0;
    const char* sign = bound == Bound::at_least ? ">=" : is_exact ? "=" : "<=";
    return fmt::format("{} {} {:g}", info.name, sign, value);
}

std::string format(const MetricInfo& info, const std::optional<double>& value) {
    return value ? fmt::format("{:.{}f}", *value, info.decimals) : "-";
}

}  // namespace evalfleet::bench
