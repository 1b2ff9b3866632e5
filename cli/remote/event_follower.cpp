#include "cli/remote/event_follower.hpp"

#include "common/json/document.hpp"

#include <algorithm>

namespace evalfleet::remote {

namespace {

constexpr std::chrono::milliseconds kFirstDelay{250};
constexpr int kMaxDoublings = 5;  // 8 s

}  // namespace

Result<std::optional<RunProgress>> EventFollower::take(const http::Event& event,
                                                       async::TimePoint now) {
    take_contact(now);
    if (event.type != "progress" && event.type != "end") return std::optional<RunProgress>();
    const auto document = json::Document::parse(event.data);
    if (!document) return document.error().within("an event");
    auto progress = read_progress(document->root());
    if (!progress) return progress.error().within("an event");
    last_id_ = event.id;
    if (event.type == "end") has_ended_ = true;
    return std::optional(std::move(*progress));
}

void EventFollower::take_contact(async::TimePoint now) {
    last_contact_ = now;
    failures_ = 0;
}

std::optional<async::Duration> EventFollower::take_failure(async::TimePoint now) {
    if (!last_contact_ || now - *last_contact_ > kPatience) return std::nullopt;
    const int doublings = std::min(failures_++, kMaxDoublings);
    return kFirstDelay * (1 << doublings);
}

}  // namespace evalfleet::remote
