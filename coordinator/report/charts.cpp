#include "coordinator/report/charts.hpp"

#include "coordinator/report/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace evalfleet::report {

namespace {

struct Bar {
    std::string name;
    std::uint64_t count = 0;
    std::string_view look;
};

std::string score_chart(std::string_view title, const job::ScoreHistogram& histogram,
                        bool two_is_best) {
    const std::array<std::string_view, 3> looks =
        two_is_best ? std::array<std::string_view, 3>{"bad", "middle", "good"}
                    : std::array<std::string_view, 3>{"good", "middle", "bad"};
    std::array<Bar, 4> bars{
        Bar{"0", histogram.counts[0], looks[0]}, Bar{"1", histogram.counts[1], looks[1]},
        Bar{"2", histogram.counts[2], looks[2]}, Bar{"none", histogram.null_count, "none"}};
    std::uint64_t most = 1;
    std::uint64_t all = 0;
    for (const Bar& bar : bars) {
        most = std::max(most, bar.count);
        all += bar.count;
    }
    std::string out = fmt::format(
        "<figure><figcaption>{0}</figcaption><svg class=\"chart\" viewBox=\"0 0 240 132\" "
        "role=\"img\" aria-label=\"{0}: how often each score was given\">",
        title);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double height = 84.0 * static_cast<double>(bars[i].count) / static_cast<double>(most);
        const double share =
            all == 0 ? 0.0 : static_cast<double>(bars[i].count) / static_cast<double>(all);
        const double x = 8 + 58.0 * static_cast<double>(i);
        out += fmt::format(
            "<rect class=\"{}\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"50\" height=\"{:.1f}\" "
            "rx=\"3\"><title>{}: {} ({})</title></rect>",
            bars[i].look, x, 104 - height, height, bars[i].name, show_count(bars[i].count),
            show(share, Unit::share));
        out += fmt::format(
            "<text x=\"{0:.0f}\" y=\"{1:.1f}\">{2}</text><text class=\"axis\" "
            "x=\"{0:.0f}\" y=\"122\">{3}</text>",
            x + 25, 98 - height, show_count(bars[i].count), bars[i].name);
    }
    return out + "<line x1=\"0\" x2=\"240\" y1=\"104\" y2=\"104\"/></svg></figure>\n";
}

// Steps that are shown: from the first to the last that has a trial, and a little room.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint64_t most = 0;
};

Range range_of(const LatencyHistogram& histogram, double limit_ms) {
    const auto& counts = histogram.counts();
    Range range{counts.size(), 0, 0};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == 0) continue;
        range.begin = std::min(range.begin, i);
        range.end = i + 1;
        range.most = std::max(range.most, counts[i]);
    }
    if (range.most == 0) return range;
    const auto limit = static_cast<std::size_t>(LatencyHistogram::place_of(limit_ms)) + 1;
    range.end = std::min(std::max(range.end, limit) + 1, counts.size());
    if (range.begin > 0) --range.begin;
    return range;
}

class LatencyAxis {
  public:
    static constexpr double kWidth = 720;
    static constexpr double kBottom = 150;
    static constexpr double kTop = 26;

    explicit LatencyAxis(const Range& range) : range_(range) {}

    [[nodiscard]] double at(double step) const {
        const auto begin = static_cast<double>(range_.begin);
        return (step - begin) / (static_cast<double>(range_.end) - begin) * kWidth;
    }

    [[nodiscard]] std::string bar(std::size_t step, std::uint64_t count) const {
        const double height =
            (kBottom - kTop) * static_cast<double>(count) / static_cast<double>(range_.most);
        const double x = at(static_cast<double>(step));
        return fmt::format(
            "<rect class=\"count\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">"
            "<title>{} to {}: {} trials</title></rect>",
            x + 0.5, kBottom - height, at(static_cast<double>(step) + 1) - x - 1, height,
            show(LatencyHistogram::begin_of(step), Unit::milliseconds),
            show(LatencyHistogram::begin_of(step + 1), Unit::milliseconds), show_count(count));
    }

    [[nodiscard]] std::string mark(std::string_view look, std::string_view name, double ms,
                                   double y) const {
        const double x = at(LatencyHistogram::place_of(ms));
        const bool left = x > kWidth * 0.8;
        return fmt::format(
            "<line class=\"{0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.0f}\" "
            "y2=\"{3:.0f}\"/><text class=\"{4}\" x=\"{5:.1f}\" y=\"{6:.0f}\">{7} "
            "{8}</text>",
            look, x, y, kBottom, left ? "before" : "after", left ? x - 5 : x + 5, y + 8, name,
            show(ms, Unit::milliseconds));
    }

    [[nodiscard]] std::string ticks() const {
        std::string out;
        for (std::size_t step = range_.begin; step <= range_.end; ++step) {
            if (step % LatencyHistogram::kStepsPerDecade != 0) continue;
            const double x = at(static_cast<double>(step));
            out += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"166\">{}</text>",
                               std::clamp(x, 26.0, kWidth - 26),
                               show(LatencyHistogram::begin_of(step), Unit::milliseconds));
        }
        return out +
               fmt::format("<line x1=\"0\" x2=\"{0}\" y1=\"{1}\" y2=\"{1}\"/>", kWidth, kBottom);
    }

  private:
    const Range& range_;
};

}  // namespace

std::string score_charts(const job::SpecBlock& block) {
    return "<div class=\"figures\">" + score_chart("Accuracy", block.correctness_scores, true) +
           score_chart("Faithfulness", block.faithfulness_scores, true) +
           score_chart("Hallucination (0 is best)", block.hallucination_scores, false) + "</div>";
}

std::string latency_chart(const Report& report) {
    const LatencyHistogram& histogram = report.findings.latencies();
    const job::Gate& gate = report.summary.gates.latency_e2e_p95_ms;
    const Range range = range_of(histogram, gate.threshold);
    if (range.most == 0) return "";
    const LatencyAxis axis(range);
    std::string out =
        "<svg class=\"chart\" viewBox=\"0 0 720 172\" role=\"img\" aria-label=\"How many trials "
        "had which end-to-end latency, on a logarithmic scale\">";
    for (std::size_t step = range.begin; step < range.end; ++step) {
        if (histogram.counts()[step] > 0) out += axis.bar(step, histogram.counts()[step]);
    }
    out += axis.ticks();
    const job::RubricBlock& rubric = report.summary.all.rubric;
    if (rubric.latency_e2e_p50_ms) out += axis.mark("median", "p50", *rubric.latency_e2e_p50_ms, 2);
    if (rubric.latency_e2e_p95_ms.value)
        out += axis.mark("high", "p95", *rubric.latency_e2e_p95_ms.value, 14);
    return out + axis.mark("limit", "limit of p95", gate.threshold, 2) + "</svg>";
}

}  // namespace evalfleet::report
