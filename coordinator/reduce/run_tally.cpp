#include "coordinator/reduce/run_tally.hpp"

#include <iterator>

namespace evalfleet::reduce {

void NameCounts::add(std::string_view name, std::uint64_t count) {
    if (const auto known = counts_.find(name); known != counts_.end()) {
        known->second += count;
        return;
    }
    counts_.emplace(name, count);
    if (counts_.size() <= kMost) return;
    const auto last = std::prev(counts_.end());
    others_ += last->second;
    counts_.erase(last);
}

void NameCounts::merge(const NameCounts& other) {
    others_ += other.others_;
    for (const auto& [name, count] : other.counts_)
        add(name, count);
}

void RunTally::count_version(std::string_view model_reported) {
    versions_.add(model_reported.substr(0, kMaxNameBytes));
}

void RunTally::count_fingerprint(std::string_view system_fingerprint) {
    fingerprints_.add(system_fingerprint.substr(0, kMaxNameBytes));
}

void RunTally::count_redactions(std::string_view kind, std::uint64_t count) {
    redactions_.add(kind.substr(0, kMaxNameBytes), count);
}

void RunTally::count_unmeasured(std::string_view reason) {
    unmeasured_.add(reason.substr(0, kMaxNameBytes));
    ++unmeasured_count_;
}

void RunTally::count_timing(double latency_ms, double error_bound_ms) noexcept {
    ++timing_.measured;
    timing_.under_1_ms += error_bound_ms < 1 ? 1 : 0;
    timing_.under_1_percent += error_bound_ms < latency_ms / 100 ? 1 : 0;
}

void RunTally::merge(const RunTally& other) {
    versions_.merge(other.versions_);
    fingerprints_.merge(other.fingerprints_);
    redactions_.merge(other.redactions_);
    unmeasured_.merge(other.unmeasured_);
    unmeasured_count_ += other.unmeasured_count_;
    unscored_count_ += other.unscored_count_;
    timing_.measured += other.timing_.measured;
    timing_.under_1_ms += other.timing_.under_1_ms;
    timing_.under_1_percent += other.timing_.under_1_percent;
    latency_.merge(other.latency_);
    hallucination_.merge(other.hallucination_);
    error_kinds_.merge(other.error_kinds_);
    evaluator_errors_.merge(other.evaluator_errors_);
    token_limit_ += other.token_limit_;
    for (std::size_t i = 0; i < others_.size(); ++i)
        others_[i] += other.others_[i];
    cost_.merge(other.cost_);
    evaluator_cost_.merge(other.evaluator_cost_);
}

void RunTally::fill(job::Extra& extra) const {
    extra.model_versions_reported = {versions_.counts().begin(), versions_.counts().end()};
    extra.model_versions_other_count = versions_.others();
    extra.system_fingerprints_reported = {fingerprints_.counts().begin(),
                                          fingerprints_.counts().end()};
    extra.system_fingerprints_other_count = fingerprints_.others();
    extra.redactions = {redactions_.counts().begin(), redactions_.counts().end()};
    extra.unmeasured_by_reason = {unmeasured_.counts().begin(), unmeasured_.counts().end()};
    extra.unmeasured_count = unmeasured_count_;
    extra.unscored_count = unscored_count_;
    extra.timing = timing_;
    extra.latency_model_sources = {latency_.all(), latency_.none()};
    extra.hallucination_sources = {hallucination_.all(), hallucination_.none()};
    extra.cost_usd = cost_.total();
    extra.evaluator_cost_usd = evaluator_cost_.total();
}

void RunTally::fill(job::Outcomes& outcomes) const {
    outcomes.error_kinds = error_kinds_.found();
    outcomes.evaluator_errors = evaluator_errors_.found();
    outcomes.token_limit_count = token_limit_;
    outcomes.other_reasons = others_;
}

}  // namespace evalfleet::reduce
