#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/summary.hpp"
#include "common/job/trial_record.hpp"
#include "coordinator/report/report.hpp"

#include <string>
#include <string_view>
#include <vector>

/// A run as rows of tables: for spreadsheets, data frames and databases. Pure.
namespace evalfleet::report {

/// What every row says of its run, so that those of several runs can lie in one table.
struct RowRun {
    std::string run_id{};
    std::string name{};
    std::string model{};   ///< provider/name@version
    std::string prompt{};  ///< id@version
    bool operator==(const RowRun&) const = default;
};
[[nodiscard]] RowRun row_run_of(const job::RunMetadata& metadata);

/// The records as CSV (RFC 4180). A text that a spreadsheet would execute as a formula gets an
/// apostrophe in front.
[[nodiscard]] std::string csv_header();
[[nodiscard]] std::string csv_row(const job::TrialRecord& record, const RowRun& run,
                                  const TrialTexts& texts = {});

/// What makes a spreadsheet read a file as UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// A JSON line for the whole run and for each of its slices, by task type and by each tag, with
/// their figures side by side.
[[nodiscard]] std::string slice_rows(const job::Summary& summary, const RowRun& run);

/// The tables `trials` (of the CSV), `records` (of records.jsonl) and `slices` as DuckDB creates
/// them: typed, also where a file has nothing but nulls in a column.
[[nodiscard]] std::string duckdb_ddl();

/// Column and type of each of them, for whoever builds on it.
struct SqlColumn {
    std::string_view name;
    std::string_view type;
};
[[nodiscard]] std::vector<SqlColumn> csv_columns();

}  // namespace evalfleet::report
