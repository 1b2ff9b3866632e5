#include "worker/permits/limit_controller.hpp"

#include "worker/permits/number_list.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace evalfleet::worker {

namespace {

constexpr double kMost = ThrottleCeiling::kMost;

double most_of(const queue::LimitKey& key) {
    if (key.max_concurrent == 0) return kMost;
    return std::min(kMost, static_cast<double>(key.max_concurrent));
}

}  // namespace

LimitController LimitController::start(const queue::LimitKey& key) {
    LimitController controller;
    controller.most_ = most_of(key);
    const bool is_given = key.max_concurrent > 0;
    // Without a word about calls at once: what a second of the allowed requests comes to.
    const double a_second = static_cast<double>(key.rpm) / 60;
    const double first = is_given ? controller.most_ : std::clamp(a_second, 1.0, kMost);
    controller.latency_ = LatencyCeiling(first, controller.most_, is_given);
    return controller;
}

LimitController LimitController::of(const queue::SharedLimit& shared, const queue::LimitKey& key) {
    if (const auto controller = parse(shared.state, key)) return *controller;
    LimitController controller = start(key);
    const bool is_foreign = !shared.state.empty() && shared.calls >= 1 &&
                            std::isfinite(shared.calls) &&
                            !from_number_list<LimitController>(shared.state);
    if (is_foreign)
        controller.latency_ =
            LatencyCeiling(std::min(controller.most_, shared.calls), controller.most_, true);
    return controller;
}

std::optional<LimitController> LimitController::parse(std::string_view text,
                                                      const queue::LimitKey& key) {
    auto controller = from_number_list<LimitController>(text);
    if (!controller || controller->most_ != most_of(key)) return std::nullopt;
    if (!controller->throttle_.is_sound() || !controller->latency_.is_sound()) return std::nullopt;
    return controller;
}

std::string LimitController::text() const {
    return to_number_list(*this);
}

LimitChange LimitController::step(LimitTick tick) {
    if (tick.sums.epoch != epoch_) tick.sums = {};
    tick.sums.epoch = 0;  // the ceilings add up what is left over all epochs
    const ServerTime cut_before = cut_at(), measured_before = measure_from();
    LimitChange throttled = throttle_.observe(tick);
    LimitChange queued = latency_.observe(tick, throttle_.calls(), throttle_.is_suspicious());
    if (cut_at() != cut_before || measure_from() != measured_before) epoch_ += 1;
    return throttled.reason.empty() ? queued : throttled;
}

double LimitController::calls() const noexcept {
    return std::max(1.0, std::min({most_, throttle_.calls(), latency_.calls()}));
}

std::chrono::milliseconds LimitController::tick() const {
    return std::chrono::milliseconds(static_cast<std::int64_t>(latency_.tick_ms()));
}

}  // namespace evalfleet::worker
