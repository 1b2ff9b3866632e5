#pragma once

#include "cli/simulator/api_keys.hpp"
#include "cli/simulator/config.hpp"
#include "cli/simulator/player.hpp"
#include "cli/simulator/quota.hpp"
#include "cli/simulator/request_log.hpp"
#include "cli/simulator/slot_queue.hpp"
#include "common/result/result.hpp"

#include <memory>

namespace evalfleet::simulator {

/// What all threads of a simulator share: answers, limits, slots, outages, keys, the log. Safe to
/// use from any.
class Stage {
  public:
    /// Reads the dataset and the keys, and opens the log. Errors name the file.
    [[nodiscard]] static Result<std::unique_ptr<Stage>> blocking_open(const SimulatorConfig& config,
                                                                      const ServiceConfig& service);

    [[nodiscard]] const SimulatorConfig& config() const noexcept { return config_; }
    [[nodiscard]] Player& player() noexcept { return player_; }
    [[nodiscard]] QuotaKeeper& quotas() noexcept { return quotas_; }
    [[nodiscard]] SlotQueue& slots() noexcept { return slots_; }
    [[nodiscard]] OutagePlan& outages() noexcept { return outages_; }
    [[nodiscard]] const ApiKeys& keys() const noexcept { return keys_; }
    /// Null if nothing is written down.
    [[nodiscard]] RequestLog* log() noexcept { return log_.get(); }

  private:
    Stage(const SimulatorConfig& config, ReferenceBook book, ApiKeys keys,
          std::unique_ptr<RequestLog> log);

    const SimulatorConfig config_;
    Player player_;
    QuotaKeeper quotas_;
    SlotQueue slots_;
    OutagePlan outages_;
    const ApiKeys keys_;
    std::unique_ptr<RequestLog> log_;
};

}  // namespace evalfleet::simulator
