#pragma once

#include "common/async/clock.hpp"
#include "common/queue/keys.hpp"
#include "common/redis/function_library.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::queue {

/// A limit key: what a provider counts by, and what the operator says it allows. The same for all
/// workers. What it really allows is learnt beside that.
struct LimitKey {
    std::string name;
    std::uint64_t rpm = 0;             ///< requests in a window; 0: no limit
    std::uint64_t tpm = 0;             ///< tokens in a window; 0: no limit
    std::uint64_t max_concurrent = 0;  ///< calls at once; 0: no limit

    /// Every call needs a permit that is counted in the window.
    [[nodiscard]] bool is_rated() const noexcept { return rpm > 0 || tpm > 0; }
    bool operator==(const LimitKey&) const = default;
};

/// How the window of a limit key is kept.
struct WindowTerms {
    std::chrono::milliseconds window{60'000};
    std::chrono::milliseconds margin{1'500};  ///< in which a granted request arrives
    std::chrono::milliseconds lease{30'000};  ///< how long a silent worker keeps what it holds
};

/// The learnt limits as workers share them: opaque to Redis but for the limits themselves.
struct SharedLimit {
    std::uint64_t version = 0;  ///< 0: nobody has set it yet
    std::string state{};
    double calls = 0;  ///< at once
    double rate = 0;   ///< calls a second; 0: any number

    bool operator==(const SharedLimit&) const = default;
};

/// A request that was counted otherwise than it turned out to be.
struct Amendment {
    std::uint64_t bucket = 0;
    std::int64_t requests = 0;
    std::int64_t tokens = 0;

    bool operator==(const Amendment&) const = default;
};

/// What a worker says about a limit key: how things are with it, not what changed. So a lost answer
/// needs no repair.
struct PermitAsk {
    double running = 0;                     ///< calls at the provider, on average of late
    std::uint64_t in_use = 0;               ///< places in use, and permits in hand
    std::uint64_t wanted = 0;               ///< calls that wait
    std::uint64_t urgent = 0;               ///< of them: those that have begun
    std::chrono::milliseconds pause{0};     ///< the provider wants nobody to call for so long
    double first_calls = 1;                 ///< at once, until something is learnt
    std::chrono::milliseconds tick{200};    ///< how often the learnt limits are reckoned anew
    std::uint64_t refused = 0;              ///< calls, since the last ask
    std::string sums{};                     ///< what calls told since the last ask
    std::optional<SharedLimit> proposal{};  ///< reckoned from the version it names
    std::string reason{};                   ///< of the proposal, for people
    std::vector<Amendment> amendments{};
    std::vector<std::int64_t> wishes{};  ///< estimated tokens of the next calls, in order
};

struct PermitAnswer {
    std::uint64_t granted = 0;  ///< of the wishes
    std::uint64_t bucket = 0;   ///< in which they are counted
    std::uint64_t allowed = 0;  ///< places that the worker holds
    std::uint64_t target = 0;   ///< calls that may be under way
    std::chrono::milliseconds wait{0};
    std::chrono::milliseconds paused{0};
    SharedLimit shared{};
    std::chrono::milliseconds server_now{0};  ///< since the epoch
    std::uint64_t fleet_held = 0;
    double fleet_running = 0;
    std::uint64_t fleet_requests = 0;
    std::uint64_t fleet_tokens = 0;
    std::string sums{};                    ///< of the fleet; empty: they are somebody else's
    std::chrono::milliseconds elapsed{0};  ///< that the sums are about; 0: as above
};

/// A limit key in numbers.
struct LimitStats {
    std::string key;
    std::uint64_t held = 0;    ///< places for calls at once
    std::uint64_t unmet = 0;   ///< calls that wait for one
    std::uint64_t urgent = 0;  ///< of them: those that have begun
    double running = 0;        ///< calls at the provider, on average of late
    std::uint64_t workers = 0;
    std::uint64_t requests = 0;
    std::uint64_t tokens = 0;
    double calls = 0;  ///< learnt limit of calls at once; 0: none yet
    double rate = 0;   ///< learnt limit of calls a second; 0: none
    std::chrono::milliseconds paused{0};
    std::uint64_t refused = 0;                   ///< calls so far
    std::chrono::milliseconds since_refusal{0};  ///< the last one
    std::string reason{};                        ///< why the learnt limits changed last
    std::chrono::milliseconds since_change{0};
};

/// Limits of providers as one worker meets them. May be called from any thread; errors and
/// cancellation are those of `redis::Client::execute`, `invalid` for an answer that makes no sense.
class PermitQueue {
  public:
    /// `worker`: unique among the workers that live at the same time.
    PermitQueue(redis::FunctionLibrary& functions, Keys keys, std::string worker);

    [[nodiscard]] boost::asio::awaitable<Result<PermitAnswer>> ask(LimitKey key, WindowTerms terms,
                                                                   PermitAsk ask,
                                                                   async::TimePoint deadline);

    [[nodiscard]] boost::asio::awaitable<Result<std::vector<LimitStats>>> stats(
        async::TimePoint deadline);

  private:
    redis::FunctionLibrary& functions_;
    Keys keys_;
    std::string worker_;
};

[[nodiscard]] Result<PermitAnswer> decode_permit(const redis::Reply& reply);
[[nodiscard]] Result<std::vector<LimitStats>> decode_permits(const redis::Reply& reply);

}  // namespace evalfleet::queue
