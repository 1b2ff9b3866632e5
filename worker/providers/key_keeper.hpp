#pragma once

#include "common/async/clock.hpp"
#include "common/config/command_line.hpp"
#include "common/providers/provider_config.hpp"
#include "common/result/result.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace evalfleet::worker {

/// The key of one provider. One that is in a file is read again when the file changes, so that keys
/// can be changed without starting workers again; the file is looked at every few seconds at most.
/// A file that cannot be read, or holds no key, leaves the key as it was. Safe to use from any
/// thread.
class KeyKeeper {
  public:
    /// Errors as `blocking_resolve_key`.
    [[nodiscard]] static Result<std::shared_ptr<KeyKeeper>> blocking_create(
        providers::ProviderConfig provider, const config::Environment& environment);

    /// The key now; empty if the provider has none. Looks at the file if it is time to, so not for
    /// I/O threads.
    [[nodiscard]] std::string blocking_current(async::TimePoint now);

    /// How often it has changed. Never blocks.
    [[nodiscard]] std::size_t count_changes() const noexcept { return changes_; }

    /// Every key that there was, for redaction: an answer may come in under the last one.
    [[nodiscard]] std::vector<std::string> all() const;

  private:
    struct Stamp {
        std::filesystem::file_time_type changed{};
        std::uintmax_t size = 0;
        bool operator==(const Stamp&) const = default;
    };

    explicit KeyKeeper(providers::ProviderConfig provider) : provider_(std::move(provider)) {}
    [[nodiscard]] std::optional<Stamp> blocking_stamp() const;
    void blocking_reread();

    providers::ProviderConfig provider_;
    std::atomic<std::size_t> changes_ = 0;
    mutable std::mutex mutex_;       // guards the members below
    std::vector<std::string> keys_;  // the last one is good
    std::optional<Stamp> stamp_;
    async::TimePoint looked_at_{};
};

}  // namespace evalfleet::worker
