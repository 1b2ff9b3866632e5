#include "worker/providers/provider_set.hpp"

#include "common/config/validator.hpp"
#include "common/providers/api_key.hpp"
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
        std::vector<OutgoingHeader> headers;
        for (const providers::ExtraHeader& header : config.headers) {
            OutgoingHeader outgoing{header.name, header.value, nullptr};
            if (header.is_secret()) {
                auto secret = KeyKeeper::blocking_create(providers::key_of_header(config, header),
                                                         environment, set.secrets_);
                if (!secret) validator.add(secret.error().message);
                if (secret) outgoing.secret = *std::move(secret);
            }
            headers.push_back(std::move(outgoing));
        }
        set.providers_.emplace(name, Provider{.name = name,
                                              .type = config.type,
                                              .protocol = &find_protocol(config.type),
                                              .endpoint = {config.base_url, "", config.api_version},
                                              .key = *std::move(key),
                                              .prices = config.prices,
                                              .model_prices = config.model_prices,
                                              .stream = config.stream,
                                              .headers = std::move(headers),
                                              .extra_body = config.extra_body});
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
