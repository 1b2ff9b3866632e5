#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace evalfleet::worker {

/// A moment of the Redis server's clock, which all workers share.
using ServerTime = std::chrono::milliseconds;

/// What a call is made for; answers and verdicts differ in length.
enum class CallPurpose { answer, verdict };

/// Service times of answered calls, as sums: of y = ln(time + kSlackMs) and x = ln(1 + output
/// tokens). Two windows are compared by the means of y, corrected for the length of the answers;
/// logarithms keep a few very long calls from deciding.
struct ServiceSums {
    /// What queueing at the provider may cost before it counts: less than this is not worth giving
    /// up throughput for, and on a fast server it is our own noise.
    static constexpr double kSlackMs = 10;

    double calls = 0;
    double y = 0;
    double yy = 0;
    double x = 0;
    double xx = 0;
    double xy = 0;

    void add(double time_ms, double output_tokens);

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        for (auto* number : {&self.calls, &self.y, &self.yy, &self.x, &self.xx, &self.xy})
            visit(*number);
    }
    bool operator==(const ServiceSums&) const = default;
};

/// By purpose.
using ServiceByPurpose = std::array<ServiceSums, 2>;

void add(ServiceByPurpose& sums, const ServiceByPurpose& more);
[[nodiscard]] double count_calls(const ServiceByPurpose& sums);
/// The typical service time (a geometric mean), in milliseconds; 0 if nothing was answered.
[[nodiscard]] double typical_ms(const ServiceByPurpose& sums);

/// Variance of the logarithms of the times.
[[nodiscard]] double variance_of(const ServiceByPurpose& sums);

/// What calls have told about a limit key, as sums, so that those of many workers can be added up.
struct CallSums {
    double epoch = 0;            ///< of the limits under which the calls were made
    double longest_rest_ms = 0;  ///< that a refusal asked for: a maximum, not a sum
    double answered = 0;         ///< with anything but what follows
    double throttled = 0;        ///< 429
    double overloaded = 0;       ///< 503, 529
    double timed_out = 0;
    double waited = 0;           ///< of all calls: those that had waited for room
    double refused_ms = 0;       ///< time spent on calls that were throttled or overloaded
    ServiceByPurpose service{};  ///< of calls that the model answered

    [[nodiscard]] double refused() const noexcept { return throttled + overloaded + timed_out; }
    [[nodiscard]] double total() const noexcept { return answered + refused(); }
    [[nodiscard]] bool empty() const noexcept { return *this == CallSums{.epoch = epoch}; }

    /// Of two epochs the later one counts alone.
    void add(const CallSums& other);

    /// A number list. Redis adds two of them up number by number as `add` does: if the first
    /// numbers differ the list with the larger one counts, and of the second ones the larger.
    [[nodiscard]] std::string text() const;
    /// None for anything that `text` does not write.
    [[nodiscard]] static std::optional<CallSums> parse(std::string_view text);

    template <class Self, class Visit>
    static void each(Self& self, Visit visit) {
        for (auto* number : {&self.epoch, &self.longest_rest_ms, &self.answered, &self.throttled,
                             &self.overloaded, &self.timed_out, &self.waited, &self.refused_ms})
            visit(*number);
        for (auto& sums : self.service)
            ServiceSums::each(sums, visit);
    }
    bool operator==(const CallSums&) const = default;
};

/// By how much service times differ between two windows.
struct ServiceChange {
    double log_ratio = 0;  ///< ln(later / earlier), as if the answers were equally long
    double error = 0;      ///< standard error of it
    double weight = 0;     ///< calls that it rests on; `error` is that of one, over their root
};

/// Compares two windows, answers with answers and verdicts with verdicts. None if they have no
/// purpose in common.
[[nodiscard]] std::optional<ServiceChange> compare(const ServiceByPurpose& earlier,
                                                   const ServiceByPurpose& later);

}  // namespace evalfleet::worker
