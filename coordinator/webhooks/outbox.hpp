#pragma once

#include "common/result/result.hpp"
#include "coordinator/webhooks/webhook_config.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::webhooks {

/// What is to be sent, on the disk until somebody took it:
///
///     <store>/webhooks/<name of the webhook>/<milliseconds>-<event>-<id>
///
/// each file the body as it is sent. Written and synced before it counts as told, removed after a
/// receiver said that it has it; whoever dies in between tells it again, under the same id.
///
/// Everything blocks and may be called from any thread.
class Outbox {
  public:
    /// A body that waits, as its file's name has it.
    struct Letter {
        std::string file;
        std::string event;
        std::string id;
        std::chrono::system_clock::time_point at;
    };

    static constexpr std::size_t kMaxLetters = 10'000;  ///< of a webhook; the oldest go first

    explicit Outbox(std::filesystem::path store) : folder_(std::move(store) / "webhooks") {}

    /// Puts an event in for a webhook. How many older ones had to go for it.
    [[nodiscard]] Result<std::size_t> blocking_put(const Webhook& webhook, const Event& event,
                                                   std::string_view link) const;

    /// Those of a webhook that wait, the oldest first.
    [[nodiscard]] Result<std::vector<Letter>> blocking_list(const std::string& webhook) const;
    [[nodiscard]] Result<std::string> blocking_read(const std::string& webhook,
                                                    const Letter& letter) const;
    void blocking_remove(const std::string& webhook, const Letter& letter) const;

    /// Removes what waits for webhooks that are no more.
    void blocking_forget_others(const std::vector<Webhook>& known) const;

    /// Since when events are told: the moment at which this store first had a webhook. What was
    /// over before is old news.
    [[nodiscard]] Result<std::chrono::system_clock::time_point> blocking_begin(
        std::chrono::system_clock::time_point now) const;

  private:
    std::filesystem::path folder_;
};

}  // namespace evalfleet::webhooks
