#pragma once

#include "common/async/clock.hpp"
#include "worker/call/call_outcome.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace evalfleet::worker {

/// Which providers this worker can reach. A worker whose own network is broken must not draw work
/// that others could do: after a row of calls that got no connection it takes no trials of that
/// provider for a while, then a single one to see, then all again once a call got through.
///
/// Only what may be the worker's own fault counts: no connection, no TLS. Whatever a provider
/// answers, it was reached. Safe to use from any thread.
class ProviderHealth {
  public:
    static constexpr std::uint64_t kTooMany = 10;  ///< failures in a row
    static constexpr std::chrono::milliseconds kFirstRest{500};
    static constexpr std::chrono::milliseconds kLongestRest{5'000};

    explicit ProviderHealth(std::vector<std::string> providers);

    /// An attempt of a call ended.
    void observe(const std::string& provider, const std::optional<CallFailure>& failure,
                 async::TimePoint now);

    /// A model of the provider answered. Of `kMaxModels` models it is known when they did so last.
    void note_answer(const std::string& provider, const std::string& model, async::TimePoint now);
    [[nodiscard]] std::optional<async::TimePoint> last_answer(const std::string& provider,
                                                              const std::string& model) const;
    static constexpr std::size_t kMaxModels = 1'024;

    /// What to take jobs for.
    struct Choice {
        std::vector<std::string> providers;      ///< that can be reached, or may be by now
        bool is_trial = false;                   ///< one of them may be: a single job is enough
        std::optional<async::TimePoint> next{};  ///< when to look again, if one is left out
    };
    [[nodiscard]] Choice choose(async::TimePoint now) const;

    /// The providers that cannot be reached, with the reason, for people.
    [[nodiscard]] std::map<std::string, std::string> unreachable() const;

  private:
    struct State {
        std::uint64_t failures = 0;  // in a row
        std::chrono::milliseconds rest{0};
        async::TimePoint rests_until{};
        std::string reason{};

        [[nodiscard]] bool is_unreachable() const noexcept { return failures >= kTooMany; }
    };

    using Model = std::pair<std::string, std::string>;  // provider, name

    mutable std::mutex mutex_;  // guards the members below
    std::map<std::string, State> states_;
    std::map<Model, async::TimePoint> answers_;
};

}  // namespace evalfleet::worker
