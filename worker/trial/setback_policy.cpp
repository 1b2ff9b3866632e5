#include "worker/trial/setback_policy.hpp"

#include "common/job/measured.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::worker {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kFirstDelay{1'000};
constexpr milliseconds kLongestDelay{10'000};
constexpr milliseconds kLongestWish{60'000};

}  // namespace

std::optional<job::Setback> setback_of(const CallOutcome& outcome, job::CallRole role,
                                       const std::string& provider) {
    if (!outcome.failure) return std::nullopt;
    const CallFailure& failure = *outcome.failure;
    if (!job::is_infrastructure(failure.kind, outcome.http_status)) return std::nullopt;
    return job::Setback{role,     failure.kind,    outcome.http_status,
                        provider, failure.message, std::max<std::int64_t>(1, outcome.attempts)};
}

bool is_of_sample(const CallOutcome& outcome, std::int64_t refused_before,
                  async::TimePoint first_attempt) {
    const bool is_refused = outcome.http_status == 403 || outcome.http_status == 404;
    return is_refused && refused_before > 0 && outcome.last_answer > first_attempt;
}

milliseconds setback_delay(std::int64_t count, std::optional<milliseconds> retry_after,
                           double random) {
    milliseconds delay = kFirstDelay;
    for (std::int64_t i = 1; i < count && delay < kLongestDelay; ++i)
        delay *= 2;
    const auto longest = static_cast<double>(std::min(delay, kLongestDelay).count());
    const milliseconds drawn(static_cast<std::int64_t>(longest * (0.5 + random / 2)));
    return std::max(drawn, std::min(retry_after.value_or(milliseconds(0)), kLongestWish));
}

std::optional<CallFailure> failure_of(const job::SetbackCounts& counts) {
    std::optional<CallFailure> failure;
    std::int64_t most = 0;
    std::string seen;
    for (const auto& [name, count] : counts) {
        const auto kind = job::from_name<job::CallError>(name);
        // A refusal without its status would be taken for the model's.
        if (!kind || !job::is_infrastructure(*kind, std::nullopt)) continue;
        seen += fmt::format("{}{} x {}", seen.empty() ? "" : ", ", count, name);
        if (count <= most) continue;
        most = count;
        failure.emplace().kind = *kind;
    }
    if (failure)
        failure->message =
            fmt::format("failed before ({}), and got no permit for another attempt", seen);
    return failure;
}

std::int64_t count_setbacks(const job::SetbackCounts& counts) {
    std::int64_t sum = 0;
    for (const auto& [kind, count] : counts)
        sum += count;
    return sum;
}

}  // namespace evalfleet::worker
