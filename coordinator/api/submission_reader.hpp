#pragma once

#include "common/job/run_spec.hpp"
#include "common/runfile/fault.hpp"
#include "coordinator/api/services.hpp"

#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::api {

/// The operator's providers by name, as the file says now; none if there is no file. Blocks.
[[nodiscard]] Result<std::vector<std::string>> blocking_provider_names(const Services& services);

/// Reads a submitted run file and checks all that can be said of it: shape, providers, data set.
/// The data set's path in the result is that of a real file, of which every line was checked, now
/// or when it was uploaded. Blocks, for about a second for a million samples.
///
/// The outer error is ours: a providers file or a store that cannot be read.
[[nodiscard]] Result<boost::system::result<job::RunSpec, runfile::FaultList>>
blocking_read_submission(Services& services, std::string_view text, bool is_json);

}  // namespace evalfleet::api
