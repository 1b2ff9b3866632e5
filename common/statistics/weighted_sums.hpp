#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace evalfleet::statistics {

/// A bootstrap replicate of a mean needs the sum of a column over the drawn units, each as often as
/// it was drawn. Gathering values draw by draw misses the cache at every draw; this walks the
/// columns from front to back instead and multiplies by the multiplicities, in whole numbers, so
/// that the sums are exact and their order does not matter.
class WeightedSums {
  public:
    /// Values of a column are below this.
    static constexpr std::uint32_t kValueLimit = 1U << 30;
    /// The column that is always there and is 1 everywhere: its sum is the number of draws.
    static constexpr std::size_t kOnes = 0;

    explicit WeightedSums(std::size_t units);

    /// Adds a column with one value for each unit and returns its number. A column that is equal
    /// to an earlier one is not stored again.
    std::size_t add(std::span<const std::uint32_t> values);

    [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }

    /// sums[r * columns() + c] = sum over units of multiplicities[r][unit] * column c[unit].
    /// Several replicates at a time, so that a piece of a column is used for all while it is in the
    /// cache.
    void multiply(std::span<const std::span<const std::uint8_t>> multiplicities,
                  std::span<std::uint64_t> sums) const;

    /// The same for one replicate whose multiplicities do not fit in a byte.
    void multiply(std::span<const std::uint32_t> multiplicity, std::span<std::uint64_t> sums) const;

  private:
    // How a column is stored, by its largest value: the fewer bytes, the less memory is walked.
    enum class Storage { constant, narrow, wide };

    struct Column {
        Storage storage = Storage::constant;
        std::uint32_t constant = 0;
        std::vector<std::uint8_t> narrow;  ///< up to kNarrowMost
        std::vector<std::int16_t> low;     ///< wide: the lower 15 bits
        std::vector<std::int16_t> high;    ///< wide: the upper 15 bits

        [[nodiscard]] std::uint32_t at(std::size_t unit) const noexcept;
        [[nodiscard]] bool equals(std::span<const std::uint32_t> values) const noexcept;
    };

    // 2 * 255 * 63 fits in the 16 signed bits of a byte multiply-add.
    static constexpr std::uint32_t kNarrowMost = 63;

    [[nodiscard]] static Column pack(std::span<const std::uint32_t> values);
    [[nodiscard]] static std::uint64_t multiply_piece(const Column& column, std::size_t begin,
                                                      std::span<const std::uint8_t> multiplicity);

    std::size_t units_;
    std::vector<Column> columns_;
};

}  // namespace evalfleet::statistics
