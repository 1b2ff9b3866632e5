#pragma once

#include <cstdint>

namespace evalfleet::runs {

/// Which trial an index within a run stands for. The index is the job's idempotency key:
/// sample_index x repeats + (repeat - 1).
struct TrialIndex {
    std::uint64_t sample_index = 0;
    std::uint64_t repeat = 1;

    [[nodiscard]] static constexpr TrialIndex of(std::uint64_t index, std::uint64_t repeats) {
        return {index / repeats, index % repeats + 1};
    }
    bool operator==(const TrialIndex&) const = default;
};

}  // namespace evalfleet::runs
