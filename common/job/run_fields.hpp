#pragma once

#include "common/job/fields.hpp"
#include "common/job/policy_json.hpp"
#include "common/job/run_spec.hpp"

#include <array>

/// The tables that a run file and a run's metadata share.
namespace evalfleet::job {

template <>
struct FieldTable<ModelRef> {
    static constexpr std::array table{
        field<&ModelRef::provider, NotEmpty>("provider", Presence::required),
        field<&ModelRef::name, NotEmpty>("name", Presence::required),
        field<&ModelRef::version>("version"),
    };
    static std::span<const Field<ModelRef>> fields() { return table; }
};

template <>
struct FieldTable<GenerationParams> {
    using Params = GenerationParams;
    static constexpr std::array table{
        field<&Params::temperature, InRange<0.0, 2.0>>("temperature"),
        field<&Params::top_p, InRange<0.0, 1.0>>("top_p"),
        field<&Params::max_tokens, InRange<1.0, 1e7>>("max_tokens"),
        field<&Params::seed>("seed"),
    };
    static std::span<const Field<Params>> fields() { return table; }
};

}  // namespace evalfleet::job
