#pragma once

#include "common/async/clock.hpp"
#include "common/queue/permit_queue.hpp"
#include "worker/permits/adaptive_limit.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace evalfleet::worker {

/// Where a call is counted in its key's window.
struct Charge {
    std::uint64_t bucket = 0;
    std::int64_t tokens = 0;       ///< as estimated
    async::TimePoint arrive_by{};  ///< later than this it may fall into another window
    bool operator==(const Charge&) const = default;
};

/// How a call, one attempt of it, ended.
struct CallEnd {
    enum class Kind {
        answered,   ///< with a good status, or one that says nothing about limits
        throttled,  ///< 429
        faulted,    ///< 5xx, time-out, lost connection
        unsent,     ///< nothing was sent
    };
    Kind kind = Kind::answered;
    std::optional<async::TimePoint> sent;  ///< when the request was on its way; none: never was
    std::chrono::milliseconds rest{0};     ///< that the provider asked for
};

/// One worker's dealings with one limit key: which of its calls may start, what it holds of the
/// key, what it says to Redis and when.
///
/// - Calls at once: the worker holds room for some. A call that ends makes room for the next one
///   without a word to Redis; Redis is told how things are five times a second, and at once when
///   somebody waits who could be helped.
/// - Requests and tokens a minute: permits come in small batches, each good for one request that
///   must be sent soon. A few more than needed are fetched, so that a call rarely waits for the
///   round trip; those that are not used in time are given back.
/// - Without Redis, what is held may be used until its lease is over, and not longer.
///
/// Pure: the time is an argument. For one thread at a time.
class PermitBook {
  public:
    using Ticket = std::uint64_t;  ///< names a call that waits

    struct Config {
        queue::LimitKey key;
        queue::WindowTerms terms;
        std::chrono::milliseconds sync{200};  ///< between two reports to Redis
    };

    /// A call that may start.
    struct Start {
        Ticket ticket = 0;
        std::optional<Charge> charge;  ///< of a key with a window
    };

    explicit PermitBook(Config config);

    /// A call wants to start. `tokens`: estimated.
    void enter(Ticket ticket, std::int64_t tokens);
    /// It does not want to any more. False if it does not wait.
    bool withdraw(Ticket ticket);

    /// Those that may start now, first come first served; from now on they are under way.
    [[nodiscard]] std::vector<Start> serve(async::TimePoint now);

    /// A call is over.
    void end(const std::optional<Charge>& charge, const CallEnd& end, async::TimePoint now);
    /// It took so many tokens.
    void correct(const Charge& charge, std::int64_t tokens);

    /// What is to be said to Redis now, if anything. Must be followed by `answered` or `failed`.
    [[nodiscard]] std::optional<queue::PermitAsk> next_ask(async::TimePoint now);
    void answered(const queue::PermitAnswer& answer, async::TimePoint asked, async::TimePoint now,
                  double random);
    void failed(async::TimePoint now);

    /// When to look again if nothing happens: to `serve`, or for a `next_ask`.
    [[nodiscard]] async::TimePoint due(async::TimePoint now) const;

    /// Nothing more is wanted: everything that is not in use goes back.
    void close(async::TimePoint now);

    [[nodiscard]] std::uint64_t count_running() const noexcept { return running_; }
    [[nodiscard]] std::size_t count_waiting() const noexcept { return waiting_.size(); }
    [[nodiscard]] std::size_t count_in_hand() const noexcept { return in_hand_.size(); }
    /// Calls at once that the fleet may make; none if there is no such limit.
    [[nodiscard]] std::optional<double> fleet_limit() const;
    [[nodiscard]] async::Duration paused_for(async::TimePoint now) const;
    /// Redis does not answer, and what was held may not be used any more.
    [[nodiscard]] bool is_cut_off(async::TimePoint now) const;
    [[nodiscard]] bool is_asking() const noexcept { return is_asking_; }
    [[nodiscard]] const queue::LimitKey& key() const noexcept { return config_.key; }

  private:
    struct Waiting {
        Ticket ticket;
        std::int64_t tokens;
    };
    struct InHand {
        Charge charge;
        async::TimePoint send_by;
    };

    [[nodiscard]] bool may_start(async::TimePoint now) const;
    [[nodiscard]] std::optional<Charge> use_permit(std::int64_t tokens);
    [[nodiscard]] bool has_something_to_say() const;
    [[nodiscard]] std::uint64_t reserve() const;
    [[nodiscard]] std::uint64_t demand() const;
    [[nodiscard]] std::vector<std::int64_t> make_wishes() const;
    [[nodiscard]] std::optional<queue::SharedLimit> propose(async::TimePoint now);
    [[nodiscard]] std::vector<queue::Amendment> take_amendments();
    [[nodiscard]] ServerTime to_server_time(async::TimePoint moment) const;
    void give_back_stale(async::TimePoint now);
    void amend(std::uint64_t bucket, std::int64_t requests, std::int64_t tokens);
    void note_signal(const CallEnd& end);
    void turn_peaks(async::TimePoint now);
    void settle_proposal(const queue::SharedLimit& shared);
    void plan_next(const queue::PermitAnswer& answer, async::TimePoint now, double random);

    Config config_;
    std::deque<Waiting> waiting_;
    std::deque<InHand> in_hand_;
    std::uint64_t running_ = 0;
    std::uint64_t allowed_ = 0;  // calls at once
    bool keep_ = true;           // a call that ends makes room for the next
    bool is_scarce_ = false;     // we got less than we wanted
    bool is_closed_ = false;
    async::TimePoint held_until_{};  // what we hold is ours until then
    async::TimePoint paused_until_{};

    // The talk with Redis
    bool is_asking_ = false;
    bool is_failing_ = false;
    bool is_registered_ = false;    // Redis counts something of ours
    bool is_urgent_ = false;        // there is news that others wait for
    queue::PermitAsk asked_;        // last
    async::TimePoint ask_again_{};  // not before, for what we were refused
    async::TimePoint last_answer_{};
    ServerTime server_now_{0};
    async::TimePoint server_seen_{};

    // News for Redis
    std::map<std::uint64_t, queue::Amendment> amendments_;  // by bucket
    std::optional<async::TimePoint> pause_news_;
    CallSignals signals_;
    CallSignals signals_asked_;  // in the proposal that is under way
    std::optional<queue::SharedLimit> proposal_;
    queue::SharedLimit shared_;
    bool knows_shared_ = false;
    bool is_limit_used_ = false;
    async::TimePoint last_proposal_{};

    // How much to hold
    std::uint64_t starts_ = 0;  // since the last ask
    std::uint64_t peak_ = 0;    // most calls at once, lately
    std::uint64_t peak_before_ = 0;
    async::TimePoint peak_turned_{};
    std::int64_t usual_tokens_ = 0;
};

}  // namespace evalfleet::worker
