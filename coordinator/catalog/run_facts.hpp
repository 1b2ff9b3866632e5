#pragma once

#include "common/job/measured.hpp"
#include "common/job/run_labels.hpp"
#include "common/result/result.hpp"
#include "coordinator/runs/run_phase.hpp"
#include "coordinator/store/run_folder.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::catalog {

/// Nothing changes any more. A run that failed may be taken up again.
[[nodiscard]] constexpr bool is_final(runs::RunPhase phase) noexcept {
    return phase == runs::RunPhase::done || phase == runs::RunPhase::cancelled;
}

/// A gate of a run that is over, as its summary has it.
struct GateFigure {
    std::optional<double> observed{};
    std::optional<double> lower{};  ///< of the 95 % interval
    std::optional<double> upper{};
    double threshold = 0;
    bool passed = false;
};

/// What came of a run that is over.
struct RunOutcome {
    std::uint64_t done = 0;
    std::uint64_t passed = 0;
    std::uint64_t errors = 0;
    bool release_ready = false;
    bool is_undecided =
        false;  ///< it would be, but it cannot be told whether its baseline is better
    job::Measured measured = job::Measured::complete;
    double elapsed_s = 0;               ///< from its submission to its last file
    std::string ended_at{};             ///< ISO 8601
    std::optional<double> cost_usd{};   ///< of model and judge
    std::array<GateFigure, 4> gates{};  ///< in the order of job::kGates
};

/// What lists show of a run without asking whoever keeps it: its metadata in short, its phase as it
/// was last seen on the disk, and its outcome.
struct RunFacts {
    std::string run_id;
    std::string name;
    std::optional<std::string> description{};
    job::RunLabels run_labels{};
    std::optional<std::string> group_id;
    std::string submitted_at;
    std::string model;
    std::string prompt;
    std::optional<std::string> judge;
    std::optional<std::string> dataset_id;
    std::string dataset_hash;
    std::optional<std::string> submitted_by{};  ///< the name of the caller's token
    std::uint64_t total = 0;
    runs::RunPhase phase = runs::RunPhase::queued;
    std::string note;  ///< why it is in that phase; empty: nothing was said
    std::uint64_t model_versions =
        0;  ///< or builds of it that the provider reported, once it is over
    std::optional<RunOutcome> outcome;
};

/// Where the name of who handed a run in stands, if it is known.
[[nodiscard]] std::filesystem::path submitter_file(const store::RunFolder& folder);

/// Reads `run.json` and the phase of a run's folder. Blocks.
[[nodiscard]] Result<RunFacts> blocking_read_facts(const store::RunFolder& folder);

/// The phase alone; `failed` if it makes no sense. Blocks.
[[nodiscard]] runs::RunPhase blocking_read_phase(const store::RunFolder& folder);

/// Reads what came of a run from its summary; nothing if it has none. Blocks.
[[nodiscard]] std::optional<RunOutcome> blocking_read_outcome(const store::RunFolder& folder,
                                                              const std::string& submitted_at);

}  // namespace evalfleet::catalog
