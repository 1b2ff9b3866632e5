#include "coordinator/reduce/comparison_json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::reduce {
namespace {

constexpr const char* kRow = "  {:<20} {:>9} {:>10} {:>10} {:>10} {:>7}";

std::string by(const MetricDifference& row, const std::optional<double>& difference) {
    if (!difference) return "-";
    return row.scale == Scale::ratio ? fmt::format("{:.2f}%", 100 * *difference)
                                     : fmt::format("{:.4g}", *difference);
}

std::string number(const std::optional<double>& value) {
    return value ? fmt::format("{:.2f}", *value) : "-";
}

std::string samples_for(const MetricDifference& row) {
    if (!row.power.detect) return "";
    return row.power.samples_to_detect ? std::to_string(*row.power.samples_to_detect) : "not known";
}

void append_line(std::string& out, std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
}

void append_row(std::string& out, const MetricDifference& row) {
    const statistics::PowerFigures& paired = row.power.paired;
    append_line(out, fmt::format(fmt::runtime(kRow), row.name, by(row, paired.detectable),
                                 by(row, paired.with_twice_the_samples),
                                 by(row, paired.with_twice_the_repeats),
                                 by(row, row.power.unpaired), number(row.power.correlation)));
    if (row.power.detect)
        append_line(out, fmt::format("    to find {}: {} samples", by(row, row.power.detect),
                                     samples_for(row)));
}

bool has_repeats(const MetricDifference& row) {
    return row.power.paired.within_variance.has_value();
}

}  // namespace

void write(json::Writer& writer, const RowPower& power) {
    writer.key("power").begin_object();
    writer.member("detectable_difference", power.paired.detectable);
    writer.member("with_twice_the_samples", power.paired.with_twice_the_samples);
    writer.member("with_twice_the_repeats", power.paired.with_twice_the_repeats);
    writer.member("between_sample_variance", power.paired.between_variance);
    writer.member("within_sample_variance", power.paired.within_variance);
    writer.member("correlation", power.correlation);
    writer.member("unpaired_detectable_difference", power.unpaired);
    writer.member("detect", power.detect);
    writer.member("samples_to_detect", power.samples_to_detect);
    writer.end_object();
}

void append_power(std::string& out, std::span<const MetricDifference> rows) {
    const auto tells = [](const MetricDifference& row) {
        return row.power.paired.detectable || row.power.detect;
    };
    if (std::ranges::none_of(rows, tells)) return;
    out += "\nA true difference of this size is found 4 times of 5:\n";
    append_line(out, fmt::format(fmt::runtime(kRow), "metric", "as it is", "2x samples",
                                 "2x repeats", "not paired", "correl."));
    for (const MetricDifference& row : rows) {
        if (tells(row)) append_row(out, row);
    }
    out += std::ranges::any_of(rows, has_repeats)
               ? "  For as many calls, more samples find more than more repeats; repeats help\n"
                 "  where there are no more samples.\n"
               : "  What repeats would bring is not known: no sample was repeated. More\n"
                 "  samples always help.\n";
}

}  // namespace evalfleet::reduce
