#include "worker/call/attempt_end.hpp"

#include "worker/permits/quota.hpp"

namespace evalfleet::worker {

CallEnd end_of_attempt(const WireResponse& response, const AttemptVerdict& verdict,
                       std::int64_t tokens, std::chrono::system_clock::time_point now) {
    const int status = verdict.refused_status.value_or(response.status);
    CallEnd end;
    end.sent = response.timings.request_written;
    if (status == 429) {
        end.kind = CallEnd::Kind::throttled;
        end.rest = rest_after_refusal(verdict.retry_after);
        return end;
    }
    if (status >= 500) end.kind = CallEnd::Kind::faulted;
    end.rest = rest_after(read_quotas(response.headers, now), tokens);
    return end;
}

}  // namespace evalfleet::worker
