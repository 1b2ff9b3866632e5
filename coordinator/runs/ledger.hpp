#pragma once

#include "coordinator/runs/paged_array.hpp"

#include <cstdint>
#include <optional>

namespace evalfleet::runs {

/// Which trials of a run are in the durable log, and where: the one judge of whether a result is
/// the first of its trial. Rebuilt from the log at every start. About 8 bytes for a trial that is
/// done, nearly nothing for one that is not.
class Ledger {
  public:
    explicit Ledger(std::uint64_t total) : places_(total) {}

    /// Notes that the log holds the trial at `offset`. False, and nothing changes, if it is there
    /// already or the run has no such trial.
    bool mark(std::uint64_t index, std::uint64_t offset);

    /// The record is void: a result of the trial is waited for again. False, and nothing changes,
    /// if it is not done.
    bool reopen(std::uint64_t index);

    /// Takes a trial out: it will have no record, and the run does not wait for it. False, and
    /// nothing changes, if it is done or taken out already.
    bool exclude(std::uint64_t index);

    /// Takes out everything that is not done; costs no memory.
    void exclude_open();

    /// Takes a trial in again that was taken out. False, and nothing changes, if it was not.
    bool admit(std::uint64_t index);

    [[nodiscard]] bool is_done(std::uint64_t index) const noexcept;

    /// A result of it is waited for: it is neither done nor taken out.
    [[nodiscard]] bool is_open(std::uint64_t index) const noexcept {
        return index < total() && is_open_place(places_.get(index));
    }
    [[nodiscard]] bool has_everything() const noexcept { return done_ == total(); }

    /// Where the log has it; none if it is not done.
    [[nodiscard]] std::optional<std::uint64_t> offset(std::uint64_t index) const noexcept;

    /// The first trial from `from` on that is neither done nor taken out.
    [[nodiscard]] std::optional<std::uint64_t> next_open(std::uint64_t from) const noexcept;

    /// The first trial from `from` on that is done.
    [[nodiscard]] std::optional<std::uint64_t> next_done(std::uint64_t from) const noexcept;

    [[nodiscard]] std::uint64_t total() const noexcept { return places_.size(); }
    [[nodiscard]] std::uint64_t count_done() const noexcept { return done_; }
    [[nodiscard]] std::uint64_t count_excluded() const noexcept { return excluded_; }
    /// Nothing is waited for any more.
    [[nodiscard]] bool is_complete() const noexcept { return done_ + excluded_ == total(); }

  private:
    // What stands in place of an offset. Nothing is at the beginning of a log, and no log is so
    // long.
    static constexpr std::uint64_t kUntouched = 0;  // open, or taken out with all the rest
    static constexpr std::uint64_t kExcluded = ~std::uint64_t{0};
    static constexpr std::uint64_t kOpen = kExcluded - 1;

    [[nodiscard]] bool is_open_place(std::uint64_t place) const noexcept {
        return place == kOpen || (place == kUntouched && !is_rest_excluded_);
    }
    [[nodiscard]] static bool is_offset(std::uint64_t place) noexcept {
        return place != kUntouched && place < kOpen;
    }

    PagedArray<std::uint64_t> places_;
    bool is_rest_excluded_ = false;
    std::uint64_t done_ = 0;
    std::uint64_t excluded_ = 0;
};

}  // namespace evalfleet::runs
