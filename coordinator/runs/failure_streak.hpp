#pragma once

#include "coordinator/runs/tally.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace evalfleet::runs {

/// Notices that a run cannot go well: the model, or the judge, refuses one trial after another in a
/// way that no retry mends (a wrong key, no permission, no such model), with no success in between.
/// Such a run is paused before it is burnt. Failures that pass by themselves (time-outs, overload)
/// neither count nor reset. Pure.
class FailureStreak {
  public:
    /// `limit`: so many in a row are too many; 0: never.
    explicit FailureStreak(std::uint64_t limit = 0) : limit_(limit) {}

    void observe(const Tally::Trial& trial);

    /// What to tell people, once it is too many; none before. Stays until `reset()`.
    [[nodiscard]] const std::optional<std::string>& reason() const noexcept { return reason_; }

    /// Somebody has looked after it.
    void reset();

    /// True for an HTTP status that no later try changes: 401, 402, 403, 404, 405, 410.
    [[nodiscard]] static bool is_fatal(std::int64_t http_status) noexcept;

  private:
    void count(std::uint64_t& streak, std::string_view who, std::int64_t status,
               const std::string& message);

    std::uint64_t limit_;
    std::uint64_t of_model_ = 0;
    std::uint64_t of_judge_ = 0;
    std::optional<std::string> reason_;
};

}  // namespace evalfleet::runs
