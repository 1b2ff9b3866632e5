#pragma once

#include "coordinator/report/numbers.hpp"
#include "coordinator/report/report.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::report {

enum class Align { left, right };

struct Column {
    std::string title;
    Align align = Align::right;
};

/// Rows of texts under titles. The texts are not escaped yet.
struct Table {
    std::string title;
    std::string note;  ///< one sentence under it; may be empty
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;
    std::vector<double> shares;  ///< a bar from 0 to 1 for each row; empty: no bars
    /// What to sort each cell by, if not by its text; empty: the order means something, keep it.
    std::vector<std::vector<std::optional<double>>> keys{};
    std::vector<bool> faint{};  ///< rows that say too little to be read as the others; empty: none

    [[nodiscard]] bool is_faint(std::size_t row) const { return row < faint.size() && faint[row]; }
};

/// One gate, ready to be shown.
struct GateView {
    std::string name;   ///< as in the summary
    std::string title;  ///< for people
    Unit unit = Unit::score;
    const job::Gate* gate = nullptr;
    std::string no_interval{};  ///< why it has none that can be believed; empty: it has one
    /// Of a run that ended early; of a percentile, of the share beyond its limit.
    std::optional<statistics::Interval> always_valid{};
    job::GateDecision decision{};

    /// Nothing leaves it open: neither its interval nor what a test without assumptions says.
    [[nodiscard]] bool is_decided() const noexcept { return job::is_decided(*gate, decision); }

    [[nodiscard]] std::string observed() const { return show(gate->observed.value, unit); }
    /// None where it is not to be believed; of a score within 0 and 1, where Student's t may leave.
    [[nodiscard]] std::optional<statistics::Interval> ci95() const;
    [[nodiscard]] std::string interval() const { return show(ci95(), unit); }
    [[nodiscard]] std::string required() const;
    /// "passed", "failed", with "uncertain" where something leaves it open.
    [[nodiscard]] std::string outcome() const;
    /// What leaves it open, in words; empty if it is decided.
    [[nodiscard]] std::string why_open() const;
    /// What an early end means for its interval; empty if the run did not end early.
    [[nodiscard]] std::string after_early_stop() const;
    /// What is to be known about it, in one sentence.
    [[nodiscard]] std::string sentence() const;
};

/// What a report says, in order, before any format decides how.
struct Outline {
    std::string title;
    /// "RELEASE READY", "NOT READY", "INCOMPLETE", "NOT MEASURED", "PARTLY MEASURED"
    std::string headline;
    std::string sentence;  ///< why
    bool is_ready = false;
    bool is_measured = true;  ///< false: the gates say nothing about the model
    std::vector<std::pair<std::string, std::string>> facts;  ///< what was run
    std::vector<GateView> gates;
    std::vector<Table> tables;
    std::vector<std::string> warnings;  ///< what a reader must know before believing it
    std::vector<std::string> notes;     ///< what a reader should know
};

/// The views point into the report's parts.
[[nodiscard]] Outline make_outline(const Report& report);

/// What could not be measured, why, and how to mend it; empty if everything was.
[[nodiscard]] std::string unmeasured_sentence(const Report& report);

/// The gates in the order of the Rubric.
[[nodiscard]] std::vector<GateView> make_gates(const job::Summary& summary);

/// What the trials with the label `other` are: "12 lost to infrastructure; 3 without text".
[[nodiscard]] std::string explain_other(const job::Outcomes& outcomes);

// The tables, one each.
[[nodiscard]] Table gates_table(const std::vector<GateView>& gates);
[[nodiscard]] Table scores_table(const job::Summary& summary);
[[nodiscard]] Table latency_table(const job::Summary& summary);
[[nodiscard]] Table tokens_table(const Report& report);
[[nodiscard]] Table failures_table(const job::Summary& summary);
[[nodiscard]] Table outcomes_table(const job::Summary& summary);
[[nodiscard]] Table answered_table(const job::Summary& summary);
[[nodiscard]] Table sources_table(const job::Summary& summary);
[[nodiscard]] Table redactions_table(const job::Summary& summary);
[[nodiscard]] Table repeats_table(const job::Summary& summary);
[[nodiscard]] Table slices_table(const std::string& title, const job::Summary::Slices& slices,
                                 const job::SliceTests& tests);

/// What differs from the rest beyond chance: "pass rate −12.0 %"; or why nothing is said.
[[nodiscard]] std::string against_rest(const job::SliceTest& test);

/// Which slices differ from the rest, in one sentence; empty if none was tested.
[[nodiscard]] std::string slices_sentence(const job::RunSliceTests& tests);

/// What a run of this size can tell apart, and what would help, in a few sentences.
[[nodiscard]] std::string power_sentence(const job::RunPower& power);

}  // namespace evalfleet::report
