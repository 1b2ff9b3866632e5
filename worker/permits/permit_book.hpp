#pragma once

#include "common/async/clock.hpp"
#include "common/queue/permit_queue.hpp"
#include "worker/permits/limit_controller.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace evalfleet::worker {

/// Where a call is counted in its key's window.
struct Charge {
    std::uint64_t bucket = 0;
    std::int64_t tokens = 0;       ///< as estimated
    async::TimePoint arrive_by{};  ///< later than this it may fall into another window
    bool operator==(const Charge&) const = default;
};

/// Who goes first when calls wait: what has begun is finished first.
enum class CallRank {
    retry,  ///< a further attempt of a call
    last,   ///< a call that finishes a trial: the judge's
    first,  ///< a call that begins one
};

/// How a call, one attempt of it, ended.
struct CallEnd {
    enum class Kind {
        answered,    ///< with a good status, or one that says nothing about limits
        throttled,   ///< 429
        overloaded,  ///< 503, 529
        timed_out,   ///< no answer in the attempt's time
        faulted,     ///< another 5xx, a lost connection: says nothing about limits
        unsent,      ///< nothing was sent
    };
    Kind kind = Kind::answered;
    std::optional<async::TimePoint> sent;  ///< when the request was on its way; none: never was
    std::chrono::milliseconds rest{0};     ///< that the provider asked for, or its quota says
    /// From the dispatch to the last byte, of a call that the model answered.
    std::optional<async::Duration> service{};
    std::int64_t output_tokens = 0;  ///< of such a call; 0: not known
    // What its permit knows of it.
    CallPurpose purpose = CallPurpose::answer;
    bool waited = false;  ///< for room

    [[nodiscard]] bool is_refused() const noexcept {
        return kind == Kind::throttled || kind == Kind::overloaded;
    }
};

/// One worker's dealings with one limit key: which of its calls may start, what it holds of the
/// key, what it says to Redis and when.
///
/// - Calls at once: the worker holds places for some. A call that ends makes room for the next one
///   without a word to Redis; Redis is told how things are five times a second, and at once when
///   somebody waits who could be helped. The place of a call that the provider refused stays empty
///   for as long as a call usually takes, or the next one would be refused at once.
/// - Requests and tokens a minute, and a rate that was learnt: permits come in small batches, each
///   good for one request that must be sent soon. A few more than needed are fetched, so that a
///   call rarely waits for the round trip; those that are not used in time are given back.
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
        std::optional<Charge> charge;  ///< of a key with a window or a rate
    };

    explicit PermitBook(Config config);

    /// A call wants to start. `tokens`: estimated.
    void enter(Ticket ticket, std::int64_t tokens, CallRank rank);
    /// It does not want to any more. False if it does not wait.
    bool withdraw(Ticket ticket);

    /// Those that may start now, by rank, first come first served; from now on they are under way.
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
    /// A call that comes now waits for a place.
    [[nodiscard]] bool is_full() const noexcept { return count_used() >= target_; }
    [[nodiscard]] std::size_t count_waiting() const noexcept;
    [[nodiscard]] std::size_t count_in_hand() const noexcept { return in_hand_.size(); }
    /// Calls at once that the fleet may make.
    [[nodiscard]] double fleet_limit() const;
    /// Calls a second that the fleet may make, as it was learnt; 0: any number.
    [[nodiscard]] double fleet_rate() const noexcept { return shared_.rate; }
    [[nodiscard]] async::Duration paused_for(async::TimePoint now) const;
    /// Redis does not answer, and what was held may not be used any more.
    [[nodiscard]] bool is_cut_off(async::TimePoint now) const;
    [[nodiscard]] bool is_asking() const noexcept { return is_asking_; }
    [[nodiscard]] const queue::LimitKey& key() const noexcept { return config_.key; }
    /// What this worker has made of the limits since the last time, for the log; empty: nothing.
    [[nodiscard]] std::string take_news();

  private:
    struct Waiting {
        Ticket ticket;
        std::int64_t tokens;
    };
    struct InHand {
        Charge charge;
        async::TimePoint send_by;
    };
    struct Proposal {
        queue::SharedLimit limit;
        CallSums sums;  // that it was made of
        std::string reason;
    };

    [[nodiscard]] bool needs_grant() const noexcept;
    [[nodiscard]] std::uint64_t count_used() const noexcept { return running_ + cooling_.size(); }
    [[nodiscard]] std::uint64_t count_urgent() const noexcept;
    [[nodiscard]] bool may_start(async::TimePoint now) const;
    [[nodiscard]] std::optional<Charge> use_permit(std::int64_t tokens);
    [[nodiscard]] bool has_something_to_say() const;
    [[nodiscard]] std::uint64_t reserve() const;
    [[nodiscard]] std::uint64_t demand() const;
    [[nodiscard]] std::vector<std::int64_t> make_wishes() const;
    [[nodiscard]] std::vector<queue::Amendment> take_amendments();
    [[nodiscard]] ServerTime to_server_time(async::TimePoint moment) const;
    [[nodiscard]] std::chrono::milliseconds sync() const;
    void give_back_stale(async::TimePoint now);
    void amend(std::uint64_t bucket, std::int64_t requests, std::int64_t tokens);
    void note_rest(const CallEnd& end, async::TimePoint now);
    void pause_until(async::TimePoint moment);
    void note_sums(const CallEnd& end, async::TimePoint now);
    void cool(const CallEnd& end, async::TimePoint now);
    void turn_peaks(async::TimePoint now);
    void note_running(async::TimePoint now);
    [[nodiscard]] double take_running(async::TimePoint now);
    void learn(const queue::PermitAnswer& answer, async::TimePoint now);
    void reckon(const queue::PermitAnswer& answer, async::TimePoint now);
    void plan_next(const queue::PermitAnswer& answer, async::TimePoint now, double random);

    Config config_;
    std::array<std::deque<Waiting>, 3> waiting_;  // by rank
    std::deque<InHand> in_hand_;
    std::uint64_t running_ = 0;
    std::multiset<async::TimePoint> cooling_;  // places of refused calls, until then
    std::uint64_t allowed_ = 0;                // places that we hold
    std::uint64_t target_ = 0;                 // that we may use
    bool is_scarce_ = false;                   // we got less than we wanted
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
    CallSums sums_;
    std::uint64_t refused_ = 0;
    std::optional<Proposal> proposal_;  // not said yet
    std::optional<Proposal> proposed_;  // in the ask that is under way
    queue::SharedLimit shared_;
    LimitController controller_;
    std::string news_;

    // How calls went of late, here
    double busy_ms_ = 0;  // calls under way x time, since the last ask
    async::TimePoint busy_since_{};
    async::TimePoint busy_until_{};
    double recent_answers_ = 0;
    double recent_refusals_ = 0;
    async::TimePoint recent_at_{};
    double usual_ms_ = 0;  // of an answered call

    // How much to hold
    std::uint64_t starts_ = 0;  // since the last ask
    std::uint64_t peak_ = 0;    // most calls at once, lately
    std::uint64_t peak_before_ = 0;
    async::TimePoint peak_turned_{};
    std::int64_t usual_tokens_ = 0;
};

}  // namespace evalfleet::worker
