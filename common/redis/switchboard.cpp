#include "common/redis/switchboard.hpp"

#include "common/async/deadline.hpp"

#include <utility>

namespace evalfleet::redis {

namespace asio = boost::asio;

namespace {

Error stopped() {
    return Error{ErrorKind::cancelled, "redis: the client has stopped"};
}

}  // namespace

Switchboard::Switchboard(const asio::any_io_executor& strand, async::Clock& clock,
                         const StateBoard& state, MetricsCounter& metrics,
                         Multiplexer::Limits limits)
    : clock_(clock),
      state_(state),
      metrics_(metrics),
      multiplexer_(limits),
      writable_(strand),
      deadline_moved_(strand) {}

void Switchboard::submit(std::shared_ptr<Call> call) {
    MetricsCounter::add(metrics_.commands, call->replies);
    if (is_closed_) return fail(*call, stopped());
    if (call->deadline <= clock_.now())
        return fail(*call, Error{ErrorKind::timeout, "redis: the deadline had passed already"});

    const auto id = multiplexer_.add(std::move(call->wire), call->replies, call->deadline);
    if (!id) return fail(*call, id.error());
    call->id = *id;
    if (call->deadline < armed_) deadline_moved_.notify();
    calls_.emplace(*id, std::move(call));
    writable_.notify();
}

void Switchboard::abandon(const std::shared_ptr<Call>& call) {
    if (calls_.erase(call->id) == 0) return;
    multiplexer_.abandon(call->id);
    metrics_.add_error(ErrorKind::cancelled);
    call->complete({Error{ErrorKind::cancelled, "redis: cancelled"}, true});
}

void Switchboard::submit_unattended(std::string wire) {
    if (multiplexer_.add(std::move(wire), 1, async::kNever)) writable_.notify();
}

void Switchboard::resume_writing() {
    is_paused_ = false;
    writable_.notify();
}

asio::awaitable<void> Switchboard::next_batch(std::string& wire) {
    wire.clear();
    while (is_paused_ || !multiplexer_.take_batch(wire))
        (void)co_await writable_.wait();
    MetricsCounter::add(metrics_.writes);
    MetricsCounter::add(metrics_.bytes_written, wire.size());
}

Status Switchboard::on_reply(Reply reply) {
    const std::uint64_t late_before = multiplexer_.count_late_replies();
    auto finished = multiplexer_.on_reply(std::move(reply));
    if (!finished) return finished.error();
    MetricsCounter::add(metrics_.replies);
    MetricsCounter::add(metrics_.late_replies, multiplexer_.count_late_replies() - late_before);
    if (*finished) finish(std::move(**finished));
    return {};
}

void Switchboard::on_disconnect(const Error& cause) {
    finish_all(multiplexer_.on_disconnect(cause));
}

asio::awaitable<void> Switchboard::watch_deadlines() {
    for (;;) {
        armed_ = multiplexer_.next_deadline();
        // A timeout is the news we wait for, a notice means that an earlier deadline has come in.
        (void)co_await async::with_deadline<void>(clock_, armed_, deadline_moved_.wait());
        auto expired = multiplexer_.expire(clock_.now());
        for (auto& finished : expired)
            finished.outcome = explain_timeout(finished.outcome.error());
        finish_all(std::move(expired));
    }
}

void Switchboard::close() {
    is_closed_ = true;
    finish_all(multiplexer_.fail_all(stopped()));
}

void Switchboard::finish(Multiplexer::Finished finished) {
    auto call = calls_.extract(finished.id);
    if (call.empty()) return;  // a request that nobody waits for
    if (!finished.outcome) metrics_.add_error(finished.outcome.error().kind);
    call.mapped()->complete({std::move(finished.outcome), false});
}

void Switchboard::finish_all(std::vector<Multiplexer::Finished> finished) {
    for (auto& one : finished)
        finish(std::move(one));
}

void Switchboard::fail(Call& call, Error error) {
    metrics_.add_error(error.kind);
    call.complete({std::move(error), false});
}

Error Switchboard::explain_timeout(Error error) const {
    const ConnectionState state = state_.read();
    if (state.phase != ConnectionState::Phase::ready && state.last_error)
        error.message += "; not connected: " + state.last_error->message;
    return error;
}

}  // namespace evalfleet::redis
