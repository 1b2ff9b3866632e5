#pragma once

#include "common/job/sample.hpp"
#include "common/job/trial_record.hpp"
#include "common/result/result.hpp"
#include "common/scoring/cost.hpp"
#include "common/scoring/manual_label.hpp"
#include "worker/call/call_outcome.hpp"
#include "worker/call/model_call.hpp"
#include "worker/trial/run_context.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The steps of a trial between its calls, as pure functions: everything that can be decided
/// without a socket. None of them belongs on an I/O thread.
namespace evalfleet::worker {

/// A trial that is ready for its model call.
struct PreparedTrial {
    job::Sample sample;
    job::TrialRecord record;  ///< its identity
    ModelCall call;
    std::size_t prompt_bytes = 0;  ///< of all messages together, for the estimate of tokens
    std::vector<scoring::ManualLabel> labels;  ///< of the sample, if people score the run
};

/// How many bytes at the beginning of each of a sample's `messages` (their number) are the same for
/// all samples of the run: those of its templates before their first placeholder. Pure.
[[nodiscard]] std::vector<std::size_t> constant_bytes(const RunContext& run,
                                                      const job::Sample& sample,
                                                      std::size_t messages);

/// Reads the sample of trial `index` of the run and renders its prompt. `invalid` if the payload is
/// no sample.
[[nodiscard]] Result<PreparedTrial> prepare_trial(const RunContext& run, std::uint64_t index,
                                                  std::string_view payload);

/// The messages of a sample's prompt: the system prompt, then the sample's own chat or the rendered
/// template. A chat that brings a system message keeps its own.
[[nodiscard]] std::vector<job::Message> make_messages(const RunContext& run,
                                                      const job::Sample& sample);

/// What counted tokens cost; a side that nobody counted costs nothing. Nothing if neither is known.
[[nodiscard]] std::optional<double> usage_cost_usd(const scoring::Prices& prices,
                                                   const Usage& usage);

/// How long the model itself took, and who says so.
struct ModelLatency {
    std::optional<double> ms;
    std::optional<job::LatencySource> source;
};

/// What the provider reports, else what `Server-Timing` says, else what the wire shows. A report
/// that is negative, not finite or longer than the whole call is not believed.
[[nodiscard]] ModelLatency choose_latency(const ModelReply& reply, const CallTiming& timing);

/// Enters what the model call gave: answer or error, latency, tokens, cost, format check.
void enter_call(const RunContext& run, PreparedTrial& trial, const CallOutcome& outcome);

/// Scores an answered trial as people did. Without a label for it the evaluator error says so.
void enter_label(PreparedTrial& trial);

/// What a sealed answer belongs to: the trial and the text that stands in its place.
[[nodiscard]] std::string place_of(const job::TrialRecord& record);

/// Derives what follows from the rest, redacts, and writes the record. With a key for originals, an
/// answer that is redacted is kept beside it, sealed.
[[nodiscard]] std::string finish_record(const RunContext& run, job::TrialRecord& record);

/// Replaces and counts keys, secret-shaped strings and, as the run says, personal data in every
/// text of a record that came from outside. What names the trial (sample id, task type, tags) loses
/// secrets only, so that records can still be joined with their data set.
void redact(const RunContext& run, job::TrialRecord& record);

}  // namespace evalfleet::worker
