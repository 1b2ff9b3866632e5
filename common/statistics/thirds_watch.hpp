#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace evalfleet::statistics {

/// Compares the first and the last third of values that come one after another: whether their mean
/// moves while they come. Pure; bounded memory: neighbours are put together as they become many,
/// so that a third is exact to one part in 32.
class ThirdsWatch {
  public:
    void add(double value);

    struct Means {
        double first = 0;
        double last = 0;
    };
    /// The means of both thirds, if they are farther apart than `deviations` standard deviations of
    /// their difference. None for less than `kFewest` values: too few to compare.
    [[nodiscard]] std::optional<Means> find_difference(double deviations) const;

    static constexpr std::uint64_t kFewest = 30;

  private:
    struct Part {
        double count = 0;
        double sum = 0;
        double squares = 0;

        void merge(const Part& other) noexcept;
    };
    static constexpr std::size_t kMostParts = 192;

    std::uint64_t count_ = 0;
    std::uint64_t width_ = 1;  // values in a part; the last may have fewer
    std::vector<Part> parts_;
};

}  // namespace evalfleet::statistics
