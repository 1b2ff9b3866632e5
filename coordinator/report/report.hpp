#pragma once

#include "common/job/baseline_verdict.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/sample.hpp"
#include "common/job/summary.hpp"
#include "common/job/trial_record.hpp"
#include "coordinator/report/findings.hpp"
#include "coordinator/report/trial_texts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The same results for different readers. Pure: text in, text out. Everything that came from
/// models, datasets and providers is hostile and escaped for its format.
namespace evalfleet::report {

/// By their index in the data set.
using Samples = std::map<std::int64_t, job::Sample>;

/// What a report is made of. The parts must outlive the call.
struct Report {
    const job::RunMetadata& metadata;
    const job::Summary& summary;
    const Findings& findings;
    std::optional<job::BaselineVerdict> baseline{};  ///< none: the run is compared with none
    Samples samples{};  ///< what was asked in the examples, fit to be shown; may lack some
};

/// The gates are about the model: nothing that could not be measured would turn one.
[[nodiscard]] bool is_measured(const Report& report) noexcept;

/// The whole verdict: every trial that it needs is there and was measured, all gates passed, and
/// the run did not fall behind its baseline.
[[nodiscard]] bool is_ready(const Report& report) noexcept;

/// It lacks nothing but that it can be told from its baseline.
[[nodiscard]] bool is_undecided(const Report& report) noexcept;

/// For a terminal: verdict first, then aligned tables.
struct TextStyle {
    bool color = false;  ///< with ANSI escape sequences
};
[[nodiscard]] std::string to_text(const Report& report, TextStyle style = {});

/// GitHub's Markdown.
[[nodiscard]] std::string to_markdown(const Report& report);

/// One file that needs nothing else: no script, no font, no picture from outside.
[[nodiscard]] std::string to_html(const Report& report);

/// JUnit XML for build servers: a test case for each gate, one for the baseline if there is one,
/// and one for each example of a failed trial, which is reported as skipped: single failures are
/// what the gates weigh. Of a run that could not be measured a case says so, and what failed is an
/// error and no failure.
[[nodiscard]] std::string to_junit(const Report& report);

}  // namespace evalfleet::report
