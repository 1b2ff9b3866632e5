#pragma once

#include <cstddef>

namespace evalfleet::runs {

/// How many results to ask Redis for at a time, so that an answer stays within a bound of bytes
/// although only their number can be asked for: as many as fit if the next are as large as those
/// that came last. Begins with a few, at most doubles, and halves when an answer was too large
/// after all. Pure.
class ReadPace {
  public:
    struct Limits {
        std::size_t max_results = 512;
        std::size_t max_bytes = std::size_t{8} << 20;  ///< that an answer should not exceed
    };

    explicit ReadPace(Limits limits);

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// So many results came, of so many bytes together.
    void observe(std::size_t results, std::size_t bytes) noexcept;

    /// The answer was more than the client takes. False: it was a single result.
    [[nodiscard]] bool halve() noexcept;

  private:
    Limits limits_;
    std::size_t count_;
};

}  // namespace evalfleet::runs
