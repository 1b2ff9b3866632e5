#include "coordinator/runs/open_run.hpp"

#include "common/async/heavy_pool.hpp"
#include "common/files/file.hpp"
#include "common/job/sample.hpp"
#include "common/job/trial_index.hpp"
#include "common/json/document.hpp"

#include <utility>

namespace evalfleet::runs {

namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{16} * 1024 * 1024;

std::uint64_t blocking_count_bytes(const store::RunFolder& folder) {
    std::uint64_t bytes = 0;
    for (const std::filesystem::path& file : {folder.log(), folder.dataset(), folder.answers()}) {
        std::error_code code;
        const auto size = std::filesystem::file_size(file, code);
        if (!code) bytes += size;
    }
    return bytes;
}

}  // namespace

Result<RunFiles> RunFiles::blocking_read(const store::RunFolder& folder) {
    const auto phase_name = folder.blocking_read_phase();
    if (!phase_name) return phase_name.error();
    const auto phase = parse_run_phase(*phase_name);
    if (!phase) return Error{ErrorKind::invalid, "its phase on disk is '" + *phase_name + "'"};
    auto note = folder.blocking_read_phase_note();
    if (!note) return note.error();
    const auto since = folder.blocking_phase_time();
    if (!since) return since.error();
    const auto metadata_json = files::blocking_read_file(folder.file("run.json"), kMaxFileBytes);
    if (!metadata_json) return metadata_json.error();
    auto metadata = job::parse_run_metadata(*metadata_json);
    if (!metadata) return metadata.error().within(folder.file("run.json").string());
    auto spec_json = files::blocking_read_file(folder.spec(), kMaxFileBytes);
    if (!spec_json) return spec_json.error();
    auto spec = job::parse_run_spec(*spec_json);
    if (!spec) return spec.error().within(folder.spec().string());
    return RunFiles{std::move(*metadata), std::move(*spec), std::move(*spec_json),       *phase,
                    std::move(*note),     *since,           blocking_count_bytes(folder)};
}

Result<std::unique_ptr<OpenRun>> OpenRun::blocking_open(const store::RunFolder& folder,
                                                        const RunFiles& files,
                                                        Window::Limits limits,
                                                        const std::stop_token& stop) {
    auto dataset = runfile::Dataset::blocking_open(folder.dataset());
    if (!dataset) return dataset.error();
    // Lines with manual labels beside the samples are our own, with a hash of their own.
    const bool is_labelled = files.metadata.evaluator_labels_hash.has_value();
    if (!is_labelled && dataset->sha256() != files.metadata.dataset_hash) {
        return Error{ErrorKind::invalid,
                     folder.dataset().string() + ": was changed after the run was submitted"};
    }
    if (is_labelled)
        if (auto same = folder.blocking_check_copy(folder.dataset()); !same) return same.error();
    const auto repeats = static_cast<std::uint64_t>(files.spec.repeats);
    const std::uint64_t total = dataset->size() * repeats;
    auto open =
        std::make_unique<OpenRun>(std::move(*dataset), total, limits,
                                  Intake::Terms{files.metadata.run_id, repeats, total,
                                                files.metadata.policy, files.spec.redaction.pii});
    open->may_end_early = files.spec.early_stop == job::EarlyStop::gates;
    if (open->may_end_early) {
        const std::uint64_t samples = open->dataset.size();
        open->book.order = reduce::TrialOrder(files.metadata.run_id, samples, repeats);
        open->book.gates.emplace(files.metadata.policy.gates, samples, repeats);
    }
    if (files.spec.rejudged_from) {
        if (auto same = folder.blocking_check_copy(folder.answers()); !same) return same.error();
        auto answers = AnswerBook::blocking_open(folder.answers(), repeats, total, stop);
        if (!answers) return answers.error();
        open->answers = std::move(*answers);
    }
    auto log = store::DurableLog::blocking_open(
        folder.log(), [&](const store::Entry& entry, std::uint64_t offset) {
            async::throw_if_stopped(stop);
            RunBook& book = open->book;
            if (entry.kind == store::EntryKind::reopened) {
                book.gates.reset();  // made anew below, of what is left
                return book.reopen(entry.number);
            }
            // A second record of a trial means that it was tried again, even if damage took the
            // entry that says so.
            if (book.ledger.is_done(entry.number)) {
                book.gates.reset();
                book.reopen(entry.number);
            }
            if (!book.ledger.mark(entry.number, offset)) return;
            book.window.learn(entry.bytes.size());
            if (const auto trial = open->intake.recount(entry.bytes))
                book.enter(entry.number, *trial);
        });
    if (!log) return log.error();
    open->log = std::move(*log);
    open->book.log_damage = open->log.recovery().describe_damage();
    if (open->may_end_early && !open->book.gates)
        open->book.gates = open->blocking_watch_gates(stop);
    // What the source never answered cannot be judged.
    if (open->answers) open->leave_out_unanswered();
    return open;
}

void OpenRun::leave_out_unanswered() {
    book.ledger.exclude_open();
    for (auto index = answers->next(0); index; index = answers->next(*index + 1))
        book.ledger.admit(*index);
}

Result<std::string> OpenRun::blocking_read_payload(std::uint64_t index) const {
    auto sample = dataset.blocking_read_line(job::TrialIndex::of(index, repeats).sample_index);
    if (!sample || !answers) return sample;
    const auto record = answers->blocking_read(index);
    if (!record) return record.error();
    return make_rejudge_payload(*sample, *record);
}

std::optional<reduce::GateWatch> OpenRun::blocking_watch_gates(const std::stop_token& stop) const {
    if (!may_end_early) return std::nullopt;
    Intake reader(intake.terms());
    reduce::GateWatch gates(reader.terms().policy.gates, dataset.size(), repeats);
    const Ledger& ledger = book.ledger;
    for (auto index = ledger.next_done(0); index; index = ledger.next_done(*index + 1)) {
        async::throw_if_stopped(stop);
        const auto record = log.blocking_read(*ledger.offset(*index));
        if (!record) return std::nullopt;
        if (const auto trial = reader.recount(*record))
            gates.add(book.order.position(*index), trial->gate_values);
    }
    return gates;
}

std::optional<job::Sample> OpenRun::blocking_read_sample(std::uint64_t sample_index) const {
    const auto line = dataset.blocking_read_line(sample_index);
    if (!line) return std::nullopt;
    const auto document = json::Document::parse(*line);
    if (!document) return std::nullopt;
    auto sample = job::read_sample(document->root(), sample_index + 1);
    if (!sample) return std::nullopt;
    return std::move(*sample);
}

}  // namespace evalfleet::runs
