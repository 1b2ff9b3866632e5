#include "common/statistics/weighted_sums.hpp"

#include "common/statistics/dot_product.hpp"

#include <algorithm>

namespace evalfleet::statistics {
namespace {

constexpr int kLowBits = 15;
constexpr std::uint32_t kLowMask = (1U << kLowBits) - 1;

}  // namespace

std::uint32_t WeightedSums::Column::at(std::size_t unit) const noexcept {
    switch (storage) {
        case Storage::constant:
            return constant;
        case Storage::narrow:
            return narrow[unit];
        case Storage::wide:
            break;
    }
    return (static_cast<std::uint32_t>(high[unit]) << kLowBits) |
           static_cast<std::uint32_t>(low[unit]);
}

bool WeightedSums::Column::equals(std::span<const std::uint32_t> values) const noexcept {
    for (std::size_t unit = 0; unit < values.size(); ++unit) {
        if (at(unit) != values[unit]) return false;
    }
    return true;
}

WeightedSums::WeightedSums(std::size_t units) : units_(units) {
    Column ones;
    ones.constant = 1;
    columns_.push_back(std::move(ones));
}

std::size_t WeightedSums::add(std::span<const std::uint32_t> values) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].equals(values)) return c;
    }
    columns_.push_back(pack(values));
    return columns_.size() - 1;
}

WeightedSums::Column WeightedSums::pack(std::span<const std::uint32_t> values) {
    Column column;
    const auto [least, most] = std::ranges::minmax(values);
    if (least == most) {
        column.constant = least;
    } else if (most <= kNarrowMost) {
        column.storage = Storage::narrow;
        column.narrow.assign(values.begin(), values.end());
    } else {
        column.storage = Storage::wide;
        column.low.reserve(values.size());
        column.high.reserve(values.size());
        for (const std::uint32_t value : values) {
            column.low.push_back(static_cast<std::int16_t>(value & kLowMask));
            column.high.push_back(static_cast<std::int16_t>(value >> kLowBits));
        }
    }
    return column;
}

std::uint64_t WeightedSums::multiply_piece(const Column& column, std::size_t begin,
                                           std::span<const std::uint8_t> multiplicity) {
    const std::uint8_t* const weights = multiplicity.data();
    const std::size_t size = multiplicity.size();
    switch (column.storage) {
        case Storage::constant:
            return 0;  // filled in from the number of draws
        case Storage::narrow:
            return dot(weights, column.narrow.data() + begin, size);
        case Storage::wide:
            break;
    }
    return dot(weights, column.low.data() + begin, size) +
           (dot(weights, column.high.data() + begin, size) << kLowBits);
}

void WeightedSums::multiply(std::span<const std::span<const std::uint8_t>> multiplicities,
                            std::span<std::uint64_t> sums) const {
    std::ranges::fill(sums, 0U);
    for (std::size_t begin = 0; begin < units_; begin += kDotPiece) {
        const std::size_t size = std::min(kDotPiece, units_ - begin);
        for (std::size_t r = 0; r < multiplicities.size(); ++r) {
            const auto piece = multiplicities[r].subspan(begin, size);
            std::uint64_t* const row = sums.data() + r * columns();
            row[kOnes] += sum_of(piece.data(), size);
            for (std::size_t c = 1; c < columns(); ++c) {
                row[c] += multiply_piece(columns_[c], begin, piece);
            }
        }
    }
    for (std::size_t r = 0; r < multiplicities.size(); ++r) {
        std::uint64_t* const row = sums.data() + r * columns();
        for (std::size_t c = 1; c < columns(); ++c) {
            if (columns_[c].storage == Storage::constant)
                row[c] = row[kOnes] * columns_[c].constant;
        }
    }
}

void WeightedSums::multiply(std::span<const std::uint32_t> multiplicity,
                            std::span<std::uint64_t> sums) const {
    for (std::size_t c = 0; c < columns(); ++c) {
        std::uint64_t sum = 0;
        for (std::size_t unit = 0; unit < units_; ++unit) {
            sum += std::uint64_t{multiplicity[unit]} * columns_[c].at(unit);
        }
        sums[c] = sum;
    }
}

}  // namespace evalfleet::statistics
