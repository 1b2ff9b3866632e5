#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace evalfleet::statistics {

/// Why values differ: because samples do, and because the repeats of one sample do. Every sample
/// weighs the same, however many repeats it has.
struct VarianceComponents {
    std::uint64_t samples = 0;
    double mean = 0;             ///< of the samples' means
    double of_means = 0;         ///< variance of the samples' means (n - 1)
    double inverse_repeats = 1;  ///< mean over samples of 1 / repeats
    /// Variance of the repeats of a sample, pooled; none if no sample has two.
    std::optional<double> within{};

    /// Variance that would be left with endless repeats, not below 0; none if `within` is.
    [[nodiscard]] std::optional<double> between() const;
    /// Variance of the samples' means with `factor` times as many repeats; none if `within` is.
    [[nodiscard]] std::optional<double> with_repeats_times(double factor) const;
};

/// Gathers them, a sample at a time.
class VarianceSplitter {
  public:
    /// The values of one sample's repeats; one without any adds nothing.
    void add_sample(std::span<const double> repeats);

    /// Null below two samples.
    [[nodiscard]] std::optional<VarianceComponents> components() const;

    /// The means of the samples, in the order they came.
    [[nodiscard]] std::span<const double> means() const noexcept { return means_; }

  private:
    std::vector<double> means_;
    double inverse_repeats_ = 0;
    double squares_within_ = 0;
    std::uint64_t degrees_within_ = 0;
};

}  // namespace evalfleet::statistics
