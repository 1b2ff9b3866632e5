#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace evalfleet::worker {

/// How many calls were served in the last minute, by which most providers count.
struct ServedMinute {
    static constexpr double kMinuteMs = 60'000;
    static constexpr std::size_t kParts = 12;
    static constexpr double kPartMs = kMinuteMs / kParts;

    std::array<double, kParts> counts{};  ///< by the part of the minute in which they were served
    double first_ms = 0;                  ///< time of the first look; 0: none yet
    double last_ms = 0;                   ///< time of the last one

    void add(double now_ms, double served) noexcept {
        if (first_ms == 0) first_ms = last_ms = now_ms;
        const double parts = std::floor(now_ms / kPartMs) - std::floor(last_ms / kPartMs);
        for (double part = 0; part < std::min<double>(parts, kParts); ++part)
            counts[index(now_ms - part * kPartMs)] = 0;
        last_ms = std::max(last_ms, now_ms);
        counts[index(now_ms)] += served;
    }
    [[nodiscard]] double total() const noexcept {
        double sum = 0;
        for (const double count : counts)
            sum += count;
        return sum;
    }
    /// Of a time before the first look nothing is known.
    [[nodiscard]] double per_second() const noexcept {
        const double known = std::clamp(last_ms - first_ms, 1'000.0, kMinuteMs);
        return total() * 1e3 / known;
    }

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        for (auto& count : self.counts)
            visit(count);
        visit(self.first_ms);
        visit(self.last_ms);
    }
    bool operator==(const ServedMinute&) const = default;

  private:
    [[nodiscard]] static std::size_t index(double ms) noexcept {
        return static_cast<std::size_t>(std::fmod(std::abs(std::floor(ms / kPartMs)), kParts));
    }
};

}  // namespace evalfleet::worker
