#pragma once

#include "common/async/clock.hpp"
#include "coordinator/runs/tally.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace evalfleet::runs {

/// Notices that a run cannot be measured, so that it is paused before it is burnt:
///
/// - one call after another fails in a way that no retry mends (a wrong key, no such model, no
///   money, a certificate that is not trusted, no worker that has the provider, a judge that cannot
///   be reached), with no success in between;
/// - every trial so far was refused with one and the same status, be it 400 or 422, or got a reply
///   that cannot be read: then it is not a matter of the sample;
/// - every answer so far was refused by the judge likewise, or got a reply of it that cannot be
///   read;
/// - no call ever succeeded, and calls have failed for reasons of infrastructure for a while;
/// - none has succeeded for as long as the run is patient with a trial: from then on its trials
/// would
///   be recorded as failed, one after the other.
///
/// Other failures that pass by themselves, or that may be a matter of the sample, neither count nor
/// reset. Pure.
class FailureStreak {
  public:
    /// Who is called, for people: `provider 'main', key openai-prod`. Empty: not known.
    struct Callees {
        std::string model{};
        std::string judge{};
    };

    /// So many in a row are too many; 0: never.
    explicit FailureStreak(std::uint64_t limit = 0) : FailureStreak(limit, Callees()) {}
    /// `give_up_after`: for so long the run is patient with a trial.
    FailureStreak(std::uint64_t limit, Callees callees,
                  async::Duration give_up_after = std::chrono::minutes(30))
        : limit_(limit),
          callees_(std::move(callees)),
          longest_outage_(std::max<async::Duration>(give_up_after, kMinLateOutage)) {}

    /// A trial's record came.
    void observe(const Tally::Trial& trial, async::TimePoint now);

    /// A call that failed for reasons of infrastructure, and whose trial is tried again later.
    struct Setback {
        enum class Role { model, judge };
        Role role = Role::model;
        job::CallError kind = job::CallError::connect;
        std::optional<std::int64_t> http_status{};
        std::string message{};
        std::uint64_t attempts = 1;  ///< of the call
    };
    void observe_setback(const Setback& setback, async::TimePoint now);

    /// What to tell people, once it is too many; none before. Stays until `reset()`.
    [[nodiscard]] const std::optional<std::string>& reason() const noexcept { return reason_; }

    /// Somebody has looked after it: the run begins anew, with another limit if one is given.
    void reset(std::optional<std::uint64_t> limit = std::nullopt);

    /// So many attempts must have failed, for so long, before a run of which none succeeded is
    /// given up. The time is for servers that are just starting, and for blips. A provider that
    /// says 429 may count by the minute, and is given a little more than one.
    static constexpr std::uint64_t kMinSetbacks = 20;
    static constexpr std::uint64_t kMinSetbacksEach = 2;  ///< of all trials of a smaller run
    static constexpr std::chrono::seconds kMinOutage{15};
    static constexpr std::chrono::seconds kMinThrottling{75};
    /// A provider that serves nothing is called ever more rarely, so that so many attempts may take
    /// minutes: from then on these few are enough.
    static constexpr std::uint64_t kFewSetbacks = 4;
    static constexpr std::chrono::seconds kPacedOutage{25};
    /// What worked before is given at least so long to come back, however impatient the run is.
    static constexpr std::chrono::minutes kMinLateOutage{5};

    /// True for an HTTP status that no later try changes: 401, 402, 403, 404, 405, 410.
    [[nodiscard]] static bool is_fatal(std::int64_t http_status) noexcept;

    /// True for a refusal that, whatever its status, gives a word of the provider's for a matter of
    /// the account and not of the request: `(insufficient_quota)`, `(API_KEY_INVALID)`, a quota of
    /// the day. Workers end their messages with such words.
    [[nodiscard]] static bool is_about_account(std::string_view message) noexcept;

  private:
    // A call that failed, whoever was called.
    struct Failure {
        Setback::Role role = Setback::Role::model;
        std::optional<job::CallError> kind{};
        std::optional<std::int64_t> http_status{};
        std::string_view message{};
    };
    // What is known of the calls to one of the two.
    struct Calls {
        std::uint64_t in_a_row = 0;  // fatal failures
        bool has_succeeded = false;
        std::uint64_t setbacks = 0;  // attempts that failed so that it may pass, since a success
        bool is_throttled = false;   // one of these was a 429
        std::optional<async::TimePoint> first_setback{};
    };
    // How often everything ended in the same way; none once something did not.
    struct Sameness {
        std::optional<std::int64_t> what{};
        std::uint64_t count = 0;
        bool is_broken = false;

        bool take(std::optional<std::int64_t> next);
    };

    void observe_call(const Tally::Trial& trial, async::TimePoint now);
    void observe_judgement(const Tally::Trial& trial);
    void succeed(Calls& calls);
    [[nodiscard]] bool is_given_up(const Calls& calls, async::TimePoint now) const;
    void count_fatal(const Failure& failure);
    void count_outage(const Failure& failure, std::uint64_t attempts, async::TimePoint now);
    void tell(const std::string& what);
    [[nodiscard]] static std::string how(const Failure& failure, std::uint64_t count);
    [[nodiscard]] std::uint64_t enough_setbacks() const noexcept;
    [[nodiscard]] std::string callee(Setback::Role role) const;
    [[nodiscard]] Calls& calls_of(Setback::Role role) noexcept {
        return role == Setback::Role::model ? model_ : judge_;
    }

    std::uint64_t limit_;
    Callees callees_;
    async::Duration longest_outage_ = kMinLateOutage;
    Calls model_;
    Calls judge_;
    Sameness refusals_;        // of all trials, by status
    Sameness judge_refusals_;  // of all answers, by status
    Sameness unreadable_;      // of all answers
    std::optional<std::string> reason_;
};

}  // namespace evalfleet::runs
