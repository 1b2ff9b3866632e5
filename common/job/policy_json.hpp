#pragma once

#include "common/job/fields.hpp"
#include "common/job/policy.hpp"
#include "common/result/result.hpp"

#include <span>
#include <string>
#include <string_view>

namespace evalfleet::job {

/// Reads a policy; every part that is absent keeps the Rubric's value. An unknown key is an error
/// that names it and the nearest allowed one: a misspelt gate that is silently not applied would
/// let a bad model through. Values out of range are errors too.
[[nodiscard]] Result<Policy> parse_policy(std::string_view json);
[[nodiscard]] Result<Policy> read_policy(json::Value value);

/// Appends the whole policy, defaults included.
void write(json::Writer& writer, const Policy& policy);

/// The sha256, in hex, of the whole policy as JSON, defaults included: equal policies have equal
/// hashes, however much of them was spelled out.
[[nodiscard]] std::string hash_of(const Policy& policy);

template <>
struct FieldTable<Policy> {
    static std::span<const Field<Policy>> fields();
};

}  // namespace evalfleet::job
