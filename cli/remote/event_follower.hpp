#pragma once

#include "cli/remote/progress.hpp"
#include "common/async/clock.hpp"
#include "common/http/sse.hpp"
#include "common/result/result.hpp"

#include <optional>
#include <string>

namespace evalfleet::remote {

/// Follows the events of one run over a connection that may break: what was seen last, whether that
/// was the end, and when to come back. Pure.
class EventFollower {
  public:
    /// How long a coordinator may be away, once it was there, before we give up.
    static constexpr std::chrono::minutes kPatience{10};

    /// The progress that an event tells; nothing if it is of another kind. `invalid` if it cannot
    /// be read.
    [[nodiscard]] Result<std::optional<RunProgress>> take(const http::Event& event,
                                                          async::TimePoint now);

    /// The coordinator answered that there is nothing left to tell.
    void take_nothing_more() { has_ended_ = true; }

    /// The connection broke, or could not be made. How long to wait before the next try; nothing:
    /// it makes no sense, since we never got through, or it has been too long.
    [[nodiscard]] std::optional<async::Duration> take_failure(async::TimePoint now);

    /// The connection stands.
    void take_contact(async::TimePoint now);

    /// To be sent as `Last-Event-ID`; empty: everything is news.
    [[nodiscard]] const std::string& last_id() const noexcept { return last_id_; }
    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

  private:
    std::string last_id_;
    bool has_ended_ = false;
    std::optional<async::TimePoint> last_contact_;
    int failures_ = 0;
};

}  // namespace evalfleet::remote
