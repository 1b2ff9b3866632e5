#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// What must hold after any fault, decided from what was observed. Pure: `test_bed.hpp` observes.
/// Each check names everything that is wrong, one sentence each; none means that all is well.
namespace evalfleet::chaos {

using Findings = std::vector<std::string>;

/// How often each trial, (sample_index, repeat), is in a run's records.
using Ledger = std::map<std::pair<std::int64_t, std::int64_t>, int>;

/// What a run was to do, and what became of it.
struct RunOutcome {
    std::string id{};
    std::string state{};
    std::string note{};
    std::uint64_t errors = 0;  ///< trials that ended with an error
    std::int64_t samples = 0;  ///< sample_index is below
    std::int64_t repeats = 0;  ///< repeat is from 1 to this
    bool is_whole = true;      ///< every trial must be there; else each at most once
    bool may_be_cancelled = false;
    int verify_exit_code = 0;  ///< of `evalfleet verify`
    Ledger ledger{};
};

[[nodiscard]] std::size_t count_lost(const RunOutcome& run);
[[nodiscard]] std::size_t count_doubled(const RunOutcome& run);

/// Every trial exactly once, none that there is not, the right state, no error, verified.
[[nodiscard]] Findings check_run(const RunOutcome& run);

/// Model calls by what was asked. Equal trials of a run, its repeats, ask the same.
using Calls = std::map<std::string, std::size_t>;

/// Calls beyond those that `repeats` trials of each question need.
[[nodiscard]] std::size_t count_repeated(const Calls& calls, std::size_t repeats);

/// At most 5 % of the calls that were needed, and those that were in flight when something broke.
[[nodiscard]] Findings check_repeated(const Calls& calls, std::size_t repeats,
                                      std::size_t in_flight);

/// Calls that came when every run was over are of jobs that nobody wants: none, but for those that
/// something broke while they were in flight.
[[nodiscard]] Findings check_late(std::size_t late, std::size_t in_flight);

/// What the queue has in Redis.
struct QueueKey {
    std::string name;
    std::int64_t ttl_ms = -1;            ///< -1: for ever
    std::vector<std::string> members{};  ///< of the keys that are of all runs together
};

/// Nothing of a run that is over may be left but `run:<id>`, its tombstone, with a ttl.
[[nodiscard]] Findings check_keys(const std::vector<QueueKey>& keys,
                                  const std::vector<std::string>& ended_runs);

/// What a process that lives on has taken of the machine.
struct Level {
    std::size_t descriptors = 0;
    std::size_t memory_kib = 0;
};
using Levels = std::map<std::string, Level>;  ///< by the name of the process

/// Back where they were: a few descriptors more, a quarter and 32 MiB more memory.
[[nodiscard]] Findings check_levels(const Levels& before, const Levels& after);

}  // namespace evalfleet::chaos
