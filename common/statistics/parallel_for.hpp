#pragma once

#include <cstddef>
#include <functional>

namespace evalfleet::statistics {

/// `threads`, or the machine's number of hardware threads for 0; never more than 64.
[[nodiscard]] unsigned resolve_threads(unsigned threads) noexcept;

/// Calls `body(worker, index)` once for each index below `count`, from `threads` threads (the
/// caller's is one of them) that take the next index when they are free. `worker` is below
/// `threads` and tells their scratch memory apart. Returns when all are done; the first exception
/// of a body ends the work and is thrown here.
void parallel_for(unsigned threads, std::size_t count,
                  const std::function<void(unsigned worker, std::size_t index)>& body);

}  // namespace evalfleet::statistics
