#include "worker/providers/provider_set.hpp"

#include "common/config/validator.hpp"
#include "worker/providers/api_key.hpp"
#include "worker/providers/protocols.hpp"

#include <utility>

namespace evalfleet::worker {

Result<ProviderSet> ProviderSet::blocking_create(const providers::Providers& configs,
                                                 const config::Environment& environment) {
    ProviderSet set;
    config::Validator validator;
    for (const auto& [name, config] : configs) {
        auto key = blocking_resolve_key(config, environment);
        if (!key) {
            validator.add(key.error().message);
            continue;
        }
        set.providers_.emplace(
            name, Provider{.name = name,
                           .protocol = &find_protocol(config.type),
                           .endpoint = {config.base_url, *std::move(key), config.api_version},
                           .prices = config.prices,
                           .stream = config.stream});
    }
    if (!validator.ok()) return validator.status().error();
    return set;
}

const Provider* ProviderSet::find(std::string_view name) const noexcept {
    const auto found = providers_.find(name);
    return found == providers_.end() ? nullptr : &found->second;
}

std::string ProviderSet::names() const {
    std::string names;
    for (const auto& [name, provider] : providers_)
        names += (names.empty() ? "" : ", ") + name;
    return names;
}

std::vector<std::string> ProviderSet::secrets() const {
    std::vector<std::string> secrets;
    for (const auto& [name, provider] : providers_) {
        if (!provider.endpoint.api_key.empty()) secrets.push_back(provider.endpoint.api_key);
    }
    return secrets;
}

}  // namespace evalfleet::worker
