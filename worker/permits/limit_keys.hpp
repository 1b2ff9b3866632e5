#pragma once

#include "common/providers/provider_config.hpp"
#include "common/queue/permit_queue.hpp"

#include <map>
#include <string>
#include <string_view>

namespace evalfleet::worker {

/// What the other side counts a call by. Immutable.
///
/// - By key, unless the operator says otherwise: providers whose keys have the same `api_key_id`
///   share one account, for each limit the strictest that any of them names. A provider without
///   such a label has an account of its own.
/// - By key and model: a model with limits of its own, and every model of a provider whose limits
///   are `per: key_model`.
/// - By model, whichever key: `per: model`, at one address.
class LimitKeys {
  public:
    explicit LimitKeys(const providers::Providers& providers);

    /// `provider` must be one of the providers.
    [[nodiscard]] queue::LimitKey of(std::string_view provider, std::string_view model) const;

  private:
    struct Entry {
        queue::LimitKey shared;  // of calls that have no account of their model's
        providers::LimitScope scope = providers::LimitScope::key;
        std::string address;
        std::map<std::string, providers::Limits, std::less<>> models;
    };

    std::map<std::string, Entry, std::less<>> entries_;  // by provider
};

}  // namespace evalfleet::worker
