#pragma once

#include "common/config/command_line.hpp"
#include "common/providers/provider_config.hpp"
#include "common/result/result.hpp"
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
    const Protocol* protocol = nullptr;  ///< never null
    Endpoint endpoint;
    std::optional<scoring::Prices> prices;
    bool stream = false;
    std::shared_ptr<RefusedParameters> refused = std::make_shared<RefusedParameters>();
};

/// All providers of the operator with their keys: the only place that holds them. Immutable.
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

    /// "a, b, c": for messages.
    [[nodiscard]] std::string names() const;

    /// Every key, for redaction.
    [[nodiscard]] std::vector<std::string> secrets() const;

  private:
    std::map<std::string, Provider, std::less<>> providers_;
};

}  // namespace evalfleet::worker
