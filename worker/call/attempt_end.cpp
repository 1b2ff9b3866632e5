#include "worker/call/attempt_end.hpp"

#include "worker/permits/quota.hpp"

namespace evalfleet::worker {

namespace {

constexpr int kTooManyRequests = 429;
constexpr int kServiceUnavailable = 503;
constexpr int kOverloaded = 529;

CallEnd::Kind kind_of(int status) {
    if (status == kTooManyRequests) return CallEnd::Kind::throttled;
    if (status == kServiceUnavailable || status == kOverloaded) return CallEnd::Kind::overloaded;
    return status >= 500 ? CallEnd::Kind::faulted : CallEnd::Kind::answered;
}

}  // namespace

CallEnd end_of_attempt(const WireResponse& response, const AttemptResult& result,
                       std::int64_t tokens, std::chrono::system_clock::time_point now) {
    CallEnd end;
    end.kind = kind_of(result.refused_status.value_or(response.status));
    end.sent = response.timings.request_written;
    if (end.is_refused()) {
        end.rest = rest_after_refusal(result.retry_after);
        return end;
    }
    end.rest = rest_after(read_quotas(response.headers, now), tokens);
    if (result.reply) {
        end.service = response.timings.last_byte - response.timings.dispatched;
        end.output_tokens = result.reply->usage.output_tokens.value_or(0);
    }
    return end;
}

}  // namespace evalfleet::worker
