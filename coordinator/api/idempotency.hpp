#pragma once

#include "common/result/result.hpp"
#include "coordinator/api/route_table.hpp"
#include "coordinator/runs/run_registry.hpp"

#include <optional>
#include <string_view>

namespace evalfleet::api {

/// What the `Idempotency-Key` of a call makes of it: none without a key. A key belongs to whoever
/// used it, and stands for one body sent to one path. `invalid` for a key that is none. Pure.
[[nodiscard]] Result<std::optional<runs::SubmissionKey>> read_key(const Call& call,
                                                                  std::string_view body);

/// The reply to whoever asked for runs: which there are now. 201, or 200 if an earlier call made
/// them.
[[nodiscard]] http::Reply submitted_reply(const runs::Submitted& submitted);

/// How the header is described.
[[nodiscard]] Parameter key_parameter();

}  // namespace evalfleet::api
