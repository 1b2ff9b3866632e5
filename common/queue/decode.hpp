#pragma once

#include "common/queue/types.hpp"
#include "common/redis/reply.hpp"
#include "common/result/result.hpp"

#include <string_view>
#include <vector>

namespace evalfleet::queue {

/// Replies of the functions as values. What Redis holds is not trusted: a reply of another shape is
/// an `invalid` error, never a crash.
[[nodiscard]] Result<Taken> decode_taken(const redis::Reply& reply);
[[nodiscard]] Result<std::vector<Beat>> decode_beats(const redis::Reply& reply,
                                                     std::size_t expected);
[[nodiscard]] Result<std::vector<Delivery>> decode_deliveries(const redis::Reply& reply,
                                                              std::size_t expected);
[[nodiscard]] Result<Failure> decode_failure(const redis::Reply& reply);
[[nodiscard]] Result<Enqueued> decode_enqueued(const redis::Reply& reply);
/// How many jobs waited when the state changed; 0 if the functions, before version 5, do not say.
[[nodiscard]] Result<std::uint64_t> decode_waiting(const redis::Reply& reply);
[[nodiscard]] Result<Reaped> decode_reaped(const redis::Reply& reply);
[[nodiscard]] Result<PoolStats> decode_stats(const redis::Reply& reply);

/// The items behind the word OK. NORUN is `not_found` (the run is to be owned again), FENCED and
/// DONE are `lease_lost`, STATE is `denied`.
[[nodiscard]] Result<std::vector<redis::Reply>> decode_owned(const redis::Reply& reply);

/// The answer to XREAD of one result stream; nil is no entries. An entry that is not one of ours is
/// given with kind `dead` and an index beyond any run's, so that it is acknowledged and goes away.
[[nodiscard]] Result<std::vector<RunResult>> decode_stream(const redis::Reply& reply);
inline constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};

/// A decimal number without sign; none if it is anything else.
[[nodiscard]] std::optional<std::uint64_t> parse_index(std::string_view text) noexcept;

}  // namespace evalfleet::queue
