#pragma once

#include "common/job/run_metadata.hpp"
#include "common/job/run_spec.hpp"
#include "common/queue/run_queue.hpp"
#include "common/runfile/dataset.hpp"
#include "coordinator/runs/answer_book.hpp"
#include "coordinator/runs/intake.hpp"
#include "coordinator/runs/run_book.hpp"
#include "coordinator/store/durable_log.hpp"
#include "coordinator/store/run_folder.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace evalfleet::runs {

/// What a run's folder says of it.
struct RunFiles {
    job::RunMetadata metadata;
    job::RunSpec spec;
    std::string spec_json;
    RunPhase phase = RunPhase::queued;
    std::string phase_note;  ///< why it is in that phase; empty: nothing was said
    std::chrono::system_clock::time_point phase_since{};
    std::uint64_t bytes = 0;  ///< of its log, data set and answers: what is read to open it

    [[nodiscard]] static Result<RunFiles> blocking_read(const store::RunFolder& folder);
};

/// What exists while a run is worked on: its data set, its log, and what is known from them.
struct OpenRun {
    /// Reads the log and begins a new epoch in it. `transient` if another process holds the log, or
    /// the disk is full: it may work later. Throws operation_aborted if it is to stop.
    [[nodiscard]] static Result<std::unique_ptr<OpenRun>> blocking_open(
        const store::RunFolder& folder, const RunFiles& files, Window::Limits limits,
        const std::stop_token& stop = {});

    OpenRun(runfile::Dataset dataset_, std::uint64_t total, Window::Limits limits,
            Intake::Terms terms)
        : dataset(std::move(dataset_)),
          repeats(terms.repeats),
          book(total, limits, repeats),
          intake(std::move(terms)) {}

    /// What a worker needs for a trial: its sample, or what is to be judged anew.
    [[nodiscard]] Result<std::string> blocking_read_payload(std::uint64_t index) const;

    /// The watch over the gates as the records in the log make it; none for a run that does not end
    /// early, or if one cannot be read.
    [[nodiscard]] std::optional<reduce::GateWatch> blocking_watch_gates(
        const std::stop_token& stop = {}) const;

    /// None if it cannot be read any more.
    [[nodiscard]] std::optional<job::Sample> blocking_read_sample(std::uint64_t sample_index) const;

    runfile::Dataset dataset;
    std::uint64_t repeats = 1;
    bool may_end_early = false;         ///< once the verdict of its gates is certain
    std::optional<AnswerBook> answers;  ///< of a run that judges stored answers
    RunBook book;
    Intake intake;
    store::DurableLog log;
    std::optional<queue::RunQueue> queue;

  private:
    void leave_out_unanswered();
};

}  // namespace evalfleet::runs
