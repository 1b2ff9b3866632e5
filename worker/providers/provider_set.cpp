#include "worker/providers/provider_set.hpp"

#include "common/config/validator.hpp"
#include "worker/providers/protocols.hpp"

#include <utility>

namespace evalfleet::worker {

Result<ProviderSet> ProviderSet::blocking_create(const providers::Providers& configs,
                                                 const config::Environment& environment) {
    ProviderSet set;
    set.limits_ = LimitKeys(configs);
    config::Validator validator;
    for (const auto& [name, config] : configs) {
        auto key = KeyKeeper::blocking_create(config, environment, set.secrets_);
        if (!key) {
            validator.add(key.error().message);
            continue;
        }
        set.providers_.emplace(name, Provider{.name = name,
                                              .type = config.type,
                                              .protocol = &find_protocol(config.type),
                                              .endpoint = {config.base_url, "", config.api_version},
                                              .key = *std::move(key),
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

}  // namespace evalfleet::worker
