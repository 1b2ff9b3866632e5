#pragma once

#include "common/async/clock.hpp"
#include "common/redis/multiplexer.hpp"
#include "common/redis/reply.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::redis {

/// How a call ended.
struct CallOutcome {
    Result<std::vector<Reply>> replies;
    bool is_aborted = false;  ///< by its own caller, who is owed an exception
};

/// Somebody who waits for replies, on an executor of his own. The switchboard knows him by this
/// face only. All members belong to the client's strand.
class Call {
  public:
    Call(std::string encoded, std::size_t reply_count, async::TimePoint latest)
        : wire(std::move(encoded)), replies(reply_count), deadline(latest) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    virtual ~Call() = default;

    /// Hands the outcome over to the caller's executor. Called once.
    virtual void complete(CallOutcome outcome) = 0;

    std::string wire;  ///< moved out when the call is taken in
    std::size_t replies;
    async::TimePoint deadline;
    Multiplexer::Id id = 0;  ///< 0 until taken in
};

}  // namespace evalfleet::redis
