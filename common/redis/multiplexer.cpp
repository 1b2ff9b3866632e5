#include "common/redis/multiplexer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evalfleet::redis {

Result<Multiplexer::Id> Multiplexer::add(std::string wire, std::size_t replies,
                                         async::TimePoint deadline) {
    if (replies == 0 || wire.empty())
        return Error{ErrorKind::invalid, "redis: a request needs at least one command"};
    if (wire.size() > limits_.max_waiting_bytes)
        return Error{ErrorKind::too_large, fmt::format("redis: a request of {} bytes, at most {}",
                                                       wire.size(), limits_.max_waiting_bytes)};
    if (waiting_.size() + written_.size() >= limits_.max_requests)
        return Error{ErrorKind::rate_limited,
                     fmt::format("redis: {} requests are pending already", limits_.max_requests)};
    if (wire.size() > limits_.max_waiting_bytes - waiting_bytes_)
        return Error{ErrorKind::rate_limited,
                     fmt::format("redis: {} bytes wait to be written already", waiting_bytes_)};

    const Id id = ++last_id_;
    waiting_bytes_ += wire.size();
    if (deadline != async::kNever) deadlines_.emplace(deadline, id);
    waiting_.emplace_hint(waiting_.end(), id,
                          Request{id, std::move(wire), replies, deadline, {}, false});
    return id;
}

void Multiplexer::abandon(Id id) {
    if (const auto place = waiting_.find(id); place != waiting_.end()) {
        erase_waiting(place);
    } else if (const auto request = find_written(id); request != written_.end()) {
        mark_abandoned(*request);
    }
}

bool Multiplexer::take_batch(std::string& wire) {
    const std::size_t size_before = wire.size();
    while (!waiting_.empty()) {
        Request& oldest = waiting_.begin()->second;
        const std::size_t taken = wire.size() - size_before;
        if (taken > 0 && taken + oldest.wire.size() > limits_.max_batch_bytes) break;
        wire += oldest.wire;
        waiting_bytes_ -= oldest.wire.size();
        // It is never written again: after a disconnect it might run twice.
        oldest.wire = std::string();
        written_.push_back(std::move(oldest));
        waiting_.erase(waiting_.begin());
    }
    return wire.size() > size_before;
}

Result<std::optional<Multiplexer::Finished>> Multiplexer::on_reply(Reply reply) {
    if (written_.empty())
        return Error{ErrorKind::invalid, "redis: the server sent a reply that nobody asked for"};

    Request& oldest = written_.front();
    --oldest.replies_left;
    if (oldest.is_abandoned) {
        ++late_replies_;
    } else {
        oldest.replies.push_back(std::move(reply));
    }
    if (oldest.replies_left > 0) return std::optional<Finished>();

    std::optional<Finished> finished;
    if (!oldest.is_abandoned) {
        forget_deadline(oldest);
        finished = Finished{oldest.id, std::move(oldest.replies)};
    }
    written_.pop_front();
    return finished;
}

std::vector<Multiplexer::Finished> Multiplexer::on_disconnect(const Error& cause) {
    const Error lost{ErrorKind::transient,
                     "redis: the connection was lost before the reply came, the command may have "
                     "run: " +
                         cause.message};
    std::vector<Finished> finished;
    for (const Request& request : written_) {
        if (request.is_abandoned) continue;
        forget_deadline(request);
        // The reply that was being read is that of the first one. Sent again, it would be the same.
        const bool is_cause = cause.kind == ErrorKind::too_large && &request == &written_.front();
        finished.push_back({request.id, is_cause ? cause : lost});
    }
    written_.clear();
    return finished;
}

std::vector<Multiplexer::Finished> Multiplexer::expire(async::TimePoint now) {
    std::vector<Finished> finished;
    while (!deadlines_.empty() && deadlines_.begin()->first <= now)
        finished.push_back(expire_one(deadlines_.begin()->second));
    return finished;
}

Multiplexer::Finished Multiplexer::expire_one(Id id) {
    if (const auto place = waiting_.find(id); place != waiting_.end()) {
        erase_waiting(place);
        return {id, Error{ErrorKind::timeout,
                          "redis: the deadline passed before the command was sent"}};
    }
    mark_abandoned(*find_written(id));
    return {id,
            Error{ErrorKind::timeout,
                  "redis: the deadline passed before the reply came, the command may have run"}};
}

std::vector<Multiplexer::Finished> Multiplexer::fail_all(const Error& error) {
    std::vector<Finished> finished;
    for (const Request& request : written_)
        if (!request.is_abandoned) finished.push_back({request.id, error});
    for (const auto& [id, request] : waiting_)
        finished.push_back({id, error});
    written_.clear();
    waiting_.clear();
    deadlines_.clear();
    waiting_bytes_ = 0;
    return finished;
}

async::TimePoint Multiplexer::next_deadline() const {
    return deadlines_.empty() ? async::kNever : deadlines_.begin()->first;
}

Multiplexer::State Multiplexer::state_of(Id id) const {
    if (waiting_.contains(id)) return State::waiting;
    for (const Request& request : written_)
        if (request.id == id) return request.is_abandoned ? State::abandoned : State::written;
    return State::done;
}

void Multiplexer::forget_deadline(const Request& request) {
    if (request.deadline != async::kNever) deadlines_.erase({request.deadline, request.id});
}

void Multiplexer::erase_waiting(Waiting::iterator place) {
    forget_deadline(place->second);
    waiting_bytes_ -= place->second.wire.size();
    waiting_.erase(place);
}

void Multiplexer::mark_abandoned(Request& request) {
    forget_deadline(request);
    request.is_abandoned = true;
    request.replies = std::vector<Reply>();
}

std::deque<Multiplexer::Request>::iterator Multiplexer::find_written(Id id) {
    const auto place =
        std::lower_bound(written_.begin(), written_.end(), id,
                         [](const Request& request, Id wanted) { return request.id < wanted; });
    const bool found = place != written_.end() && place->id == id;
    return found ? place : written_.end();
}

}  // namespace evalfleet::redis
