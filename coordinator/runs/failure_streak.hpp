#pragma once

#include "coordinator/runs/tally.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace evalfleet::runs {

/// Notices that a run cannot go well: one trial after another fails in a way that no retry mends (a
/// wrong key, no such model, no money, a certificate that is not trusted, no worker that has the
/// provider), with no success in between. Such a run is paused before it is burnt. Failures that
/// pass by themselves (time-outs, overload), or that may be a matter of the sample, neither count
/// nor reset. Pure.
class FailureStreak {
  public:
    /// Who is called, for people: `provider 'main', key openai-prod`. Empty: not known.
    struct Callees {
        std::string model{};
        std::string judge{};
    };

    /// `limit`: so many in a row are too many; 0: never.
    explicit FailureStreak(std::uint64_t limit = 0) : FailureStreak(limit, Callees()) {}
    FailureStreak(std::uint64_t limit, Callees callees)
        : limit_(limit), callees_(std::move(callees)) {}

    void observe(const Tally::Trial& trial);

    /// What to tell people, once it is too many; none before. Stays until `reset()`.
    [[nodiscard]] const std::optional<std::string>& reason() const noexcept { return reason_; }

    /// Somebody has looked after it.
    void reset();

    /// True for an HTTP status that no later try changes: 401, 402, 403, 404, 405, 410.
    [[nodiscard]] static bool is_fatal(std::int64_t http_status) noexcept;

    /// True for a refusal that, whatever its status, gives a word of the provider's for a matter of
    /// the account and not of the request: `(insufficient_quota)`, `(API_KEY_INVALID)`, a quota of
    /// the day. Workers end their messages with such words.
    [[nodiscard]] static bool is_about_account(std::string_view message) noexcept;

  private:
    void count(std::uint64_t& streak, std::string_view what, const Tally::Trial& trial,
               std::optional<std::int64_t> status);

    std::uint64_t limit_;
    Callees callees_;
    std::uint64_t of_model_ = 0;
    std::uint64_t of_judge_ = 0;
    std::optional<std::string> reason_;
};

}  // namespace evalfleet::runs
