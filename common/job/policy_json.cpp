#include "common/job/policy_json.hpp"

#include "common/job/sha256.hpp"
#include "common/json/document.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace evalfleet::job {

using Rate = InRange<0.0, 1.0>;
using Score = InRange<0.0, 2.0>;
using Replicates = InRange<0.0, 1e6>;

template <>
struct FieldTable<Policy::Pass> {
    using P = Policy::Pass;
    static constexpr std::array table{
        field<&P::min_accuracy, Score>("min_accuracy"),
        field<&P::min_faithfulness, Score>("min_faithfulness"),
        field<&P::max_latency_e2e_ms, NotNegative>("max_latency_e2e_ms"),
        field<&P::max_total_tokens, NotNegative>("max_total_tokens"),
    };
    static std::span<const Field<P>> fields() { return table; }
};

template <>
struct FieldTable<Policy::Weights> {
    using W = Policy::Weights;
    static constexpr std::array table{
        field<&W::accuracy, NotNegative>("accuracy"),
        field<&W::faithfulness, NotNegative>("faithfulness"),
        field<&W::latency, NotNegative>("latency"),
        field<&W::token_efficiency, NotNegative>("token_efficiency"),
    };
    static std::span<const Field<W>> fields() { return table; }
};

template <>
struct FieldTable<Policy::Norms> {
    using N = Policy::Norms;
    static constexpr std::array table{
        field<&N::latency_ref_ms, Positive>("latency_ref_ms"),
        field<&N::tokens_ref, Positive>("tokens_ref"),
    };
    static std::span<const Field<N>> fields() { return table; }
};

template <>
struct FieldTable<Policy::Gates> {
    using G = Policy::Gates;
    static constexpr std::array table{
        field<&G::min_aggregate_score, Rate>("min_aggregate_score"),
        field<&G::min_pass_rate, Rate>("min_pass_rate"),
        field<&G::max_faithfulness_failure_rate, Rate>("max_faithfulness_failure_rate"),
        field<&G::max_latency_e2e_p95_ms, NotNegative>("max_latency_e2e_p95_ms"),
    };
    static std::span<const Field<G>> fields() { return table; }
};

template <>
struct FieldTable<Policy::Bootstrap> {
    using B = Policy::Bootstrap;
    static constexpr std::array table{
        field<&B::replicates, Replicates>("replicates"),
        field<&B::seed>("seed"),
    };
    static std::span<const Field<B>> fields() { return table; }
};

namespace {

// Scores lie from 0 to 1 only then, which thresholds, intervals and early ends rely on.
struct AddUpToOne {
    static Status check(json::Value value, const Policy::Weights& weights) {
        constexpr double kRounding = 1e-9;
        const double sum =
            weights.accuracy + weights.faithfulness + weights.latency + weights.token_efficiency;
        if (std::abs(sum - 1) <= kRounding) return {};
        return value.error(fmt::format(
            "expected weights that add up to 1, found accuracy {} + faithfulness {} + latency {} + "
            "token_efficiency {} = {:.10g} (one that is left out keeps the Rubric's value)",
            weights.accuracy, weights.faithfulness, weights.latency, weights.token_efficiency,
            sum));
    }
};

}  // namespace

std::span<const Field<Policy>> FieldTable<Policy>::fields() {
    static constexpr std::array table{
        field<&Policy::pass>("pass"),           field<&Policy::weights, AddUpToOne>("weights"),
        field<&Policy::norms>("norms"),         field<&Policy::gates>("gates"),
        field<&Policy::bootstrap>("bootstrap"),
    };
    return table;
}

Result<Policy> read_policy(json::Value value) {
    Policy policy;
    if (auto read = read_object(value, policy, Strictness::strict); !read) return read.error();
    return policy;
}

Result<Policy> parse_policy(std::string_view json) {
    const auto document = json::Document::parse(json);
    if (!document) return document.error();
    return read_policy(document->root());
}

void write(json::Writer& writer, const Policy& policy) {
    write_object(writer, policy);
}

std::string hash_of(const Policy& policy) {
    std::string text;
    json::Writer writer(text);
    write(writer, policy);
    Sha256 hash;
    hash.add(text);
    return hash.hex();
}

}  // namespace evalfleet::job
