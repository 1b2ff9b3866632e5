#pragma once

#include "common/job/trial_record.hpp"

#include <cstdint>

namespace evalfleet::job {

/// Which trial an index within a run stands for. The index is the job's idempotency key, the number
/// of an entry of the log, and what orders and books are kept by; it is computed here only, so that
/// coordinator and workers cannot disagree. All repeats of a sample follow each other.
///
/// Nothing is checked: `repeats` is at least 1, and a trial that comes from outside is one of the
/// run's.
struct TrialIndex {
    std::uint64_t sample_index = 0;  ///< from 0
    std::uint64_t repeat = 1;        ///< from 1

    [[nodiscard]] static constexpr TrialIndex of(std::uint64_t index, std::uint64_t repeats) {
        return {index / repeats, index % repeats + 1};
    }
    /// Of a record that was read: its members are never negative.
    [[nodiscard]] static TrialIndex of(const TrialRecord& record) {
        return {static_cast<std::uint64_t>(record.sample_index),
                static_cast<std::uint64_t>(record.repeat)};
    }

    [[nodiscard]] constexpr std::uint64_t within(std::uint64_t repeats) const {
        return sample_index * repeats + (repeat - 1);
    }
    void enter(TrialRecord& record) const {
        record.sample_index = static_cast<std::int64_t>(sample_index);
        record.repeat = static_cast<std::int64_t>(repeat);
    }
    bool operator==(const TrialIndex&) const = default;
};

}  // namespace evalfleet::job
