#pragma once

#include <cstdint>

namespace evalfleet::job {

/// What "good enough" means for a run: the limits, weights and thresholds that turn scores into
/// verdicts. Runs can only be compared under one policy, so the policy in force is stored with the
/// run; with the records it is all that scoring and reducing depend on. `Policy{}` is the Rubric.
struct Policy {
    /// Rubric 3.1. A null never satisfies a comparison.
    struct Pass {
        double min_accuracy = 1;
        double min_faithfulness = 1;
        double max_latency_e2e_ms = 8000;
        double max_total_tokens = 6000;
        bool operator==(const Pass&) const = default;
    };

    /// Rubric 3.3.
    struct Weights {
        double accuracy = 0.45;
        double faithfulness = 0.30;
        double latency = 0.15;
        double token_efficiency = 0.10;
        bool operator==(const Weights&) const = default;
    };

    /// Rubric 3.2: up to these values a component keeps its full score.
    struct Norms {
        double latency_ref_ms = 3000;
        double tokens_ref = 2000;
        bool operator==(const Norms&) const = default;
    };

    /// Rubric 3.4.
    struct Gates {
        double min_aggregate_score = 0.80;
        double min_pass_rate = 0.85;
        double max_faithfulness_failure_rate = 0.05;
        double max_latency_e2e_p95_ms = 10000;
        bool operator==(const Gates&) const = default;
    };

    struct Bootstrap {
        std::uint32_t replicates = 2000;
        std::uint64_t seed = 42;
        bool operator==(const Bootstrap&) const = default;
    };

    Pass pass;
    Weights weights;
    Norms norms;
    Gates gates;
    Bootstrap bootstrap;

    bool operator==(const Policy&) const = default;
};

}  // namespace evalfleet::job
