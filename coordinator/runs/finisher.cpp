#include "coordinator/runs/finisher.hpp"

#include "common/async/heavy_pool.hpp"
#include "common/files/atomic_file.hpp"
#include "common/job/manifest.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "common/runfile/shown_samples.hpp"
#include "coordinator/records/trial_shelf.hpp"
#include "coordinator/reduce/reducer.hpp"
#include "coordinator/report/findings.hpp"
#include "coordinator/report/report.hpp"
#include "coordinator/report/rows.hpp"
#include "coordinator/runs/reported_facts.hpp"

#include <array>
#include <utility>
#include <vector>

namespace evalfleet::runs {

namespace {

// What was seen of the records on their way to their file.
struct CopiedRecords {
    report::Findings findings;
    ReportedFacts facts;
};

// Copies records from the log to their file and gathers what reports and metadata tell of them.
class RecordCopier {
  public:
    RecordCopier(const store::DurableLog& log, files::AtomicFile& out) : log_(log), out_(out) {}

    Status blocking_copy(std::uint64_t offset) {
        auto line = log_.blocking_read(offset);
        if (!line) return line.error();
        const auto root = parser_.parse(*line);
        if (!root) return root.error();
        const auto record = job::read_trial_record(*root);
        if (!record) return record.error();
        findings_.add(*record);
        facts_.add(*record);
        line->push_back('\n');
        return out_.blocking_append(*line);
    }

    [[nodiscard]] CopiedRecords take() { return {std::move(findings_), std::move(facts_)}; }

  private:
    const store::DurableLog& log_;
    files::AtomicFile& out_;
    // Its records were checked when they came, and written by us.
    json::Parser parser_{{.reject_duplicate_keys = false}};
    report::Findings findings_;
    ReportedFacts facts_;
};

Result<CopiedRecords> blocking_write_records(const std::filesystem::path& file,
                                             const store::DurableLog& log, const RunBook& book,
                                             const std::stop_token& stop) {
    auto out = files::AtomicFile::blocking_create(file);
    if (!out) return out.error();
    RecordCopier copier(log, *out);
    const Ledger& ledger = book.ledger;
    for (auto index = ledger.next_done(0); index; index = ledger.next_done(*index + 1)) {
        async::throw_if_stopped(stop);
        const auto copied = copier.blocking_copy(*ledger.offset(*index));
        if (!copied) return copied.error();
    }
    for (const std::uint64_t offset : book.repeated_offsets)
        if (auto copied = copier.blocking_copy(offset); !copied) return copied.error();
    if (auto committed = out->blocking_commit(); !committed) return committed.error();
    return copier.take();
}

void complete(job::RunMetadata& metadata, const ReportedFacts& facts, const RunBook& book) {
    facts.enter(metadata);
    if (book.gates) metadata.early_stop_note = reduce::drift_note(*book.gates);
    if (!book.has_ended_early) return;
    const std::int64_t calls_a_trial = metadata.evaluator_model ? 2 : 1;
    const std::uint64_t left_out = book.ledger.total() - book.ledger.count_done();
    metadata.saved_calls =
        calls_a_trial * static_cast<std::int64_t>(book.spared.value_or(left_out));
}

// It names what a user finds in the folder, and nothing that a killed process left there.
Status blocking_write_manifest(const store::RunFolder& folder) {
    if (auto tidied = folder.blocking_remove_parts(); !tidied) return tidied;
    // An old one would be listed in the new one.
    std::error_code ignored;
    std::filesystem::remove(folder.file(job::kManifestName), ignored);
    const auto manifest = job::blocking_make_manifest(folder.path());
    if (!manifest) return manifest.error();
    return files::blocking_write_atomically(folder.file(job::kManifestName),
                                            job::to_json(*manifest));
}

// The files in the order of writing; the manifest is apart, since it is about them.
std::vector<std::pair<std::string, std::string>> render_files(const report::Report& report) {
    return {
        {"run.json", job::to_json(report.metadata)},
        {"summary.json", job::to_json(report.summary)},
        {"slices.jsonl", report::slice_rows(report.summary, report::row_run_of(report.metadata))},
        {"report.md", report::to_markdown(report)},
        {"report.html", report::to_html(report)},
        {"junit.xml", report::to_junit(report)}};
}

using Contents = std::vector<std::pair<std::string, std::string>>;

// Puts a section at the end of the reports that people read.
void add_section(Contents& contents, const std::string& markdown, const std::string& html) {
    constexpr std::string_view kEndOfPage = "<footer>";
    for (auto& [name, content] : contents) {
        if (name == "report.md") content += markdown;
        if (name != "report.html") continue;
        const std::size_t place = content.rfind(kEndOfPage);
        if (place != std::string::npos) content.insert(place, html);
    }
}

void add_regression(Contents& contents, const RegressionCheck& check) {
    add_section(contents, to_markdown(check), to_html(check));
    contents.emplace_back(job::kRegressionName, to_json(check));
}

}  // namespace

Result<job::Summary> blocking_summarise(const store::RunFolder& folder,
                                        const store::DurableLog& log, const RunBook& book,
                                        const job::RunMetadata& metadata,
                                        const std::stop_token& stop) {
    const std::array records{folder.records_so_far()};
    const auto copied = blocking_write_records(records.front(), log, book, stop);
    if (!copied) return copied.error();
    // Of what is there, as if that were all: whether the run may do without the rest is the
    // question.
    reduce::ReduceOptions options = reduce::options_of(metadata);
    options.expected_trials.reset();
    auto summary = reduce::reduce_files(records, metadata.policy, options);
    std::error_code ignored;
    std::filesystem::remove(records.front(), ignored);
    return summary;
}

Result<FinishedRun> blocking_finish(const store::RunFolder& folder, const store::DurableLog& log,
                                    const RunBook& book, job::RunMetadata metadata,
                                    const std::stop_token& stop) {
    const auto copied = blocking_write_records(folder.file("records.jsonl"), log, book, stop);
    if (!copied) return copied.error();
    complete(metadata, copied->facts, book);
    const std::array records{folder.file("records.jsonl")};
    reduce::ReduceOptions options = reduce::options_of(metadata);
    options.expected_trials = book.ledger.total();
    auto summary = reduce::reduce_files(records, metadata.policy, options);
    if (!summary) return summary.error();
    // The comparison reads run.json as well.
    const auto described =
        files::blocking_write_atomically(folder.file("run.json"), job::to_json(metadata));
    if (!described) return described.error();
    auto regression = blocking_check_regression(folder, metadata);
    report::Report report{metadata, *summary, copied->findings};
    report.samples = runfile::blocking_read_shown_samples(
        folder.dataset(), {}, copied->findings.example_samples(), metadata.redaction_pii);
    if (regression)
        report.baseline = job::BaselineVerdict{regression->passed(), regression->verdict(),
                                               regression->is_known()};
    auto contents = render_files(report);
    if (regression) add_regression(contents, *regression);
    for (const auto& [name, content] : contents) {
        const auto written = files::blocking_write_atomically(folder.file(name), content);
        if (!written) return written.error();
    }
    if (const auto written = blocking_write_manifest(folder); !written) return written.error();
    // So that nobody who looks at its trials waits for that. They are there without it.
    (void)records::TrialTable::blocking_open(records.front(), records::table_file_of(folder), stop);
    return FinishedRun{std::move(*summary), std::move(regression)};
}

}  // namespace evalfleet::runs
