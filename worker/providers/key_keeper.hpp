#pragma once

#include "common/async/clock.hpp"
#include "common/config/command_line.hpp"
#include "common/providers/provider_config.hpp"
#include "common/redaction/secrets.hpp"
#include "common/result/result.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace evalfleet::worker {

/// The key of one provider. One that is in a file is read again every few seconds, so that keys can
/// be changed without starting workers again. A file that cannot be read, or holds no key, leaves
/// the key as it was. Every key is among the secrets that redactors know before anybody can get it
/// from here, and the last few stay there when there is a new one. Safe to use from any thread.
class KeyKeeper {
  public:
    /// Errors as `blocking_resolve_key`. `secrets`: never null.
    [[nodiscard]] static Result<std::shared_ptr<KeyKeeper>> blocking_create(
        providers::ProviderConfig provider, const config::Environment& environment,
        std::shared_ptr<redaction::Secrets> secrets);

    /// The key now; empty if the provider has none. Looks at the file if it is time to, so not for
    /// I/O threads.
    [[nodiscard]] std::string blocking_current(async::TimePoint now);

    /// Only then `blocking_current` may block.
    [[nodiscard]] bool is_in_file() const { return provider_.api_key_file.has_value(); }

    /// Looks at the file at once. Is there another key than `used` now?
    [[nodiscard]] bool blocking_is_other(const std::string& used);

  private:
    KeyKeeper(providers::ProviderConfig provider, std::shared_ptr<redaction::Secrets> secrets)
        : provider_(std::move(provider)), secrets_(std::move(secrets)) {}
    void adopt(std::string key);
    void blocking_reread();

    providers::ProviderConfig provider_;
    std::shared_ptr<redaction::Secrets> secrets_;
    std::mutex mutex_;               // guards the members below
    std::vector<std::string> keys_;  // the last one is good
    async::TimePoint looked_at_{};
};

}  // namespace evalfleet::worker
