#pragma once

#include <array>
#include <cstddef>

namespace evalfleet::runs {

/// The median of the last values of something that changes over hours, such as a provider's
/// latency: cheap to add to, and of a fixed size.
class RecentMedian {
  public:
    static constexpr std::size_t kKept = 101;

    void add(double value) noexcept;

    /// 0 while there is none. Looks at all values that are kept.
    [[nodiscard]] double value() const;

  private:
    std::array<double, kKept> values_{};
    std::size_t count_ = 0;
    std::size_t next_ = 0;
};

}  // namespace evalfleet::runs
