#include "worker/call/model_caller.hpp"

#include "common/async/deadline.hpp"
#include "worker/call/attempt_end.hpp"
#include "worker/call/program_call.hpp"

#include <algorithm>
#include <utility>

namespace evalfleet::worker {

namespace asio = boost::asio;

/// A call under way.
struct ModelCaller::Progress {
    CallOutcome outcome;
    async::TimePoint dispatched;           // of the first attempt
    async::TimePoint deadline;             // of the whole call
    async::TimePoint given_up;             // the last attempt, if it was not answered
    async::Duration retry_wait{};          // so far
    async::Duration permit_wait{};         // so far
    async::Duration held_up{};             // of it: after the first attempt
    Permit permit;                         // of the attempt that is next or under way
    std::optional<http::Timings> timings;  // of the last attempt, if it was answered
    std::optional<WireResponse> partial;   // of the last attempt: a stream that did not get whole
    Authorizer::Badge badge;               // of the last attempt
    bool was_renewed = false;              // after the provider had refused it
    bool was_excused = false;              // a refusal of an old key does not count
    bool met_stale_connection = false;     // once is enough: the next is new
};

namespace {

constexpr std::chrono::seconds kLongestAuthorization{60};

std::optional<job::CallError> kind_of(const std::optional<CallFailure>& failure) {
    if (!failure) return std::nullopt;
    return failure->kind;
}

void enter_result(AttemptResult result, CallOutcome& outcome) {
    outcome.reply = std::move(result.reply);
    outcome.failure = std::move(result.failure);
    outcome.usage = result.usage;
    outcome.request_id = std::move(result.request_id);
    outcome.finish_reason = std::move(result.finish_reason);
    outcome.retry_after = result.retry_after;
}

/// Does a question carry a parameter that it could go without?
bool carries(const ModelCall& call, const std::string& parameter) {
    const Protocol& protocol = *call.provider->protocol;
    ModelRequest without = call.question;
    without.refused.push_back(parameter);
    return protocol.make_request(call.provider->endpoint, without).http.body !=
           protocol.make_request(call.provider->endpoint, call.question).http.body;
}

/// Makes the request again without what it was refused for. False if that changes nothing: it was
/// not refused for that, left it out already, or cannot go without.
bool leave_out(ModelCall& call, const std::optional<std::string>& parameter) {
    if (!parameter) return false;
    // Words of an error about something that was not sent say nothing of the model.
    if (carries(call, *parameter)) call.provider->refused->add(call.question.model, *parameter);
    const std::string before = call.request.http.body;
    call.remake();
    return call.request.http.body != before;
}

CallNeeds needs_of(const ModelCall& call, bool is_retry) {
    return {call.prompt_bytes, call.question.generation.max_tokens, call.purpose, is_retry};
}

void correct(const PermitReceipt& receipt, const Usage& usage) {
    if (!usage.input_tokens || !usage.output_tokens) return;
    PermitKeeper::correct(receipt, *usage.input_tokens, *usage.output_tokens);
}

}  // namespace

ModelCaller::ModelCaller(http::Client& client, PermitKeeper& permits, async::Clock& clock,
                         async::BlockingPool& pool, const LagEstimator& lag, ProviderHealth& health,
                         WorkerMetrics& metrics, Random random)
    : client_(client),
      permits_(permits),
      clock_(clock),
      compute_(pool),
      lag_(lag),
      health_(health),
      metrics_(metrics),
      random_(std::move(random)) {}

asio::awaitable<CallOutcome> ModelCaller::call(ModelCall call, job::CallLimits limits,
                                               CallListener& listener,
                                               std::optional<LastChance> chance) {
    Progress progress;
    const async::TimePoint latest = chance ? chance->latest : async::kNever;
    if (!co_await await_permit(call, latest, progress, listener)) {
        enter_lost_chance(*std::move(chance), progress);
        co_return std::move(progress.outcome);
    }
    listener.on_dispatch();
    progress.outcome.started = clock_.utc_now();
    progress.dispatched = clock_.now();
    progress.outcome.dispatched = progress.dispatched;
    progress.deadline = progress.dispatched + limits.timeout;
    // A provider that serves nothing gets a call now and then: its calls would stand in line for
    // hours.
    const async::Duration patience =
        std::max<async::Duration>(limits.give_up_after, limits.timeout);
    for (;;) {
        AttemptResult result = co_await attempt(call, limits, progress);
        const auto retry_in = note_attempt(call, std::move(result), progress);
        if (!retry_in) break;
        co_await back_off(*retry_in, progress, listener);
        if (!co_await await_permit(call, progress.dispatched + patience, progress, listener)) break;
    }
    if (!progress.outcome.failure)
        health_.note_answer(call.provider->name, call.question.model, clock_.now());
    progress.outcome.last_answer = health_.last_answer(call.provider->name, call.question.model);
    progress.outcome.refused_parameters = std::move(call.request.refused_parameters);
    enter_timing(progress);
    co_return std::move(progress.outcome);
}

/// When the call is made again; empty: this was the last attempt.
std::optional<std::chrono::milliseconds> ModelCaller::note_attempt(const ModelCall& call,
                                                                   AttemptResult result,
                                                                   Progress& progress) {
    const std::string& provider = call.provider->name;
    ProviderMetrics& counted = metrics_.provider(provider);
    const bool is_excused = result.is_excused;
    const auto retry_in = result.retry_in;
    if (!is_excused) {
        counted.count_attempt(kind_of(result.failure));
        health_.observe(provider, result.failure, clock_.now());
    }
    CallOutcome& outcome = progress.outcome;
    enter_result(std::move(result), outcome);
    if (is_excused) return std::chrono::milliseconds(0);
    if (!retry_in || clock_.now() + *retry_in >= progress.deadline) return std::nullopt;
    counted.retries.increment();
    add_usage(outcome.usage, outcome.failed_usage);
    if (outcome.failure) ++outcome.failed_attempts[std::string(to_string(outcome.failure->kind))];
    return retry_in;
}

void ModelCaller::enter_lost_chance(LastChance chance, Progress& progress) const {
    progress.outcome.failure = std::move(chance.failure);
    progress.outcome.http_status = chance.http_status;
    progress.outcome.started = clock_.utc_now();
    progress.outcome.dispatched = progress.dispatched = progress.given_up = clock_.now();
    enter_timing(progress);
}

void ModelCaller::enter_timing(Progress& progress) const {
    CallTiming& timing = progress.outcome.timing;
    timing.retry_wait_ms = round_ms(progress.retry_wait);
    timing.permit_wait_ms = round_ms(progress.permit_wait);
    // As if the call had begun later by what it waited for us.
    const async::TimePoint begin = progress.dispatched + progress.held_up;
    if (progress.timings) {
        enter_timings(*progress.timings, begin, timing);
        const async::Duration late = lag_.worst_around(progress.timings->last_byte);
        timing.error_bound_ms = round_ms(error_bound(*progress.timings, late));
    } else {
        timing.e2e_ms = round_ms(progress.given_up - begin);
        timing.error_bound_ms = round_ms(lag_.worst_around(progress.given_up));
    }
    const auto& reply = progress.outcome.reply;
    if (reply && reply->first_token_at)
        timing.first_token_ms = round_ms(*reply->first_token_at - begin);
}

asio::awaitable<void> ModelCaller::back_off(async::Duration wait, Progress& progress,
                                            CallListener& listener) {
    const async::TimePoint begin = clock_.now();
    {
        const WaitScope waiting(listener, CallListener::Wait::backoff);
        co_await clock_.wait_until(begin + wait);
    }
    progress.retry_wait += clock_.now() - begin;
}

/// False if none came by `latest`. What a further attempt waits for it does not count as time of
/// the call.
asio::awaitable<bool> ModelCaller::await_permit(const ModelCall& call, async::TimePoint latest,
                                                Progress& progress, CallListener& listener) {
    const async::TimePoint begin = clock_.now();
    const bool is_first = progress.outcome.attempts == 0;
    const bool is_retry = !is_first || progress.was_excused;
    const WaitScope waiting(listener, CallListener::Wait::permit);
    auto acquire = [](PermitKeeper& permits, const ModelCall& one,
                      CallNeeds needs) -> asio::awaitable<Result<Permit>> {
        co_return co_await permits.acquire(one.provider->name, one.question.model, needs);
    };
    auto permit = co_await async::with_deadline(clock_, latest,
                                                acquire(permits_, call, needs_of(call, is_retry)));
    const async::Duration waited = clock_.now() - begin;
    progress.permit_wait += waited;
    if (!permit) co_return false;
    if (is_retry) {
        if (is_first) progress.dispatched += waited;
        if (!is_first) progress.held_up += waited;
        progress.deadline += waited;
    }
    progress.permit = *std::move(permit);
    co_return true;
}

asio::awaitable<AttemptResult> ModelCaller::attempt(ModelCall& call, const job::CallLimits& limits,
                                                    Progress& progress) {
    const metrics::InFlight in_flight(metrics_.calls_in_flight);
    progress.outcome.http_status.reset();
    progress.timings.reset();
    progress.partial.reset();
    const std::int64_t number = ++progress.outcome.attempts;
    AttemptTerms terms;
    terms.policy = http::RetryPolicy({.max_attempts = static_cast<int>(limits.max_attempts)});
    terms.attempt = static_cast<int>(number);
    terms.random = random_();
    http::Request request = call.request.http;
    request.transport = call.provider->transport;
    // Sent again it is another attempt, with a permit of its own and an entry in the record.
    request.may_resend = false;
    request.wants_new_connection = progress.met_stale_connection;
    if (Status allowed = co_await authorize(call, request, progress); !allowed) {
        AttemptResult result = classify_auth_error(allowed.error(), terms);
        if (result.refused_status) progress.outcome.http_status = *result.refused_status;
        progress.given_up = clock_.now();
        CallEnd unsent;
        unsent.kind = CallEnd::Kind::unsent;
        progress.permit.settle(unsent);
        co_return result;
    }
    const async::TimePoint now = clock_.now();
    http::CallLimits bounds;
    bounds.total_deadline = std::min(progress.deadline, now + limits.attempt_timeout);
    bounds.connect_deadline = now + limits.connect_timeout;
    auto response = co_await exchange(call, std::move(request), bounds, progress);
    if (!response) {
        const bool is_whole = co_await has_ended(call, progress);
        if (is_whole) response = *std::exchange(progress.partial, std::nullopt);
    }
    terms.now = clock_.utc_now();
    if (!response) {
        progress.given_up = clock_.now();
        const bool in_time =
            progress.given_up < bounds.total_deadline || http::is_connect_timeout(response.error());
        AttemptResult result = classify_error(response.error(), in_time, terms);
        // Nobody's fault: servers close idle connections. Even a call of one attempt is made again.
        const bool is_stale = http::is_stale_connection(response.error());
        if (is_stale && !std::exchange(progress.met_stale_connection, true))
            result.retry_in = std::chrono::milliseconds(0);
        CallEnd end;
        end.kind = result.failure->timed_out ? CallEnd::Kind::timed_out : CallEnd::Kind::faulted;
        end.sent = now;  // it may have been sent: to count it is to err on the safe side
        progress.permit.settle(end);
        if (progress.partial) result.usage = co_await read_usage(call, *progress.partial);
        co_return result;
    }
    // A first attempt may have waited for a free connection, which is no part of the latency.
    if (number == 1) progress.dispatched = response->timings.dispatched;
    progress.timings = response->timings;
    AttemptResult result = co_await read(call, *response, terms);
    const PermitReceipt receipt = progress.permit.receipt();
    const std::int64_t tokens = receipt.charge ? receipt.charge->tokens : 1;
    progress.permit.settle(end_of_attempt(*response, result, tokens, terms.now));
    if (result.reply) correct(receipt, result.reply->usage);
    co_await renew_credentials(call, now, progress, result);
    co_return result;
}

/// What that takes, a new token for example, is no part of the call's time.
asio::awaitable<Status> ModelCaller::authorize(const ModelCall& call, http::Request& request,
                                               Progress& progress) {
    if (call.provider->program) co_return Status{};
    const async::TimePoint begin = clock_.now();
    auto badge = co_await call.provider->auth->authorize(
        request, {client_, clock_, compute_.pool()}, begin + kLongestAuthorization);
    const async::Duration waited = clock_.now() - begin;
    if (progress.outcome.attempts == 1) {
        progress.dispatched += waited;
    } else {
        progress.held_up += waited;
    }
    progress.deadline += waited;
    if (!badge) co_return badge.error();
    progress.badge = *std::move(badge);
    co_return Status{};
}

/// A key may have been changed since it was read: once in a call, that is looked into before the
/// refusal counts.
asio::awaitable<void> ModelCaller::renew_credentials(const ModelCall& call, async::TimePoint begin,
                                                     Progress& progress, AttemptResult& result) {
    if (!result.refuses_credentials || progress.was_renewed || call.provider->program) co_return;
    progress.was_renewed = true;
    result.is_excused =
        co_await call.provider->auth->renew(progress.badge, {client_, clock_, compute_.pool()});
    if (result.is_excused) excuse(begin, progress);
}

/// As if the attempt had not been made: it is not counted, and its time is none of the call's.
void ModelCaller::excuse(async::TimePoint begin, Progress& progress) const {
    const async::Duration lost = clock_.now() - begin;
    progress.was_excused = true;
    progress.deadline += lost;
    if (--progress.outcome.attempts == 0) {
        progress.dispatched = clock_.now();
    } else {
        progress.held_up += lost;
    }
}

asio::awaitable<Result<WireResponse>> ModelCaller::exchange(const ModelCall& call,
                                                            http::Request request,
                                                            http::CallLimits bounds,
                                                            Progress& progress) {
    if (call.provider->program) {
        co_return co_await call_program(clock_, *call.provider->program, std::move(request.body),
                                        bounds.total_deadline);
    }
    const std::string place = request.url.redacted();
    auto opened = co_await client_.open(std::move(request), bounds);
    if (!opened) co_return opened.error();
    WireResponse response;
    response.status = opened->status();
    response.headers = opened->headers();
    response.is_streamed =
        response.status / 100 == 2 && is_stream(response.headers, call.request.stream);
    progress.outcome.http_status = response.status;
    while (response.is_streamed) {
        const auto piece = co_await opened->read();
        if (!piece) {
            response.timings = opened->timings();
            progress.partial = std::move(response);
            co_return piece.error().within(place);
        }
        if (!*piece) break;
        response.add_piece(**piece, opened->timings().last_byte);
    }
    if (!response.is_streamed) {
        auto body = co_await opened->read_all();
        if (!body) co_return body.error().within(place);
        response.set_body(*std::move(body));
    }
    response.timings = opened->timings();
    co_return response;
}

asio::awaitable<AttemptResult> ModelCaller::read(ModelCall& call, const WireResponse& response,
                                                 AttemptTerms terms) {
    auto judge = [&] {
        AttemptResult result = classify_response(*call.provider->protocol, response, terms);
        if (leave_out(call, result.refused_parameter)) {
            result.retry_in = std::chrono::milliseconds(0);
        }
        return result;
    };
    co_return co_await compute_.run(response.body().size(), judge);
}

/// A stream that ended by its own words is whole, whatever became of its connection then.
asio::awaitable<bool> ModelCaller::has_ended(const ModelCall& call, const Progress& progress) {
    if (!progress.partial) co_return false;
    auto look = [&] { return progress.partial->has_ended(*call.provider->protocol); };
    co_return co_await compute_.run(progress.partial->body().size(), look);
}

asio::awaitable<Usage> ModelCaller::read_usage(const ModelCall& call, const WireResponse& partial) {
    auto read = [&] { return partial.read_usage(*call.provider->protocol); };
    co_return co_await compute_.run(partial.body().size(), read);
}

}  // namespace evalfleet::worker
