#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace evalfleet::runs {

/// The part of a run that is out in Redis: issued and not in the log yet. Bounded by jobs and by
/// bytes, so that Redis and this process hold a window and never the run. The bytes are those of
/// the jobs and of the records to come, which may all wait in Redis before one is fetched; how
/// large a record is, is learnt from those that came.
///
/// Also decides what goes out next: trials that an audit found lost first, then the next ones of
/// the data set.
class Window {
  public:
    struct Limits {
        std::uint64_t max_jobs = 20'000;
        std::uint64_t max_bytes = std::uint64_t{128} * 1024 * 1024;
    };

    explicit Window(Limits limits) : limits_(limits) {}

    /// How many more jobs fit by their number and by the records to come. One does in an empty
    /// window, however large.
    [[nodiscard]] std::uint64_t room() const noexcept;

    /// How large a record is guessed to be until one came.
    void expect_records_of(std::uint64_t bytes) noexcept;

    /// A record of so many bytes came.
    void learn(std::uint64_t record_bytes) noexcept;

    /// A job of so many bytes goes out.
    void issue(std::uint64_t index, std::uint64_t bytes);

    /// The trial is in the log: it takes no room any more.
    void settle(std::uint64_t index);

    /// Redis does not have the job any more: it has to go out again. False if it is not out at all,
    /// or is to go out again already.
    bool reissue(std::uint64_t index);

    /// The next that is to go out again.
    [[nodiscard]] std::optional<std::uint64_t> next_reissue();

    [[nodiscard]] bool holds(std::uint64_t index) const { return issued_.contains(index); }
    [[nodiscard]] bool has_reissues() const noexcept { return !lost_.empty(); }
    [[nodiscard]] std::uint64_t count_jobs() const noexcept { return issued_.size(); }
    /// How many jobs like those that are out have a MiB together; some if none is out.
    [[nodiscard]] std::size_t jobs_a_mib() const noexcept;
    /// Of jobs and of records to come.
    [[nodiscard]] std::uint64_t count_bytes() const noexcept;
    [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

    /// Everything that is out, in no order.
    [[nodiscard]] std::vector<std::uint64_t> issued() const;

  private:
    Limits limits_;
    std::unordered_map<std::uint64_t, std::uint64_t> issued_;  // index -> bytes
    std::uint64_t bytes_ = 0;                                  // of jobs
    double record_bytes_ = 4096;                               // on average of late
    std::uint64_t learnt_from_ = 0;                            // records
    std::deque<std::uint64_t> lost_;
    std::unordered_set<std::uint64_t> is_lost_;
};

}  // namespace evalfleet::runs
