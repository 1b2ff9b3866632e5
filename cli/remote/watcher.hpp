#pragma once

#include "cli/remote/api.hpp"
#include "cli/remote/event_follower.hpp"
#include "cli/remote/progress.hpp"

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace evalfleet::remote {

/// Who is told what happens to a run that is watched.
struct WatchListener {
    /// The progress, and the event's data as it came.
    std::function<void(const RunProgress&, std::string_view)> on_progress;
    /// The coordinator is away; what it failed with.
    std::function<void(const Error&)> on_absence;
};

/// Follows a run to its end, or to where only a person can help it (`is_stuck`), over as many
/// connections as it takes; its last progress. Cancelled:
/// throws operation_aborted. Errors: as Api, once trying again makes no sense.
[[nodiscard]] boost::asio::awaitable<Result<RunProgress>> watch_run(Api& api, std::string run_id,
                                                                    const WatchListener& listener);

}  // namespace evalfleet::remote
