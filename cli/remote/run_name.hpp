#pragma once

#include "cli/remote/session.hpp"
#include "common/result/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::remote {

/// The id of the run that somebody means: an id, the beginning of exactly one, `@last` (the newest
/// run) or `@last:NAME` (the newest of that name). `not_found` if there is none, `invalid` if
/// several begin so.
[[nodiscard]] Result<std::string> blocking_find_run(Session& session, const std::string& said);

/// The id among `ids` that begins with `said`; errors as above. Pure.
[[nodiscard]] Result<std::string> choose_run(std::string_view said,
                                             const std::vector<std::string>& ids);

}  // namespace evalfleet::remote
