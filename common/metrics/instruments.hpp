#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace prometheus {
class Counter;
class Gauge;
class Histogram;
}  // namespace prometheus

namespace evalfleet::metrics {

// Handles to series that a Registry owns: one pointer, copied freely, usable from any thread, valid
// as long as the registry. A component takes them once, in its constructor, and keeps them.

/// A figure that only grows.
class Counter {
  public:
    void increment(double by = 1) noexcept;
    /// Raises it to a total that is counted elsewhere; a lower one is ignored. For collectors.
    void raise_to(double total) noexcept;
    [[nodiscard]] double value() const noexcept;

  private:
    friend class Registry;
    explicit Counter(prometheus::Counter& counter) noexcept : counter_(&counter) {}
    prometheus::Counter* counter_;
};

/// A figure that goes up and down.
class Gauge {
  public:
    void set(double value) noexcept;
    void add(double by) noexcept;
    [[nodiscard]] double value() const noexcept;

  private:
    friend class Registry;
    explicit Gauge(prometheus::Gauge& gauge) noexcept : gauge_(&gauge) {}
    prometheus::Gauge* gauge_;
};

/// A distribution, counted in buckets.
class Histogram {
  public:
    void observe(double value) noexcept;
    /// In seconds, the unit of every duration on a metrics page.
    void observe(std::chrono::nanoseconds duration) noexcept {
        observe(std::chrono::duration<double>(duration).count());
    }

  private:
    friend class Registry;
    explicit Histogram(prometheus::Histogram& histogram) noexcept : histogram_(&histogram) {}
    prometheus::Histogram* histogram_;
};

/// Counts something as going on from here to the end of the scope.
class InFlight {
  public:
    explicit InFlight(Gauge gauge) noexcept : gauge_(gauge) { gauge_.add(1); }
    ~InFlight() { gauge_.add(-1); }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

  private:
    Gauge gauge_;
};

/// Observes how long a scope took, unless told to forget it. On the monotonic clock.
class Timer {
  public:
    explicit Timer(Histogram histogram) noexcept : histogram_(histogram) {}
    ~Timer() {
        if (histogram_) histogram_->observe(elapsed());
    }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept {
        return std::chrono::steady_clock::now() - begin_;
    }
    void forget() noexcept { histogram_.reset(); }

  private:
    std::optional<Histogram> histogram_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace evalfleet::metrics
