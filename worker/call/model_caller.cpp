#include "worker/call/model_caller.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

/// A call under way.
struct ModelCaller::Progress {
    RawCall raw;
    async::TimePoint dispatched;  // of the first attempt
    async::TimePoint deadline;    // of the whole call
};

namespace {

std::optional<job::CallError> kind_of(const std::optional<CallFailure>& failure) {
    if (!failure) return std::nullopt;
    return failure->kind;
}

}  // namespace

ModelCaller::ModelCaller(http::Client& client, async::Clock& clock, WorkerMetrics& metrics,
                         Random random)
    : client_(client), clock_(clock), metrics_(metrics), random_(std::move(random)) {}

asio::awaitable<RawCall> ModelCaller::call(const Provider& provider, http::Request request,
                                           job::CallLimits limits) {
    const metrics::InFlight in_flight(metrics_.calls_in_flight);
    ProviderMetrics& counted = metrics_.provider(provider.name);
    Progress progress;
    progress.raw.started = clock_.utc_now();
    progress.dispatched = clock_.now();
    progress.deadline = progress.dispatched + limits.timeout;
    for (;;) {
        AttemptVerdict verdict = co_await attempt(provider, request, limits, progress);
        counted.count_attempt(kind_of(verdict.failure));
        progress.raw.failure = std::move(verdict.failure);
        progress.raw.request_id = std::move(verdict.request_id);
        if (!verdict.retry_in) break;
        const async::TimePoint next = clock_.now() + *verdict.retry_in;
        if (next >= progress.deadline) break;
        counted.retries.increment();
        co_await clock_.wait_until(next);
    }
    const auto& response = progress.raw.response;
    const async::TimePoint end = response ? response->timings.last_byte : clock_.now();
    progress.raw.latency_ms = round_ms(end - progress.dispatched);
    co_return std::move(progress.raw);
}

asio::awaitable<AttemptVerdict> ModelCaller::attempt(const Provider& provider,
                                                     const http::Request& request,
                                                     const job::CallLimits& limits,
                                                     Progress& progress) {
    const async::TimePoint now = clock_.now();
    http::CallLimits bounds;
    bounds.total_deadline = std::min(progress.deadline, now + limits.attempt_timeout);
    bounds.connect_deadline = now + limits.connect_timeout;
    progress.raw.response.reset();
    const std::int64_t number = ++progress.raw.attempts;

    auto response = co_await client_.send(request, bounds);

    AttemptTerms terms;
    terms.policy = http::RetryPolicy({.max_attempts = static_cast<int>(limits.max_attempts)});
    terms.attempt = static_cast<int>(number);
    terms.random = random_();
    terms.now = clock_.utc_now();
    if (!response) {
        const bool in_time = clock_.now() < bounds.total_deadline;
        co_return judge_error(response.error(), in_time, terms);
    }
    // A first attempt may have waited for a free connection, which is no part of the latency.
    if (number == 1) progress.dispatched = response->timings.dispatched;
    progress.raw.response = *std::move(response);
    co_return judge_response(*provider.protocol, *progress.raw.response, terms);
}

double random_fraction() {
    thread_local std::mt19937_64 generator(std::random_device{}());
    return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace evalfleet::worker
