#pragma once

#include "common/config/command_line.hpp"
#include "common/providers/provider_config.hpp"
#include "common/redaction/secrets.hpp"
#include "common/result/result.hpp"
#include "worker/auth/authorizer.hpp"
#include "worker/permits/limit_keys.hpp"
#include "worker/providers/protocol.hpp"
#include "worker/providers/refused_parameters.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evalfleet::worker {

/// A provider, ready to be called.
struct Provider {
    std::string name;
    providers::ProviderType type = providers::ProviderType::openai;
    const Protocol* protocol = nullptr;  ///< never null
    Endpoint endpoint;
    std::shared_ptr<const Authorizer> auth;             ///< never null
    std::optional<providers::ProgramConfig> program{};  ///< instead of an endpoint
    std::optional<scoring::Prices> prices;
    scoring::ModelPrices model_prices{};
    bool stream = false;
    std::optional<std::string> extra_body{};
    std::shared_ptr<RefusedParameters> refused = std::make_shared<RefusedParameters>();

    /// What a model costs here; null if nobody says.
    [[nodiscard]] const scoring::Prices* prices_of(const job::ModelRef& model) const {
        return scoring::find_prices(prices, model_prices, model.name, model.version);
    }
};

/// All providers of the operator with their keys: the only place that holds them. Immutable but for
/// keys that change in their files.
class ProviderSet {
  public:
    /// Resolves every key. One error tells all that are not there, one a line.
    [[nodiscard]] static Result<ProviderSet> blocking_create(
        const providers::Providers& configs, const config::Environment& environment);

    /// Null if there is none of that name.
    [[nodiscard]] const Provider* find(std::string_view name) const noexcept;

    [[nodiscard]] std::vector<std::string> list() const {
        std::vector<std::string> names;
        for (const auto& [name, provider] : providers_)
            names.push_back(name);
        return names;
    }

    /// What each may be asked for.
    [[nodiscard]] const LimitKeys& limits() const { return limits_; }

    /// "a, b, c": for messages.
    [[nodiscard]] std::string names() const;

    /// Every key that there is or was, for redactors; it grows when a key changes. Never null.
    [[nodiscard]] std::shared_ptr<const redaction::Secrets> secrets() const { return secrets_; }

  private:
    std::map<std::string, Provider, std::less<>> providers_;
    LimitKeys limits_{{}};
    std::shared_ptr<redaction::Secrets> secrets_ = std::make_shared<redaction::Secrets>();
};

}  // namespace evalfleet::worker
