#include "common/metrics/instruments.hpp"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

namespace evalfleet::metrics {

void Counter::increment(double by) noexcept {
    counter_->Increment(by);
}

void Counter::raise_to(double total) noexcept {
    const double missing = total - counter_->Value();
    if (missing > 0) counter_->Increment(missing);
}

double Counter::value() const noexcept {
    return counter_->Value();
}

void Gauge::set(double value) noexcept {
    gauge_->Set(value);
}

void Gauge::add(double by) noexcept {
    gauge_->Increment(by);
}

double Gauge::value() const noexcept {
    return gauge_->Value();
}

void Histogram::observe(double value) noexcept {
    histogram_->Observe(value);
}

}  // namespace evalfleet::metrics
