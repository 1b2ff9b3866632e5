#pragma once

#include "common/job/fields.hpp"
#include "common/job/generation_fields.hpp"
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

}  // namespace evalfleet::job
