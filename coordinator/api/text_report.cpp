#include "coordinator/api/text_report.hpp"

#include "common/files/file.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "coordinator/reduce/record_file.hpp"
#include "coordinator/reduce/reducer.hpp"
#include "coordinator/report/report.hpp"

#include <array>

namespace evalfleet::api {

namespace {

constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{16} * 1024 * 1024;
constexpr std::size_t kBlockBytes = 1024 * 1024;
constexpr std::size_t kMaxLineBytes = 64 * 1024 * 1024;

Result<report::Findings> blocking_read_findings(const std::filesystem::path& records) {
    const auto file = reduce::RecordFile::open(records);
    if (!file) return file.error();
    report::Findings findings;
    reduce::LineBuffer lines;
    json::Parser parser;
    for (std::uint64_t at = 0; at < file->size(); at += kBlockBytes) {
        const Status filled = lines.fill(*file, at, kBlockBytes, kMaxLineBytes);
        if (!filled) return filled.error();
        while (const auto line = lines.next_line()) {
            const auto value = parser.parse(line->text);
            if (!value) return value.error();
            const auto record = job::read_trial_record(*value);
            if (!record) return record.error();
            findings.add(*record);
        }
    }
    return findings;
}

}  // namespace

Result<std::string> blocking_text_report(const std::filesystem::path& folder) {
    const auto text = files::blocking_read_file(folder / "run.json", kMaxMetadataBytes);
    if (!text) return text.error();
    const auto metadata = job::parse_run_metadata(*text);
    if (!metadata) return metadata.error();
    const std::array records{folder / "records.jsonl"};
    const auto summary =
        reduce::reduce_files(records, metadata->policy, reduce::options_of(*metadata));
    if (!summary) return summary.error();
    const auto findings = blocking_read_findings(records.front());
    if (!findings) return findings.error();
    return report::to_text(
        {*metadata, *summary, *findings, job::blocking_read_baseline_verdict(folder, *metadata)});
}

}  // namespace evalfleet::api
