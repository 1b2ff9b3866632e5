#pragma once

namespace evalfleet::worker {

/// A sequential test of the share of calls that is refused: is it the usual one, or a high one?
/// Every call adds to the evidence; it is told as soon as it is no chance.
struct ShareTest {
    /// As a logarithm: chance decides less than once in a hundred.
    static constexpr double kDecided = 5;

    double usual = 0;
    double high = 0;
    double evidence = 0;  ///< for the high share; below 0: for the usual one

    /// Begins anew, with shares that can be told apart.
    void begin(double usual_share, double high_share) noexcept;
    void add(double refused, double total) noexcept;

    [[nodiscard]] bool shows_high() const noexcept { return evidence >= kDecided; }
    [[nodiscard]] bool shows_usual() const noexcept { return evidence <= -kDecided; }

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        for (auto* number : {&self.usual, &self.high, &self.evidence})
            visit(*number);
    }
    bool operator==(const ShareTest&) const = default;
};

}  // namespace evalfleet::worker
