#include "cli/remote_report.hpp"

#include "cli/remote/run_name.hpp"
#include "cli/remote_group.hpp"
#include "cli/remote_texts.hpp"
#include "common/job/run_metadata.hpp"
#include "common/job/trial_record_json.hpp"
#include "common/json/document.hpp"
#include "coordinator/report/rows.hpp"

#include <string_view>
#include <utility>

namespace evalfleet::cli {

namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{64} * 1024 * 1024;

std::string_view file_of(ReportFormat format) {
    switch (format) {
        case ReportFormat::json:
            return "summary";
        case ReportFormat::markdown:
            return "report.md";
        case ReportFormat::html:
            return "report.html";
        case ReportFormat::junit:
            return "junit.xml";
        case ReportFormat::slices:
            return "slices.jsonl";
        case ReportFormat::text:
        case ReportFormat::parquet:  // is refused
        case ReportFormat::csv:      // is written here, from the records
            break;
    }
    return "report.txt";
}

// Turns records, which come in pieces of any size, into rows.
class CsvWriter {
  public:
    CsvWriter(Output& out, report::RowRun run, RemoteTexts texts)
        : out_(out), run_(std::move(run)), texts_(std::move(texts)) {}

    [[nodiscard]] Status take(std::string_view piece) {
        rest_ += piece;
        std::size_t begin = 0;
        for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
            const Status written = write_row(std::string_view(rest_).substr(begin, end - begin));
            if (!written) return written;
            begin = end + 1;
        }
        rest_.erase(0, begin);
        if (rest_.size() <= kMaxLineBytes) return {};
        return Error{ErrorKind::too_large, "the coordinator sent a record of more than 64 MiB"};
    }

  private:
    Status write_row(std::string_view line) {
        const auto value = parser_.parse(line);
        if (!value) return value.error();
        const auto record = job::read_trial_record(*value);
        if (!record) return record.error();
        const auto texts = texts_.blocking_texts(record->sample_index);
        if (!texts) return texts.error();
        return out_.write(report::csv_row(*record, run_, *texts));
    }

    Output& out_;
    report::RowRun run_;
    RemoteTexts texts_;
    json::Parser parser_;
    std::string rest_;
};

}  // namespace

Status blocking_fetch_report(remote::Session& session, const std::string& run_id,
                             ReportFormat format, Output& out) {
    const std::string path = "/runs/" + remote::encode(run_id) + "/" + std::string(file_of(format));
    return session.blocking_download(path,
                                     [&out](std::string_view part) { return out.write(part); });
}

namespace {

Status blocking_fetch_csv(remote::Session& session, const std::string& run_id,
                          const ReportOptions& options, Output& out) {
    auto beside = remote::Session::blocking_open(options.connection);
    if (!beside) return beside.error();
    const auto text =
        beside->blocking_call({.path = "/runs/" + remote::encode(run_id) + "/metadata"});
    if (!text) return text.error();
    const auto metadata = job::parse_run_metadata(*text);
    if (!metadata) return metadata.error();
    if (options.byte_order_mark) {
        if (Status written = out.write(report::kByteOrderMark); !written) return written;
    }
    if (Status written = out.write(report::csv_header()); !written) return written;
    CsvWriter rows(out, report::row_run_of(*metadata), RemoteTexts(std::move(*beside), run_id));
    return session.blocking_download("/runs/" + remote::encode(run_id) + "/records.jsonl",
                                     [&rows](std::string_view part) { return rows.take(part); });
}

}  // namespace

namespace {

Result<ExitCode> blocking_report_group(remote::Session& session, const std::string& group,
                                       const ReportOptions& options) {
    auto out = Output::open(options.out);
    if (!out) return out.error();
    const bool is_json = options.format == ReportFormat::json;
    const Status fetched =
        is_json ? out->write(group + '\n')
                : blocking_fetch_group_report(session, options.run, options.format, *out);
    if (!fetched) return fetched.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    return verdict_of_group(group);
}

}  // namespace

Result<ExitCode> blocking_report_remote(const ReportOptions& options) {
    auto session = remote::Session::blocking_open(options.connection);
    if (!session) return session.error();
    const auto group = blocking_find_group(*session, options.run);
    if (!group) return group.error();
    if (*group) return blocking_report_group(*session, **group, options);
    const auto id = remote::blocking_find_run(*session, options.run);
    if (!id) return id.error();
    const auto run = session->blocking_call({.path = "/runs/" + remote::encode(*id)});
    if (!run) return run.error();
    const auto document = json::Document::parse(*run);
    if (!document) return document.error();
    const auto ready = document->root().optional<bool>("release_ready");
    const auto measured = document->root().optional<std::string>("measured");
    const auto undecided = document->root().get_or<bool>("undecided", false);
    if (!ready) return ready.error();
    if (!undecided) return undecided.error();
    if (!measured) return measured.error();
    auto out = Output::open(options.out);
    if (!out) return out.error();
    const bool is_csv = options.format == ReportFormat::csv;
    const Status fetched = is_csv ? blocking_fetch_csv(*session, *id, options, *out)
                                  : blocking_fetch_report(*session, *id, options.format, *out);
    if (!fetched) return fetched.error();
    if (Status finished = out->finish(); !finished) return finished.error();
    if (measured->value_or("complete") != "complete") return ExitCode::unfinished;
    if (*undecided) return ExitCode::unfinished;
    return ready->value_or(false) ? ExitCode::done : ExitCode::failed;
}

}  // namespace evalfleet::cli
