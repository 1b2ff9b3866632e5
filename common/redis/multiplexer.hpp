#pragma once

#include "common/async/clock.hpp"
#include "common/redis/reply.hpp"
#include "common/result/result.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::redis {

/// Many coroutines share one connection, and RESP2 replies carry no name: the n-th reply belongs to
/// the n-th command, whatever happened to those who asked. This class keeps that order. It decides
/// what is written next, to whom a reply belongs, and what becomes of whom when a deadline passes
/// or the connection breaks. It has no socket and no clock; the client performs what it decides.
///
/// A request is one command or several that go together (a pipeline). Its states:
///
///     waiting --take_batch--> written --last reply--> done
///        |                       |
///     abandon, expire         abandon, expire
///        v                       v
///      done                  abandoned --last reply, or disconnect--> done
///
/// An abandoned request keeps its place, so that its late replies are dropped instead of given to
/// somebody else.
///
/// Order of calls: `take_batch` before the bytes go to the socket, since replies may come before
/// the write has ended. `on_disconnect` before the first byte of a new connection is read. A
/// request that the class reports as finished is forgotten; it is reported exactly once, except
/// after `abandon`, which the caller answers for.
class Multiplexer {
  public:
    using Id = std::uint64_t;

    enum class State {
        waiting,    ///< no byte of it was given out
        written,    ///< given out to be written; may run at the server
        abandoned,  ///< written, but nobody waits for the reply
        done,       ///< forgotten
    };

    /// What may be pending. Beyond that, new requests are refused rather than queued: to let their
    /// callers wait would need the same memory.
    struct Limits {
        std::size_t max_requests = 65'536;                 ///< waiting, written or abandoned
        std::size_t max_waiting_bytes = 64 * 1024 * 1024;  ///< not written yet
        std::size_t max_batch_bytes = 256 * 1024;  ///< per write; one larger request goes alone
    };

    struct Finished {
        Id id = 0;
        Result<std::vector<Reply>> outcome;  ///< as many replies as were asked for
    };

    explicit Multiplexer(Limits limits) : limits_(limits) {}

    /// Queues a request of `replies` encoded commands. `too_large` if it can never fit,
    /// `rate_limited` if there is no room now.
    [[nodiscard]] Result<Id> add(std::string wire, std::size_t replies, async::TimePoint deadline);

    /// Nobody waits for this request any more. Not written yet: it never will be.
    void abandon(Id id);

    /// Appends whole requests, oldest first, as long as the batch limit allows, and counts them as
    /// written. False if nothing waits.
    bool take_batch(std::string& wire);

    /// Gives the next reply to the oldest written request. Reports it if that was its last reply.
    /// `invalid` if nobody asked: the connection cannot be trusted any more.
    [[nodiscard]] Result<std::optional<Finished>> on_reply(Reply reply);

    /// The connection is gone. Written requests fail as `transient`: they may have run. If a reply
    /// was `too_large`, whoever asked for it is told so. Waiting ones stay for the next connection.
    [[nodiscard]] std::vector<Finished> on_disconnect(const Error& cause);

    /// Fails what is due with `timeout`.
    [[nodiscard]] std::vector<Finished> expire(async::TimePoint now);

    /// Fails everything with `error`, for the end.
    [[nodiscard]] std::vector<Finished> fail_all(const Error& error);

    /// When `expire` has to be called next; kNever if nothing has a deadline.
    [[nodiscard]] async::TimePoint next_deadline() const;

    [[nodiscard]] State state_of(Id id) const;
    [[nodiscard]] std::size_t count_waiting() const noexcept { return waiting_.size(); }
    [[nodiscard]] std::size_t waiting_bytes() const noexcept { return waiting_bytes_; }
    /// Written or abandoned: the server owes a reply.
    [[nodiscard]] std::size_t count_unanswered() const noexcept { return written_.size(); }
    /// Replies that came after their request was abandoned.
    [[nodiscard]] std::uint64_t count_late_replies() const noexcept { return late_replies_; }

  private:
    struct Request {
        Id id = 0;
        std::string wire;  // empty once written
        std::size_t replies_left = 0;
        async::TimePoint deadline = async::kNever;
        std::vector<Reply> replies;
        bool is_abandoned = false;
    };
    using Waiting = std::map<Id, Request>;

    void forget_deadline(const Request& request);
    void erase_waiting(Waiting::iterator place);
    void mark_abandoned(Request& request);
    [[nodiscard]] std::deque<Request>::iterator find_written(Id id);
    [[nodiscard]] Finished expire_one(Id id);

    Limits limits_;
    Id last_id_ = 0;
    Waiting waiting_;              // by age, since ids grow
    std::deque<Request> written_;  // by age; all older than those waiting
    std::size_t waiting_bytes_ = 0;
    std::set<std::pair<async::TimePoint, Id>> deadlines_;  // of those somebody waits for
    std::uint64_t late_replies_ = 0;
};

}  // namespace evalfleet::redis
