#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Whether something takes more and more memory. Pure, but for `resident_mib`.
namespace evalfleet::bench {

/// What one part of a fleet took, in MiB, in equal steps of time.
class MemoryCurve {
  public:
    static constexpr double kMayGrowBy = 0.10;
    static constexpr double kMayGrowByMib = 16;

    void add(double mib) { points_.push_back(mib); }

    [[nodiscard]] double most() const;
    /// The median of the first and of the last fifth.
    [[nodiscard]] double early() const;
    [[nodiscard]] double late() const;
    /// Late as much as early, but for a tenth and 16 MiB.
    [[nodiscard]] bool is_flat() const;

  private:
    std::vector<double> points_;
};

/// VmRSS of a process; 0 if there is none.
[[nodiscard]] double resident_mib(int pid);

}  // namespace evalfleet::bench
