#include "coordinator/reduce/early_stop.hpp"

#include <fmt/format.h>

#include <array>

namespace evalfleet::reduce {

namespace {

using Verdict = GateWatch::Verdict;

const std::string kNotEnded = "the run is not ended early: ";

}  // namespace

bool EarlyStop::wants_summary(const GateWatch& gates) {
    if (gates.verdict() == Verdict::open || gates.is_settled()) {
        note_.clear();
    } else if (gates.count_samples() < kFewestSamples) {
        return false;
    } else if (const auto drift = drift_note(gates)) {
        // Said once, with the figures of that moment: they change with every sample.
        if (note_.empty()) note_ = kNotEnded + *drift;
        return false;
    }
    return gates.verdict() != Verdict::open && gates.count_samples() >= next_look_;
}

bool EarlyStop::may_end(const GateWatch& gates, const job::Summary& summary) {
    note_.clear();
    // What was under way when the end was begun may have moved the figures.
    const auto drift = gates.is_settled() ? std::nullopt : drift_note(gates);
    if (drift) {
        note_ = kNotEnded + *drift;
        return false;
    }
    if (agrees(gates, summary)) return true;
    note_ = fmt::format(
        "the run is not ended early: its gates are certain after {} samples, but the summary of "
        "what is there does not say so yet",
        gates.count_samples());
    next_look_ = gates.count_samples() + gates.count_samples() / 10 + 1;
    return false;
}

bool agrees(const GateWatch& gates, const job::Summary& summary) {
    const Verdict verdict = gates.verdict();
    if (verdict == Verdict::open || summary.extra.could_measure != job::Measured::complete)
        return false;
    const bool passed = verdict == Verdict::pass;
    for (std::size_t i = 0; i < job::kGates.size(); ++i) {
        // What fails the run is enough; of the others nothing was decided.
        if (gates.verdict_of(i) != verdict) continue;
        const job::Gate& gate = summary.gates.*job::kGates[i].gate;
        if (gate.passed != passed || !is_decided(gate, summary.extra.gate_decisions[i]))
            return false;
    }
    return summary.release_ready == passed;
}

std::optional<std::string> drift_note(const GateWatch& gates) {
    constexpr std::array kNames{"aggregate score", "pass rate", "share of faithful answers",
                                "share of trials within the latency limit"};
    static_assert(kNames.size() == job::kGates.size());
    const auto drift = gates.find_drift();
    if (!drift) return std::nullopt;
    return fmt::format(
        "the {} moved from {:.3f} in the first third of the samples to {:.3f} in the last",
        kNames[drift->gate], drift->first, drift->last);
}

}  // namespace evalfleet::reduce
