#pragma once

#include "common/async/blocking_pool.hpp"
#include "common/async/heavy_pool.hpp"
#include "common/result/result.hpp"
#include "coordinator/runs/open_run.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>

namespace evalfleet::runs {

/// Opens the trials of a run that could not be measured again: their records are void, durably,
/// before they go out once more, so that whatever dies leaves one record a trial. What they cost
/// stays spent. Returns how many. `open` must live until it returns. Errors: those of the log;
/// nothing was changed then.
[[nodiscard]] boost::asio::awaitable<Result<std::uint64_t>> reopen_unmeasured(
    OpenRun& open, async::BlockingPool& durable, async::HeavyPool& heavy);

}  // namespace evalfleet::runs
