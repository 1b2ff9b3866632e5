#pragma once

#include "cli/simulator/rolling_window.hpp"

#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace evalfleet::simulator {

/// What has limits of its own.
enum class LimitBy { key, model, key_and_model };

/// What one key, model, or model of a key may use; 0: without limit.
struct QuotaConfig {
    std::uint64_t rpm = 0;             ///< requests in any window
    std::uint64_t tpm = 0;             ///< tokens of prompts and answers in any window
    std::uint64_t max_concurrent = 0;  ///< requests at once
    std::chrono::seconds window{60};
    LimitBy by = LimitBy::key;
    bool is_hidden = false;  ///< clients are told neither what is left nor how long to wait

    [[nodiscard]] bool is_limited() const { return rpm > 0 || tpm > 0 || max_concurrent > 0; }
};

/// What is left, as replies tell it.
struct QuotaView {
    std::optional<Allowance> requests{};
    std::optional<Allowance> tokens{};
};

/// Holds everybody to the provider's limits. A request counts with all its tokens from the
/// moment it is let in; one that is refused does not count. Any thread may call it.
class QuotaKeeper {
  public:
    enum class Limit { requests, tokens, concurrency };

    struct Refusal {
        Limit limit = Limit::requests;
        /// Until it would be let in, a guess for `concurrency`; none if limits are hidden.
        std::optional<async::Duration> wait{};
    };

    /// One request that is under way; its end makes room for another.
    class Place {
      public:
        Place() = default;
        Place(QuotaKeeper& keeper, std::uint64_t account) : keeper_(&keeper), account_(account) {}
        Place(Place&& other) noexcept;
        Place& operator=(Place&& other) noexcept;
        ~Place();

      private:
        QuotaKeeper* keeper_ = nullptr;
        std::uint64_t account_ = 0;
    };

    struct Verdict {
        std::optional<Refusal> refusal{};
        std::optional<QuotaView> view{};  ///< if there are limits that are told
        Place place{};
    };

    explicit QuotaKeeper(QuotaConfig config) : config_(config) {}

    [[nodiscard]] Verdict admit(std::string_view key, std::string_view model, std::uint64_t tokens,
                                async::TimePoint now);

  private:
    struct Account {
        explicit Account(const QuotaConfig& config)
            : requests(config.rpm, config.window), tokens(config.tpm, config.window) {}
        RollingWindow requests;
        RollingWindow tokens;
        std::uint64_t under_way = 0;
    };

    [[nodiscard]] std::uint64_t account_id(std::string_view key, std::string_view model) const;
    [[nodiscard]] Account& account_of(std::uint64_t id, async::TimePoint now);
    [[nodiscard]] std::optional<Refusal> refuse(Account& account, std::uint64_t tokens,
                                                async::TimePoint now) const;
    void leave(std::uint64_t id);

    QuotaConfig config_;
    std::mutex mutex_;                                     // guards the accounts
    std::unordered_map<std::uint64_t, Account> accounts_;  // by `account_id`
    async::TimePoint latest_{};
};

}  // namespace evalfleet::simulator
